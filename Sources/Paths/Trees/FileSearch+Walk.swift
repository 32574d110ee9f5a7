// Goes through the folders in which a search may find something, and no others.

import Platform

/// The walk of a search.
struct SearchWalk {
  /// A folder to visit.
  private struct Visit {
    /// Its path below the first folder; empty for that one.
    let path: [UInt8]
    /// What of the patterns its path has matched.
    let matched: [Int]
    /// Whether a pattern names it, so that it may be a symbolic link.
    let isNamed: Bool
  }

  private let search: FileSearch
  private let folder: [UInt8]
  private var walk: TreeWalk<Visit>
  private var found: [[UInt8]] = []

  /// Prepares a walk.
  ///
  /// - Parameters:
  ///   - search: What is looked for.
  ///   - folder: Where.
  init(search: FileSearch, folder: String) {
    self.search = search
    self.folder = Array(folder.utf8)
    walk = TreeWalk(from: Visit(path: [], matched: search.automaton.start, isNamed: true))
  }

  /// Walks.
  ///
  /// - Returns: The paths of the files that were found, in the order of their bytes.
  /// - Throws: ``FileError`` when a folder cannot be read, or a path is no text.
  mutating func files() throws(FileError) -> [String] {
    while let visit = walk.next() {
      if needsEntries(visit) {
        for entry in try entries(in: visit) { try see(entry, in: visit) }
      } else {
        for name in names(wantedIn: visit) { try goDirectly(to: name, in: visit) }
      }
    }
    found.sort { $0.lexicographicallyPrecedes($1) }
    var files: [String] = []
    files.reserveCapacity(found.count)
    for path in found {
      guard let file = String(validating: path, as: UTF8.self) else {
        throw .unreadable(
          path: String(decoding: path, as: UTF8.self), reason: "its name is not UTF-8; rename it")
      }
      files.append(file)
    }
    return files
  }

  /// Whether what is looked for in a folder is not known by name.
  private func needsEntries(_ visit: Visit) -> Bool {
    visit.matched.contains { index in
      let position = search.automaton.positions[index]
      return position.component != nil && !position.isName && !search.takesAway[position.pattern]
    }
  }

  private func names(wantedIn visit: Visit) -> Set<[UInt8]> {
    var names: Set<[UInt8]> = []
    for index in visit.matched {
      let position = search.automaton.positions[index]
      guard case .name(let name) = position.component, !search.takesAway[position.pattern] else {
        continue
      }
      names.insert(name)
    }
    return names
  }

  /// What a folder contains, in no order; nothing where there is no such folder.
  private func entries(in visit: Visit) throws(FileError) -> [FolderReader.Entry] {
    let path = fullPath(visit.path)
    var entries: [FolderReader.Entry] = []
    do throws(Errno) {
      var folder = try FolderReader(path, followsLink: visit.isNamed)
      while let entry = try folder.next() { entries.append(entry) }
    } catch {
      guard error.isMissing else { throw .system(String(decoding: path, as: UTF8.self), error) }
    }
    return entries
  }

  /// Deals with what a folder contains.
  private mutating func see(_ entry: FolderReader.Entry, in visit: Visit) throws(FileError) {
    let matched = advance(by: entry.name, in: visit, onlyNamed: false)
    guard search.mayFind(matched) else { return }
    let path = join(visit.path, entry.name)
    let kind: FoundPath.Kind? =
      switch entry.kind {
      case .file: .file
      case .folder: .folder
      case .link, .unknown: try lookAt(path)
      case .other: .other
      }
    add(path, entry.name, kind, matched, in: visit)
  }

  /// Deals with what a pattern names, without a look at the folder around it.
  private mutating func goDirectly(to name: [UInt8], in visit: Visit) throws(FileError) {
    let matched = advance(by: name, in: visit, onlyNamed: false)
    guard search.mayFind(matched) else { return }
    let path = join(visit.path, name)
    // What has to be a folder is not looked at: it will turn out when something in it is.
    let mayBeFile = search.ends(matched, takingAway: false) != nil
    let kind = mayBeFile ? try lookAt(path) : .folder
    add(path, name, kind, matched, in: visit)
  }

  /// What is at a path; nil where nothing is.
  private func lookAt(_ path: [UInt8]) throws(FileError) -> FoundPath.Kind? {
    let path = fullPath(path)
    do throws(Errno) {
      let kind = try FoundPath(path).kind
      if case .brokenLink(let error) = kind { throw error }
      return kind
    } catch {
      if error.isMissing { return nil }
      throw .system(String(decoding: path, as: UTF8.self), error)
    }
  }

  private mutating func add(
    _ path: [UInt8], _ name: [UInt8], _ kind: FoundPath.Kind?, _ matched: [Int], in visit: Visit
  ) {
    switch kind {
    case .file, .linkToFile:
      if search.isWanted(matched) { found.append(path) }
    case .folder, .linkToFolder:
      let entered = advance(by: name, in: visit, onlyNamed: true)
      let isNamed = search.mayFind(entered)
      let isBarred = kind == .linkToFolder || InternalFolder.hasName(name)
      if isNamed || !isBarred {
        walk.enter(Visit(path: path, matched: isBarred ? entered : matched, isNamed: isNamed))
      }
    case .brokenLink, .other, nil: break
    }
  }

  /// What of the patterns is matched with one more name, and by which of them.
  private func advance(by name: [UInt8], in visit: Visit, onlyNamed: Bool) -> [Int] {
    search.automaton.advance(visit.matched, by: name) { position in
      !onlyNamed || position.isName || search.takesAway[position.pattern]
    }
  }

  private func join(_ path: [UInt8], _ name: [UInt8]) -> [UInt8] {
    path.isEmpty ? name : path + [UInt8(ascii: "/")] + name
  }

  private func fullPath(_ path: [UInt8]) -> [UInt8] {
    if path.isEmpty { return folder.isEmpty ? [UInt8(ascii: ".")] : folder }
    if folder.isEmpty || folder == [UInt8(ascii: ".")] { return path }
    return folder.last == UInt8(ascii: "/") ? folder + path : join(folder, path)
  }
}
