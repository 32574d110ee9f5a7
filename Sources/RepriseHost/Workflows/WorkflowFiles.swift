// Finds workflow files: by path, or by name in the folder `workflows`. Reads no file's content.

import Platform
import RepriseTerminal

/// Where workflow files are looked for.
package enum WorkflowFiles {
  /// The folder whose workflows can be named without a path.
  package static let directoryStandard = "workflows"

  private static let endings = [".yaml", ".yml"]

  /// Finds the file that a path or a name means.
  ///
  /// A bare name, without `/` and without the ending of a workflow file, means `workflows/NAME.yaml` first: a
  /// script or program of the same name next to that folder is no workflow. Anything else is a path first.
  ///
  /// - Parameter name: What was typed.
  /// - Returns: The path.
  /// - Throws: ``Problem`` that names the places searched and the workflows that exist.
  package static func path(of name: String) throws(Problem) -> String {
    let isBare = !name.utf8.contains(UInt8(ascii: "/")) && !endings.contains(where: name.hasSuffix)
    let named = (endings + [""]).map { directoryStandard + "/" + name + $0 }
    let candidates = isBare ? named + [name] : [name] + named
    if let path = candidates.first(where: isFile) { return path }
    var text: TerminalSafe = "error: there is no workflow \"\(name)\": "
    if name.hasPrefix("/") {
      text += "there is no file of that path"
    } else {
      let ending = endings.contains(where: name.hasSuffix) ? "" : ".yaml"
      text += "neither a file of that path nor \(directoryStandard)/\(name)\(ending)"
    }
    let names = found(in: directoryStandard).map { TerminalSafe(shortName($0)) }
    if !names.isEmpty {
      text += "\n  in \(directoryStandard)/ there are: \(names.joined(separator: ", "))"
    }
    throw Problem(text)
  }

  /// The workflow files in a folder, sorted by name; none where there is no such folder.
  package static func found(in directory: String) -> [String] {
    let names = FolderReader.names(in: directory).filter { name in
      endings.contains(where: name.hasSuffix) && !name.hasPrefix(".")
    }
    return names.sorted().map { directory == "." ? $0 : directory + "/" + $0 }.filter(isFile)
  }

  /// What one types to run a file of the folder `workflows`: its name without folder and ending;
  /// for any other file its path.
  package static func shortName(_ path: String) -> String {
    guard path.hasPrefix(directoryStandard + "/") else { return path }
    let name = path.dropFirst(directoryStandard.count + 1)
    let ending = endings.first(where: name.hasSuffix) ?? ""
    return String(name.dropLast(ending.count))
  }

  private static func isFile(_ path: String) -> Bool {
    guard mayAccess(path, .existence) else { return false }
    do throws(Errno) {
      _ = try FolderReader(path)
      return false
    } catch {
      return true
    }
  }
}
