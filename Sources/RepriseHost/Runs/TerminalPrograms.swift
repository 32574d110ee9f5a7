// The pager and the editor of the user, which the display opens.

import Platform
import Reprise

/// Opens files in the pager of the user (`$PAGER`, else `less`).
///
/// - Parameters:
///   - paths: The paths of the files.
///   - environment: The environment with `PAGER`.
/// - Returns: A message if the pager has failed; nil once it is closed.
package func page(_ paths: [String], environment: [String: String]) async -> String? {
  let pager = environment.program(["PAGER"], else: "less")
  return await useTerminal(pager, paths)
}

/// Opens a file in the editor of the user (`$VISUAL`, else `$EDITOR`, else `vi`).
///
/// - Parameters:
///   - path: The path of the file.
///   - line: The line to go to, from 1; nil for the beginning.
///   - environment: The environment with `VISUAL` and `EDITOR`.
/// - Returns: A message if the editor has failed; nil once it is closed.
package func edit(_ path: String, line: Int?, environment: [String: String]) async -> String? {
  let editor = environment.program(["VISUAL", "EDITOR"], else: "vi")
  return await useTerminal(editor, placeArguments(path, line, of: editor))
}

/// Returns the arguments by which an editor opens a file at a line.
func placeArguments(_ path: String, _ line: Int?, of editor: String) -> [String] {
  guard let line else { return [path] }
  let program = editor.split(separator: " ").first?.split(separator: "/").last ?? ""
  return switch program {
  case "code", "codium", "cursor": ["--wait", "--goto", "\(path):\(line)"]
  case "hx", "helix", "subl", "zed": ["\(path):\(line)"]
  // vi and its relatives, nano, emacs, micro, kak and others.
  default: ["+\(line)", path]
  }
}

/// Runs a program in the foreground of the terminal on standard input.
private func useTerminal(_ program: String, _ arguments: [String]) async -> String? {
  // The variables hold a command line, which only a shell can split.
  let command = ["/bin/sh", "-c", "exec \(program) \"$@\"", "sh"] + arguments
  do {
    let status = try await blocking { try runInForeground(command, ofTerminal: 0) }
    return status == 0 ? nil : "\(program) ended with status \(status)"
  } catch {
    return "cannot start \(program): \(error)"
  }
}

extension [String: String] {
  /// Returns the first variable that is set and not empty.
  fileprivate func program(_ names: [String], else fallback: String) -> String {
    names.lazy.compactMap { self[$0] }.first { !$0.isEmpty } ?? fallback
  }
}
