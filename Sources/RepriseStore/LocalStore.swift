// `LocalStore`: results of steps with their files, in a folder of this machine.

import Paths
import Platform
package import Reprise

/// The reason why a result cannot be kept or restored, as a clause.
package struct StoreProblem: Error, CustomStringConvertible {
  package let description: String
  /// Whether only one result is concerned, not the store.
  let isAboutContent: Bool

  init(_ description: String, isAboutContent: Bool = false) {
    self.description = description
    self.isAboutContent = isAboutContent
  }
}

/// A folder with results of steps and their files.
///
/// - `results/TASK/ID.json`: a result, the names and hashes of its files.
/// - `packs/ID`: the contents of its small files, one after the other.
/// - `objects/HASH`: a large file, for all results that have it.
///
/// Each is written beside and renamed, the result last, so that an interrupted write leaves nothing that
/// anyone reads. What is read is checked: a damaged or missing file only means that the step runs.
package struct LocalStore: ResultStore {
  /// Files from this size on are kept alone, so that file systems can share their blocks.
  static let largeBytes: Int64 = 1 << 20
  /// The maximum number of results that are tried for a task.
  static let resultsMax = 50

  /// The maximum size of the record of a result in bytes.
  static let recordBytesMax = 64 << 20

  /// The path of the folder.
  let path: String

  /// Creates a store; the folder is made when something is kept.
  package init(at path: String) { self.path = path }

  // MARK: Reading

  package func results(of task: String) -> [StoredResult] {
    Self.records(of: task, in: path).compactMap { bytes in
      let result = StoredRecord.result(in: bytes)
      return result?.task == task ? result : nil
    }
  }

  /// Returns the records of a task in a folder of results, newest first.
  static func records(of task: String, in path: String) -> [[UInt8]] {
    let folder = path + "/results/" + task
    let files = FolderReader.names(in: folder).filter { $0.hasSuffix(".json") }.compactMap { name in
      (try? Stat(at: folder + "/" + name)).map { (name: name, time: $0.modifiedNanoseconds) }
    }
    return files.sorted { $0.time > $1.time }.prefix(resultsMax).compactMap {
      fileContents(folder + "/" + $0.name, upTo: recordBytesMax)
    }
  }

  func resultPath(_ result: StoredResult) -> String {
    "\(path)/results/\(result.task)/\(result.id).json"
  }

  func packPath(_ id: String) -> String { path + "/packs/" + id }

  func objectPath(_ content: String) -> String {
    "\(path)/objects/\(content.prefix(2))/\(content)"
  }

  // MARK: Writing

  package func save(_ result: StoredResult, from folder: String, isShareable: Bool) throws {
    let temporary = path + "/tmp/" + result.id
    for name in ["/tmp", "/packs", "/results/" + result.task] { try makeFolderTree(path + name) }
    var result = result
    do {
      var pack = try PackWriter(temporary + ".pack")
      for index in result.files.indices where result.files[index].isFile {
        let file = result.files[index]
        if file.size < Self.largeBytes {
          result.files[index].offset = try pack.add(file, from: folder)
        } else {
          result.files[index].stamp = try saveObject(file, from: folder, temporary)
        }
      }
      if try pack.end() {
        try renameFile(temporary + ".pack", to: packPath(result.id))
      } else {
        try? removeFile(temporary + ".pack")
      }
      try writeFile(try StoredRecord.bytes(of: result), to: temporary + ".json")
      try renameFile(temporary + ".json", to: resultPath(result))
    } catch {
      for name in [temporary + ".pack", temporary + ".json", temporary] { try? removeFile(name) }
      throw error
    }
  }

  /// Keeps a large file, unless it is kept already.
  ///
  /// - Returns: What tells later that it is still as it was written.
  private func saveObject(
    _ file: StoredResult.File, from folder: String, _ temporary: String
  ) throws -> String? {
    let kept = objectPath(file.content)
    if let state = try? FileState.now(at: kept), state.content == file.content {
      return state.attributes
    }
    let source = try OpenFile(joinedPath(folder, file.path), options: .noFollow)
    let before = try source.status()
    do {
      let copy = try OpenFile(
        temporary, .writeOnly, options: [.create, .exclusiveCreate],
        permissions: .ownerReadWrite)
      try copyContents(from: source.descriptor, to: copy.descriptor)
      try setMode(file.mode & 0o100 | 0o400, ofDescriptor: copy.descriptor)
    }
    let after = try source.status()
    guard before.statusChangedNanoseconds == after.statusChangedNanoseconds,
      before.size == file.size, try FileState.now(at: temporary)?.content == file.content
    else { throw StoreProblem("\"\(file.path)\" changes") }
    try makeFolderTree("\(path)/objects/\(file.content.prefix(2))")
    try renameFile(temporary, to: kept)
    return (try? FileState.now(at: kept))?.attributes
  }

  /// Whether a result is kept here.
  func has(_ result: StoredResult) -> Bool { (try? Stat(at: resultPath(result))) != nil }

  /// Keeps a result of another store, after its files have been checked.
  ///
  /// - Parameters:
  ///   - result: The result.
  ///   - get: Copies the file of a name to a new file.
  /// - Throws: ``StoreProblem`` if a file is not what the result says, or an error of `get`.
  func add(_ result: StoredResult, _ get: (_ name: String, _ path: String) throws -> Void) throws {
    let temporary = path + "/tmp/" + result.id
    for name in ["/tmp", "/packs", "/results/" + result.task] { try makeFolderTree(path + name) }
    defer { for name in [".pack", ".json", ""] { try? removeFile(temporary + name) } }
    var result = result
    let packed = result.files.filter { $0.offset != nil }
    if !packed.isEmpty {
      try get("packs/" + result.id, temporary + ".pack")
      let pack = try PackReader(temporary + ".pack")
      for file in packed { _ = try pack.content(of: file) }
    }
    for index in result.files.indices {
      let file = result.files[index]
      guard file.isFile, file.offset == nil else { continue }
      let kept = objectPath(file.content)
      if (try? FileState.now(at: kept))?.content != file.content {
        try get("objects/" + file.content, temporary)
        let copy = try OpenFile(temporary)
        try setMode(file.mode & 0o100 | 0o400, ofDescriptor: copy.descriptor)
        guard try FileState.now(at: temporary)?.content == file.content else {
          throw StoreProblem(
            "the content of \"\(file.path)\" is not what it should be", isAboutContent: true)
        }
        try makeFolderTree("\(path)/objects/\(file.content.prefix(2))")
        try renameFile(temporary, to: kept)
      }
      result.files[index].stamp = (try? FileState.now(at: kept))?.attributes
    }
    if !packed.isEmpty { try renameFile(temporary + ".pack", to: packPath(result.id)) }
    try writeFile(try StoredRecord.bytes(of: result), to: temporary + ".json")
    try renameFile(temporary + ".json", to: resultPath(result))
  }

  // MARK: Restoring

  package func restore(
    _ result: StoredResult, in folder: String, removing: [String: String]
  ) throws {
    let root = try OpenFolder(folder)
    try? makeFolderTree(path + "/tmp")
    var restoring = Restoring(root, in: folder, workshop: try? OpenFolder(path + "/tmp"))
    let needed = try restoring.needed(result.files)
    // Nothing has been changed until here, so whatever is missing is only a miss.
    let pack = needed.contains { $0.offset != nil } ? try PackReader(packPath(result.id)) : nil
    for file in needed where file.isFile && file.offset == nil { try check(file) }
    for file in needed {
      if file.isFile {
        try restoring.make(file) { target in
          if file.offset != nil {
            try pack?.copy(file, to: target)
          } else {
            let object = try OpenFile(objectPath(file.content))
            try copyContents(from: object.descriptor, to: target)
          }
        }
      } else {
        try restoring.makeOther(file)
      }
    }
    restoring.remove(removing)
    try restoring.setModes()
    // The least recently used are deleted first.
    if let file = try? OpenFile(resultPath(result)) {
      try? setModified(nanosecondsSince1970(), ofDescriptor: file.descriptor)
    }
  }

  /// Checks that a large file is there, and as it was written.
  private func check(_ file: StoredResult.File) throws {
    let kept = objectPath(file.content)
    let state = try FileState.now(
      at: kept, like: FileState(content: file.content, attributes: file.stamp))
    guard state?.content == file.content else {
      try? removeFile(kept)
      throw StoreProblem("the kept content of \"\(file.path)\" is damaged or gone")
    }
  }
}

extension StoredResult {
  /// Whether its names can be used: a store may be shared with others.
  var isWellFormed: Bool {
    let names = "0123456789abcdefghijklmnopqrstuvwxyz"
    return id.allSatisfy(names.contains) && !id.isEmpty
      && files.allSatisfy { $0.isWellFormed }
  }
}

extension StoredResult.File {
  /// Whether it is a file, not a link or a folder.
  var isFile: Bool { content.utf8.count == 64 && content.allSatisfy(\.isHexDigit) }

  /// The text of a link; nil for others.
  var linkTarget: String? { content.hasPrefix("link ") ? String(content.dropFirst(5)) : nil }

  var isWellFormed: Bool {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    // Those who share a store must not reach what others run without asking.
    return ![".git", ".reprise"].contains(parts[0])
      && !parts.contains { ["", ".", ".."].contains($0) } && !path.utf8.contains(0)
      && (isFile || linkTarget != nil || content == "folder")
  }
}
