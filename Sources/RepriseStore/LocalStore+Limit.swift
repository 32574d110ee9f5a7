// Keeps a store below its limit.

import Platform
import Reprise

extension LocalStore {
  /// The maximum size of a store without a limit of its own, in bytes.
  package static let usualLimit: Int64 = 2 << 30

  /// The time after which files that no result refers to are deleted: another process may be about to
  /// write the result.
  private static let unusedNanoseconds: Int64 = 600 * 1_000_000_000

  /// A file of the store.
  private struct Found {
    let path: String
    /// The bytes that it takes on the disk.
    let size: Int64
    let modified: Int64

    init?(_ path: String) {
      guard let status = try? Stat(at: path, followsLink: false), status.type == .regular else {
        return nil
      }
      self.path = path
      size = status.sizeAllocated
      modified = status.modifiedNanoseconds
    }
  }

  /// Deletes the results that have not been used for the longest time until a limit is kept, and the files
  /// that no result refers to any more.
  ///
  /// Sizes are those on the disk. What cannot be deleted is left alone. Linear in the number of files, and reads
  /// the results only if the limit is exceeded.
  ///
  /// - Parameter limit: The maximum size in bytes.
  package func delete(exceeding limit: Int64) {
    let now = nanosecondsSince1970()
    let results = files("results", depth: 1).sorted { $0.modified > $1.modified }
    let objects = files("objects", depth: 1)
    let packs = files("packs", depth: 0)
    guard (results + objects + packs).reduce(0, { $0 + $1.size }) > limit else { return }
    let sizes = Dictionary(
      objects.map { ($0.path, $0.size) }, uniquingKeysWith: { first, _ in first })
    var used: Set<String> = []
    var size: Int64 = 0
    for file in results {
      guard let bytes = fileContents(file.path), let result = StoredRecord.result(in: bytes)
      else {
        // Of another version, or damaged.
        try? removeFile(file.path)
        continue
      }
      let pack = packPath(result.id)
      let kept = Set(
        result.files.filter { $0.isFile && $0.offset == nil }.map { objectPath($0.content) })
      let new = kept.subtracting(used)
      size += file.size + (Found(pack)?.size ?? 0) + new.reduce(0) { $0 + (sizes[$1] ?? 0) }
      guard size <= limit else {
        try? removeFile(file.path)
        try? removeFile(pack)
        continue
      }
      used.formUnion(kept)
      used.insert(pack)
    }
    for file in objects + packs + files("tmp", depth: 0)
    where !used.contains(file.path) && now - file.modified > Self.unusedNanoseconds {
      try? removeFile(file.path)
    }
  }

  private func files(_ part: String, depth: Int) -> [Found] {
    let folder = path + "/" + part
    let names = FolderReader.names(in: folder)
    guard depth > 0 else { return names.compactMap { Found(folder + "/" + $0) } }
    return names.flatMap { files(part + "/" + $0, depth: depth - 1) }
  }
}
