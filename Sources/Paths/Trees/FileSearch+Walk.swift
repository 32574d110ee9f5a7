// Walks the folders in which a search can find files.

import Platform

/// The walk of a search.
struct SearchWalk {
  /// A folder to visit.
  private struct Visit {
    /// The path relative to the start; empty for the start itself.
    let path: [UInt8]
    /// The positions in the patterns after this path.
    let matched: [Int]
    /// Whether a pattern names it literally, so that a symbolic link is followed.
    let isNamed: Bool
  }

  private let search: FileSearch
  private let folder: [UInt8]
  private var walk: TreeWalk<Visit>
  private var found: [[UInt8]] = []

  /// Creates a walk.
  ///
  /// - Parameters:
  ///   - search: The search.
  ///   - folder: The path of the folder to start from.
  init(search: FileSearch, folder: String) {
    self.search = search
    self.folder = Array(folder.utf8)
    walk = TreeWalk(from: Visit(path: [], matched: search.automaton.start, isNamed: true))
  }

  /// Performs the walk.
  ///
  /// - Returns: The paths of the files found, in byte order.
  /// - Throws: ``FileError`` if a folder cannot be read or a path is not UTF-8.
  mutating func files() throws(FileError) -> [String] {
    while let visit = walk.next() {
      if needsEntries(visit) {
        for entry in try entries(in: visit) { try process(entry, in: visit) }
      } else {
        for name in literalNames(in: visit) { try process(name: name, in: visit) }
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

  /// Returns whether the entries must be listed, because a pattern continues with a wildcard.
  private func needsEntries(_ visit: Visit) -> Bool {
    visit.matched.contains { index in
      let position = search.automaton.positions[index]
      return position.component != nil && !position.isName && !search.isExclusion[position.pattern]
    }
  }

  private func literalNames(in visit: Visit) -> Set<[UInt8]> {
    var names: Set<[UInt8]> = []
    for index in visit.matched {
      let position = search.automaton.positions[index]
      guard case .name(let name) = position.component, !search.isExclusion[position.pattern] else {
        continue
      }
      names.insert(name)
    }
    return names
  }

  /// Returns the entries of a folder, in no particular order; empty if it does not exist.
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

  /// Processes an entry of a folder.
  private mutating func process(_ entry: FolderReader.Entry, in visit: Visit) throws(FileError) {
    let matched = advance(by: entry.name, in: visit, onlyNamed: false)
    guard search.mayFind(matched) else { return }
    let path = join(visit.path, entry.name)
    let kind: FoundPath.Kind? =
      switch entry.kind {
      case .file: .file
      case .folder: .folder
      case .link, .unknown: try self.kind(of: path)
      case .other: .other
      }
    add(path, entry.name, kind, matched, in: visit)
  }

  /// Processes a literal name without listing its folder.
  private mutating func process(name: [UInt8], in visit: Visit) throws(FileError) {
    let matched = advance(by: name, in: visit, onlyNamed: false)
    guard search.mayFind(matched) else { return }
    let path = join(visit.path, name)
    // Skip the check for a name that must be a folder; visiting it will show whether it is.
    let mayBeFile = search.lastMatch(matched, isExclusion: false) != nil
    let kind = mayBeFile ? try self.kind(of: path) : .folder
    add(path, name, kind, matched, in: visit)
  }

  /// Returns the kind of the file at a path; nil if there is none.
  private func kind(of path: [UInt8]) throws(FileError) -> FoundPath.Kind? {
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

  /// Returns the positions after one more name; `onlyNamed` excludes matches of wildcards.
  private func advance(by name: [UInt8], in visit: Visit, onlyNamed: Bool) -> [Int] {
    search.automaton.advance(visit.matched, by: name) { position in
      !onlyNamed || position.isName || search.isExclusion[position.pattern]
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
