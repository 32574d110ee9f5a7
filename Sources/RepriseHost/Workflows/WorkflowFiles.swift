// Finds workflow files by path, or by name in the folder `workflows`, without reading them.

import Platform
import RepriseTerminal

/// The lookup of workflow files.
package enum WorkflowFiles {
  /// The folder whose workflows can be given by name.
  package static let defaultDirectory = "workflows"

  private static let endings = [".yaml", ".yml"]

  /// Finds a workflow file by path or name.
  ///
  /// A bare name, without `/` and a workflow file extension, is looked up as `workflows/NAME.yaml`
  /// first, since a script or program of that name may be next to the folder. Anything else is
  /// looked up as a path first.
  ///
  /// - Parameter name: The path or name.
  /// - Returns: The path.
  /// - Throws: ``Problem`` that lists the locations searched and the workflows that exist.
  package static func path(of name: String) throws(Problem) -> String {
    let isBare = !name.utf8.contains(UInt8(ascii: "/")) && !endings.contains(where: name.hasSuffix)
    let named = (endings + [""]).map { defaultDirectory + "/" + name + $0 }
    let candidates = isBare ? named + [name] : [name] + named
    if let path = candidates.first(where: isFile) { return path }
    var text: TerminalSafe = "error: there is no workflow \"\(name)\": "
    if name.hasPrefix("/") {
      text += "there is no file at that path"
    } else {
      let ending = endings.contains(where: name.hasSuffix) ? "" : ".yaml"
      text += "neither a file at that path nor \(defaultDirectory)/\(name)\(ending)"
    }
    let names = found(in: defaultDirectory).map { TerminalSafe(shortName($0)) }
    if !names.isEmpty {
      text += "\n  workflows in \(defaultDirectory)/: \(names.joined(separator: ", "))"
    }
    throw Problem(text)
  }

  /// Returns the workflow files in a folder, sorted by name; empty if the folder does not exist.
  package static func found(in directory: String) -> [String] {
    let names = FolderReader.names(in: directory).filter { name in
      endings.contains(where: name.hasSuffix) && !name.hasPrefix(".")
    }
    return names.sorted().map { directory == "." ? $0 : directory + "/" + $0 }.filter(isFile)
  }

  /// Returns the shortest argument that selects a file.
  ///
  /// In the folder `workflows`, the name without folder and extension; otherwise the path.
  package static func shortName(_ path: String) -> String {
    guard path.hasPrefix(defaultDirectory + "/") else { return path }
    let name = path.dropFirst(defaultDirectory.count + 1)
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
