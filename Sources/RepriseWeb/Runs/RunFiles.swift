// The files in the folder of a run, `run.dir`: their names, and the bytes of one of them.

import Platform
import Reprise
import RepriseJournal

/// The files that the steps of a run have left in its folder.
///
/// Names are used one by one in an open folder, and no link is followed: nothing outside of the
/// folder can be read, even if steps have put links into it.
struct RunFiles: Encodable {
  struct File: Encodable {
    let path: String
    let size: Int64
  }

  /// The maximum number of files that are listed, depth of folders, and size of a file in bytes.
  private static let (filesMax, depthMax, bytesMax) = (1_000, 16, Int64(64) << 20)

  private(set) var files: [File] = []
  /// Whether there are more files.
  private(set) var more = false

  /// Lists the files of a run; none if it has no folder.
  init(of run: RunID, in directory: StateDirectory) {
    guard let folder = Self.folder(of: run, in: directory) else { return }
    add(folder, path: "", depth: 0)
    files.sort { $0.path < $1.path }
  }

  private static func folder(of run: RunID, in directory: StateDirectory) -> OpenFolder? {
    try? OpenFolder(directory.filesPath).folder(run.description)
  }

  private mutating func add(_ folder: OpenFolder, path: String, depth: Int) {
    for name in ((try? folder.names()) ?? []).sorted() {
      guard let status = folder.status(of: name) else { continue }
      switch status.type {
      case .regular:
        guard files.count < Self.filesMax else {
          more = true
          return
        }
        files.append(File(path: path + name, size: status.size))
      case .directory:
        guard depth < Self.depthMax, let inner = try? folder.folder(name) else {
          more = true
          continue
        }
        add(inner, path: path + name + "/", depth: depth + 1)
      default: continue
      }
    }
  }

  /// Reads a file of a run.
  ///
  /// - Throws: ``Refusal`` if there is none, or if it is too large.
  static func bytes(
    of path: String, of run: RunID, in directory: StateDirectory
  ) throws(Refusal) -> [UInt8] {
    let missing = Refusal(404, "the run has no file \"\(abridged(path))\"")
    let names = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard names.allSatisfy({ !["", ".", ".."].contains($0) && !$0.utf8.contains(0) }),
      names.count <= depthMax + 1, let name = names.last,
      var folder = folder(of: run, in: directory)
    else { throw missing }
    do {
      for inner in names.dropLast() { folder = try folder.folder(inner) }
      let file = try folder.file(name)
      let status = try file.status()
      guard status.type == .regular else { throw missing }
      let bytes = status.size > bytesMax ? nil : try file.readAll(upTo: Int(bytesMax))
      guard let bytes, bytes.count <= bytesMax else {
        throw Refusal(409, "the file has more than \(bytesMax >> 20) MiB")
      }
      return bytes
    } catch {
      throw (error as? Refusal) ?? missing
    }
  }
}
