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

  init(_ root: OpenFolder, in folder: String) {
    self.root = root
    self.folder = folder
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
    let temporary = temporaryName
    let descriptor = try parent.makeFile(temporary)
    do {
      defer { closeDescriptor(descriptor) }
      do {
        try write(descriptor)
        try setMode(file.mode, ofDescriptor: descriptor)
        try setModified(time, ofDescriptor: descriptor)
        try parent.rename(temporary, to: name)
      } catch {
        try? parent.remove(temporary)
        throw error
      }
    }
  }

  /// Makes a link or a folder.
  mutating func makeOther(_ file: StoredResult.File) throws {
    guard let (parent, name) = try place(of: file.path, makes: true) else { return }
    guard let target = file.linkTarget else {
      if parent.status(of: name)?.type != .directory {
        if parent.status(of: name) != nil { try parent.remove(name) }
        try parent.makeFolder(name)
      }
      return
    }
    let temporary = temporaryName
    try parent.makeLink(temporary, to: target)
    do {
      try parent.rename(temporary, to: name)
    } catch {
      try? parent.remove(temporary)
      throw error
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
