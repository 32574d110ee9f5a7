// Makes the files of a result in a project, and nothing else.

import Paths
import Platform
import Reprise

/// Makes files below a folder, without following links.
struct Restoring {
  private let root: OpenFolder
  private let folder: String
  /// Different for each restore: two runs may restore the same result.
  private let id = String(UInt64.random(in: .min ... .max), radix: 36)
  /// All files get the same time: otherwise tools that compare times would make some of them again.
  private let time = nanosecondsSince1970()
  private var folders: [String: OpenFolder]
  private var count = 0
  /// Where files are made before they get their names, so that a kill leaves nothing in the project; nil if that
  /// is another file system.
  private var workshop: OpenFolder?
  /// The folders whose permissions are still to be set, since they might forbid to make files in them.
  private var modes: [(parent: OpenFolder, name: String, mode: UInt32)] = []

  /// Creates what makes files in a folder.
  ///
  /// - Parameters:
  ///   - root: The folder.
  ///   - folder: Its absolute path.
  ///   - workshop: A folder in which files are made before they are moved to their places.
  init(_ root: OpenFolder, in folder: String, workshop: OpenFolder?) {
    self.root = root
    self.folder = folder
    self.workshop = workshop
    folders = ["": root]
  }

  /// Returns the files that are not as they should be; changes only modes.
  ///
  /// - Throws: ``StoreProblem`` if something is in the way.
  mutating func needed(_ files: [StoredResult.File]) throws -> [StoredResult.File] {
    var needed: [StoredResult.File] = []
    for file in files {
      guard let (parent, name) = try self.place(of: file.path, makes: false),
        let status = parent.status(of: name)
      else {
        needed.append(file)
        continue
      }
      if status.type == .directory {
        guard file.content == "folder" else {
          throw StoreProblem("\"\(file.path)\" is a folder")
        }
        if Self.permissions(UInt32(status.mode.rawValue)) != Self.permissions(file.mode) {
          needed.append(file)
        }
        continue
      }
      let state = try FileState.now(at: joinedPath(folder, file.path))
      let isRight = state?.content == file.content
      if isRight, !file.isFile || UInt32(status.mode.rawValue) & 0o777 == file.mode { continue }
      needed.append(file)
    }
    return needed
  }

  /// Makes a file.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - write: Writes its content to a descriptor.
  /// - Throws: A system error, ``StoreProblem``, or what `write` throws; the file is as before then.
  mutating func make(_ file: StoredResult.File, _ write: (Int32) throws -> Void) throws {
    guard let (parent, name) = try place(of: file.path, makes: true) else { return }
    let time = time
    try makeApart(name, in: parent) { holder, temporary in
      let descriptor = try holder.makeFile(temporary)
      defer { closeDescriptor(descriptor) }
      try write(descriptor)
      try setMode(file.mode, ofDescriptor: descriptor)
      try setModified(time, ofDescriptor: descriptor)
    }
  }

  /// Makes something under another name, and then gives it its own.
  ///
  /// - Throws: What `make` throws, or a system error; nothing has changed then.
  private mutating func makeApart(
    _ name: String, in parent: OpenFolder, _ make: (OpenFolder, String) throws -> Void
  ) throws {
    let (holder, temporary) = (workshop ?? parent, temporaryName)
    do {
      try make(holder, temporary)
      try holder.move(temporary, to: name, in: parent)
    } catch {
      try? holder.remove(temporary)
      guard workshop != nil, error as? Errno == .improperLink else { throw error }
      workshop = nil
      try makeApart(name, in: parent, make)
    }
  }

  /// Permissions as far as they count; see ``FileState``.
  private static func permissions(_ mode: UInt32) -> UInt32 {
    FileState(content: "", attributes: nil, permissions: mode).permissions
  }

  /// Sets the permissions of the folders that were made, the inner ones first.
  ///
  /// - Throws: The system error.
  mutating func setModes() throws {
    for (parent, name, mode) in modes.reversed() { try parent.setMode(mode, of: name) }
    modes = []
  }

  /// Makes a link or a folder.
  mutating func makeOther(_ file: StoredResult.File) throws {
    guard let (parent, name) = try place(of: file.path, makes: true) else { return }
    guard let target = file.linkTarget else {
      if parent.status(of: name)?.type != .directory {
        if parent.status(of: name) != nil { try parent.remove(name) }
        try parent.makeFolder(name)
      }
      // Other permissions are left to the umask of this machine.
      let isUsual = Self.permissions(file.mode) == 0
      let status = parent.status(of: name).map { UInt32($0.mode.rawValue) } ?? 0
      if !isUsual || Self.permissions(status) != 0 { modes.append((parent, name, file.mode)) }
      return
    }
    try makeApart(name, in: parent) { holder, temporary in
      try holder.makeLink(temporary, to: target)
    }
  }

  /// Removes files that still have the given contents; folders if they are empty.
  mutating func remove(_ contents: [String: String]) {
    for path in contents.keys.sorted().reversed() {
      let plain = path.hasSuffix("/") ? String(path.dropLast()) : path
      guard let (parent, name) = (try? place(of: plain, makes: false)) ?? nil,
        let status = parent.status(of: name)
      else { continue }
      if status.type == .directory {
        try? parent.removeFolder(name)
      } else if (try? FileState.now(at: joinedPath(folder, plain)))?.content == contents[path] {
        try? parent.remove(name)
      }
    }
  }

  private var temporaryName: String {
    mutating get {
      count += 1
      return ".reprise-restoring-\(id)-\(count)"
    }
  }

  /// Returns the folder and the name of a path; nil if the folder is not there.
  ///
  /// - Throws: ``StoreProblem`` if a link or a file is in place of a folder.
  private mutating func place(of path: String, makes: Bool) throws -> (OpenFolder, String)? {
    guard let slash = path.lastIndex(of: "/") else { return (root, path) }
    let above = String(path[..<slash])
    let name = String(path[path.index(after: slash)...])
    if let known = folders[above] { return (known, name) }
    guard let (parent, inner) = try place(of: above, makes: makes) else { return nil }
    if parent.status(of: inner) == nil {
      guard makes else { return nil }
      try parent.makeFolder(inner)
    }
    let found: OpenFolder
    do {
      found = try parent.folder(inner)
    } catch {
      throw StoreProblem("\"\(above)\" is no folder, or a link to one")
    }
    folders[above] = found
    return (found, name)
  }
}
