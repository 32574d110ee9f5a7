// Finds workflow files by name in the project, or by path, without reading them.

import Paths
import Platform
import Reprise
import RepriseJournal
import RepriseTerminal

/// A workflow file, and the folder in which it runs.
package struct WorkflowPlace: Equatable, Sendable {
  /// The path of the file, followed by `#` and the name for one of the workflows in it.
  ///
  /// A file has one path, however it was written: relative to the folder if it is below it, otherwise
  /// absolute, and without links to folders, `.` and `..`. Runs, watches and caches are found by it.
  package let path: String
  /// The folder with the subfolder `workflows` in which a name was found; nil for a path, which
  /// runs in the current folder.
  package let folder: String?
}

/// The lookup of workflow files.
package struct WorkflowFiles: Sendable {
  private static let endings = [".yaml", ".yml"]

  private let project: ProjectFolders

  /// Creates a lookup from a folder upward.
  ///
  /// - Parameter folder: The absolute path of the folder; nil if the current one no longer exists.
  package init(from folder: String? = workingFolder()) {
    self.init(ProjectFolders(from: folder, home: inheritedEnvironment()["HOME"]))
  }

  /// Creates a lookup in the folders of a project.
  init(_ project: ProjectFolders) {
    self.project = project
  }

  /// Finds a workflow file by name or path.
  ///
  /// A name has no `/` and no extension of workflow files. It means `workflows/NAME.yaml` or
  /// `.yml` in the current folder or the nearest parent with such a file, and never a file in the
  /// current folder: a script of that name may be next to the workflows. Anything else is a path;
  /// if there is no such file, it is looked up in `workflows`, as in `recipes/canary`. If there is
  /// none of the whole name, it may be that of a workflow in a file, or an alias, if only one has
  /// it; else what follows the last `#` names a workflow in the file before it.
  ///
  /// - Parameter name: The name or path.
  /// - Returns: The file.
  /// - Throws: ``Problem`` that lists the locations searched and the workflows that exist.
  package func place(of name: String) throws(Problem) -> WorkflowPlace {
    if let place = file(of: name) { return place }
    if let place = try named(name) { return place }
    guard let (file, part) = Self.split(name) else { throw problem(with: name) }
    guard let place = self.file(of: file) else { throw problem(with: file) }
    return WorkflowPlace(path: "\(place.path)#\(part)", folder: place.folder)
  }

  /// Finds a workflow in a file of the nearest folder by its name alone, or by an alias.
  private func named(_ name: String) throws(Problem) -> WorkflowPlace? {
    guard Self.isName(name), let parent = project.nearest(withFolder: ProjectFolders.workflows),
      let entry = try WorkflowCatalog(of: joinedPath(parent, ProjectFolders.workflows))
        .entry(named: name)
    else { return nil }
    let (file, part) = Self.parts(of: entry.path)
    let path = Self.path(file, from: parent)
    return WorkflowPlace(path: part.map { "\(path)#\($0)" } ?? path, folder: parent)
  }

  /// Finds the file of a name or path; nil if there is none.
  private func file(of name: String) -> WorkflowPlace? {
    if !Self.isName(name), Self.isFile(name) {
      return WorkflowPlace(path: Self.path(name, from: workingFolder() ?? "/"), folder: nil)
    }
    for folder in Self.isOnlyPath(name) ? [] : project.paths {
      for ending in Self.endings + (Self.isName(name) ? [] : [""]) {
        let path = "\(ProjectFolders.workflows)/\(name)\(ending)"
        if Self.isFile(joinedPath(folder, path)) {
          return WorkflowPlace(path: Self.path(path, from: folder), folder: folder)
        }
      }
    }
    return nil
  }

  /// Returns the one path of a file.
  ///
  /// - Parameters:
  ///   - written: The path, relative to the folder or absolute.
  ///   - folder: The absolute path of the folder.
  /// - Returns: The path, as in ``WorkflowPlace/path``; the written one if its folder does not exist.
  static func path(_ written: String, from folder: String) -> String {
    let absolute = written.hasPrefix("/") ? written : joinedPath(folder, written)
    guard let slash = absolute.lastIndex(of: "/"),
      let place = realPath(String(absolute[..<slash]) + "/"), let here = realPath(folder)
    else { return written }
    let path = joinedPath(place, String(absolute[absolute.index(after: slash)...]))
    let start = here == "/" ? here : here + "/"
    return path.hasPrefix(start) ? String(path.dropFirst(start.count)) : path
  }

  /// Returns the path of a file, and the name of the workflow in it: nil for the file itself.
  static func parts(of path: String) -> (file: String, part: String?) {
    guard !isFile(path), let (file, part) = split(path) else { return (path, nil) }
    return (file, part)
  }

  /// Returns what is before and after the last `#`; nil if one of them is empty.
  private static func split(_ name: String) -> (file: String, part: String)? {
    guard let hash = name.lastIndex(of: "#"), hash > name.startIndex,
      name.index(after: hash) < name.endIndex
    else { return nil }
    return (String(name[..<hash]), String(name[name.index(after: hash)...]))
  }

  /// Finds a workflow file without leaving the current folder, for a process that runs several.
  ///
  /// - Parameter name: The name or path.
  /// - Returns: The path.
  /// - Throws: ``Problem``.
  package static func path(of name: String) throws(Problem) -> String {
    let here = try currentDirectory()
    return try WorkflowFiles(ProjectFolders(from: here, home: here)).place(of: name).path
  }

  /// Whether a word is the name of a workflow rather than a path.
  package static func isName(_ word: String) -> Bool {
    let file = split(word)?.file ?? word
    return !word.utf8.contains(UInt8(ascii: "/")) && !endings.contains(where: word.hasSuffix)
      && !endings.contains(where: file.hasSuffix)
  }

  /// Whether a word can only be a path, because it begins with `/`, `./` or `../`.
  private static func isOnlyPath(_ word: String) -> Bool {
    ["/", "./", "../"].contains(where: word.hasPrefix)
  }

  private func problem(with name: String) -> Problem {
    guard !Self.isOnlyPath(name) else {
      return Problem("error: there is no workflow file \"\(name)\"")
    }
    let isName = Self.isName(name)
    var text: TerminalSafe = "error: there is no workflow \"\(name)\""
    if !isName { text += ": no file at that path" }
    if let folder {
      text += isName ? " in \"\(folder)\"" : ", and none in \"\(folder)\""
      let names = Self.names(in: folder)
      if let near = nearest(to: name, among: names) { text += "; did you mean \"\(near)\"?" }
      let list = names.map { TerminalSafe($0) }.joined(separator: ", ")
      if !names.isEmpty { text += "\n  workflows there: \(list)" }
    } else {
      text += isName ? ": there" : ", and there"
      text += " is no folder \"\(ProjectFolders.workflows)\" here or in a parent folder"
      if isName { text += "; create a workflow with: reprise init \(name)" }
    }
    if isName, Self.isFile(name) { text += "\n  the file of that name is: ./\(name)" }
    return Problem(text)
  }

  /// The nearest folder with a subfolder `workflows`; nil if there is none.
  package var projectFolder: String? { project.nearest(withFolder: ProjectFolders.workflows) }

  /// The nearest folder with workflows; nil if there is none.
  package var folder: String? {
    projectFolder.map { joinedPath($0, ProjectFolders.workflows) }
  }

  /// The names of the workflows that can be given by name: of files, then of workflows in files.
  package var names: [String] { described.map(\.name) }

  /// The same names with the first lines of the descriptions; empty for what has none.
  var described: [(name: String, description: String)] { folder.map(Self.described) ?? [] }

  private static func names(in folder: String) -> [String] { described(in: folder).map(\.name) }

  /// Reads each file once.
  private static func described(in folder: String) -> [(name: String, description: String)] {
    let named = WorkflowCatalog(of: folder).entries.flatMap { entry in
      ([entry.name] + entry.aliases).map { (name: $0, description: entry.description) }
    }
    let files = found(in: folder).map { shortName($0, in: folder) }
    let descriptions = Dictionary(named.map { ($0.name, $0.description) }) { first, _ in first }
    return files.map { ($0, descriptions[$0] ?? "") } + named.filter { !files.contains($0.name) }
  }

  /// Returns the workflow files in a folder, sorted by name; empty if the folder does not exist.
  package static func found(in directory: String) -> [String] {
    let names = FolderReader.names(in: directory).filter { name in
      endings.contains(where: name.hasSuffix) && !name.hasPrefix(".")
    }
    return names.sorted().map { directory == "." ? $0 : directory + "/" + $0 }.filter(isFile)
  }

  /// Returns the paths of the folders, with a `/`, and workflow files in a folder, sorted.
  ///
  /// - Parameter folder: Empty, or a path that ends with `/`.
  /// - Returns: The paths.
  static func entries(in folder: String) -> [String] {
    FolderReader.names(in: folder.isEmpty ? "." : folder).filter { !$0.hasPrefix(".") }.sorted()
      .compactMap { name in
        let path = folder + name
        guard isFile(path) else { return path + "/" }
        return endings.contains(where: name.hasSuffix) ? path : nil
      }
  }

  /// Returns the shortest argument that selects a file.
  ///
  /// In the folder of workflows, the name without folder and extension; otherwise the path.
  package static func shortName(_ path: String, in folder: String?) -> String {
    guard let folder, path.hasPrefix(folder + "/") else { return path }
    let name = path.dropFirst(folder.count + 1)
    let ending = endings.first(where: name.hasSuffix) ?? ""
    return String(name.dropLast(ending.count))
  }

  /// Returns the path of a workflow in a folder; nil if there is none of that name.
  static func existing(named name: String, in folder: String) -> String? {
    endings.map { folder + "/" + name + $0 }.first { mayAccess($0, .existence) }
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
