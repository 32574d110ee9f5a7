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
    /// Whether the path may be a symbolic link: a pattern names it literally, or links are followed.
    let followsLink: Bool
  }

  /// A folder with the rest of the patterns, which need to be searched once.
  private struct Place: Hashable {
    let device: UInt64
    let inode: UInt64
    let matched: [Int]
  }

  /// What a name is.
  private enum Kind {
    case file, folder, linkToFolder
    /// A symbolic link to a regular file.
    case linkToFile
    /// Any other symbolic link.
    case otherLink
  }

  private let search: FileSearch
  private let folder: [UInt8]
  /// Whether links, what is behind links to folders, and empty folders are found.
  private let isOfContents: Bool
  private var walk: TreeWalk<Visit>
  private var results: [(path: [UInt8], kind: FoundFile.Kind)] = []
  /// The folders visited before the first link is followed.
  private var visited: [Visit] = []
  /// The links to folders to follow when everything else has been visited.
  private var links: [Visit] = []
  /// What was visited, once links are followed.
  private var places: Set<Place>?

  /// Creates a walk.
  ///
  /// - Parameters:
  ///   - search: The search.
  ///   - folder: The path of the folder to start from.
  ///   - isOfContents: Whether links, what is behind links to folders, and empty folders are found.
  init(search: FileSearch, folder: String, isOfContents: Bool) {
    self.search = search
    self.folder = Array(folder.utf8)
    self.isOfContents = isOfContents
    walk = TreeWalk(from: Visit(path: [], matched: search.automaton.start, followsLink: true))
  }

  /// Performs the walk.
  ///
  /// - Returns: What was found, in byte order of the paths.
  /// - Throws: ``FileError`` if a folder cannot be read or a path is not UTF-8.
  mutating func found() throws(FileError) -> [FoundFile] {
    try visitFolders()
    // Which of several links to a folder is followed must not depend on the order of its entries.
    while !links.isEmpty {
      let next = links.sorted { $0.path.lexicographicallyPrecedes($1.path) }
      links = []
      for link in next {
        notePlaces()
        walk.enter(link)
        try visitFolders()
      }
    }
    results.sort { $0.path.lexicographicallyPrecedes($1.path) }
    var files: [FoundFile] = []
    files.reserveCapacity(results.count)
    for (path, kind) in results {
      guard let text = String(validating: path, as: UTF8.self) else {
        throw .unreadable(
          path: String(decoding: path, as: UTF8.self), reason: "its name is not UTF-8; rename it")
      }
      files.append(FoundFile(path: text, kind: kind))
    }
    return files
  }

  private mutating func visitFolders() throws(FileError) {
    while let next = walk.next() {
      guard isNew(next) else { continue }
      if needsEntries(next) {
        try processEntries(in: next)
      } else {
        for name in literalNames(in: next) { try process(name: name, in: next) }
      }
    }
  }

  private mutating func processEntries(in visit: Visit) throws(FileError) {
    guard var entries = try entries(in: visit) else { return }
    if entries.isEmpty, isOfContents, !visit.path.isEmpty, search.isWanted(visit.matched) {
      results.append((visit.path, .folder))
    }
    if places != nil { entries.sort { $0.name.lexicographicallyPrecedes($1.name) } }
    for entry in entries { try process(entry, in: visit) }
  }

  // MARK: Links to folders

  /// Returns whether a folder must be visited; notes that it is.
  private mutating func isNew(_ visit: Visit) -> Bool {
    guard places != nil else {
      if isOfContents { visited.append(visit) }
      return true
    }
    guard let place = place(of: visit) else { return false }
    return places?.insert(place).inserted ?? true
  }

  /// Notes the places of all folders visited so far, before the first link is followed.
  private mutating func notePlaces() {
    guard places == nil else { return }
    places = Set(visited.compactMap(place))
    visited = []
  }

  private func place(of visit: Visit) -> Place? {
    guard let status = try? Stat(bytes: fullPath(visit.path), followsLink: visit.followsLink) else {
      return nil
    }
    return Place(
      device: UInt64(status.deviceID.rawValue), inode: UInt64(status.inode.rawValue),
      matched: visit.matched)
  }

  // MARK: Names

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

  /// Returns the entries of a folder, in no particular order; nil if it does not exist.
  private func entries(in visit: Visit) throws(FileError) -> [FolderReader.Entry]? {
    let path = fullPath(visit.path)
    var entries: [FolderReader.Entry] = []
    do throws(Errno) {
      var folder = try FolderReader(path, followsLink: visit.followsLink)
      while let entry = try folder.next() { entries.append(entry) }
    } catch {
      guard error.isMissing else { throw .system(String(decoding: path, as: UTF8.self), error) }
      return nil
    }
    return entries
  }

  /// Processes an entry of a folder.
  private mutating func process(_ entry: FolderReader.Entry, in visit: Visit) throws(FileError) {
    let matched = advance(by: entry.name, in: visit, onlyNamed: false)
    guard search.mayFind(matched) else { return }
    let path = join(visit.path, entry.name)
    let kind: Kind? =
      switch entry.kind {
      case .file: .file
      case .folder: .folder
      case .link, .unknown: try self.kind(of: path)
      case .other: nil
      }
    add(path, entry.name, kind, matched, in: visit)
  }

  /// Processes a literal name without listing its folder.
  private mutating func process(name: [UInt8], in visit: Visit) throws(FileError) {
    let matched = advance(by: name, in: visit, onlyNamed: false)
    guard search.mayFind(matched) else { return }
    let path = join(visit.path, name)
    // Skip the check for a name that must be a folder; visiting it will show whether it is.
    let mayBeFound =
      search.lastMatch(matched, isExclusion: false) != nil
      || search.lastMatch(matched, isExclusion: false, asFolder: true) != nil
    let kind = mayBeFound ? try self.kind(of: path) : .folder
    add(path, name, kind, matched, in: visit)
  }

  /// Returns the kind of the file at a path; nil if there is none, or none that is ever found.
  private func kind(of path: [UInt8]) throws(FileError) -> Kind? {
    let path = fullPath(path)
    do throws(Errno) {
      let found = try FoundPath(path)
      switch found.kind {
      case .file: return .file
      case .folder: return .folder
      case .linkToFile: return .linkToFile
      case .linkToFolder: return .linkToFolder
      case .brokenLink(let error):
        guard error.isMissing else { throw error }
        return .otherLink
      case .other: return found.status.type == .symbolicLink ? .otherLink : nil
      }
    } catch {
      if error.isMissing { return nil }
      throw .system(String(decoding: path, as: UTF8.self), error)
    }
  }

  private mutating func add(
    _ path: [UInt8], _ name: [UInt8], _ kind: Kind?, _ matched: [Int], in visit: Visit
  ) {
    switch kind {
    case .file, .linkToFile:
      let found: FoundFile.Kind = isOfContents && kind == .linkToFile ? .link : .file
      if search.isWanted(matched) { results.append((path, found)) }
    case .otherLink:
      if isOfContents, search.isWanted(matched) { results.append((path, .link)) }
    case .folder, .linkToFolder:
      if search.isWanted(matched, asFolder: true) { results.append((path, .folder)) }
      let isLink = kind == .linkToFolder
      if isOfContents, isLink, search.isWanted(matched) { results.append((path, .link)) }
      enter(path, name, matched, isLink: isLink, in: visit)
    case nil: break
    }
  }

  private mutating func enter(
    _ path: [UInt8], _ name: [UInt8], _ matched: [Int], isLink: Bool, in visit: Visit
  ) {
    let entered = advance(by: name, in: visit, onlyNamed: true)
    let isNamed = search.mayFind(entered)
    let isBarred = InternalFolder.hasName(name) || isLink && !isOfContents
    if isLink, !isNamed, !isBarred {
      links.append(Visit(path: path, matched: matched, followsLink: true))
    } else if isNamed || !isBarred {
      walk.enter(Visit(path: path, matched: isBarred ? entered : matched, followsLink: isNamed))
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
