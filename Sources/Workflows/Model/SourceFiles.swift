// Access to the files of a workflow: those on disk, or those that were saved with a run.

import Platform

/// The source of the files that a workflow uses.
package struct SourceFiles: Sendable {
  private let kept: [String: String]?
  /// Texts that were saved with a run under keys that are not paths.
  private var lists: [String: String] = [:]

  /// The files on disk.
  package static let disk = SourceFiles(kept: nil)

  private init(kept: [String: String]?) {
    self.kept = kept
  }

  /// Returns the files on disk, with the lists of files that were saved with a run.
  ///
  /// - Parameter texts: The texts that were saved.
  /// - Returns: The files.
  package static func disk(listedIn texts: [String: String]) -> SourceFiles {
    var files = disk
    files.lists = texts
    return files
  }

  /// Returns the files that were saved with a run; there are no other files.
  ///
  /// - Parameter texts: The contents, by path relative to the folder of the main workflow file.
  /// - Returns: The files.
  package static func kept(_ texts: [String: String]) -> SourceFiles {
    SourceFiles(kept: texts)
  }

  /// Returns the contents of a file.
  ///
  /// - Parameters:
  ///   - path: Its path on disk.
  ///   - key: Its path relative to the folder of the main workflow file.
  ///   - bytesMax: The maximum size in bytes.
  /// - Returns: Its bytes, at most one more than the maximum.
  /// - Throws: ``ReadError``.
  package func bytes(
    _ path: String, keptAs key: String, upTo bytesMax: Int
  ) throws(ReadError) -> [UInt8] {
    guard let kept else { return try Self.bytes(ofRegularFile: path, upTo: bytesMax) }
    guard let text = kept[key] else { throw .notKept }
    return Array(text.utf8)
  }

  /// Returns a text that was saved with a run under a key that is not a path; nil if there is none.
  package func keptText(_ key: String) -> String? { (kept ?? lists)[key] }

  /// Returns the contents of a dotenv file.
  ///
  /// Always reads from disk, because dotenv files are never saved with a run.
  ///
  /// - Parameter path: The path of the file.
  /// - Returns: Its bytes, at most one more than ``dotenvBytesMax``.
  /// - Throws: ``ReadError`` if it is not a regular file or cannot be read.
  package func dotenv(_ path: String) throws(ReadError) -> [UInt8] {
    try Self.bytes(ofRegularFile: path, upTo: Self.dotenvBytesMax)
  }

  /// Returns whether a file is part of a project, after resolving links.
  ///
  /// Files that were saved with a run are not looked up on disk.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - project: The folder of the project.
  /// - Returns: Whether the file may be used.
  package func isInProject(_ path: String, _ project: @autoclosure () -> String) -> Bool {
    guard kept == nil else { return true }
    let folder = project()
    let real = realPath(path) ?? Self.joined(path.hasPrefix("/") ? "" : realPath(".") ?? "/", path)
    return real.hasPrefix(folder == "/" ? "/" : folder + "/")
  }

  /// Returns the folder of the project of a file: the nearest one above it with `.git`, or else the
  /// one that contains its `workflows`, or else its own folder.
  package static func project(ofFile path: String) -> String {
    let folder = absoluteFolder(of: normalized(path))
    var named: String?
    var next = folder
    while !next.isEmpty {
      if (try? Stat(at: next == "/" ? "/.git" : next + "/.git")) != nil { return next }
      if named == nil, next.hasSuffix("/workflows") { named = self.folder(of: next) }
      guard next != "/" else { break }
      next = self.folder(of: next)
    }
    return named ?? folder
  }

  /// Returns the path of a file relative to a folder; both are absolute, or both are relative.
  package static func relative(_ path: String, to folder: String) -> String {
    let (path, folder) = (path.split(separator: "/"), folder.split(separator: "/"))
    let common = zip(path, folder).prefix { $0 == $1 }.count
    let up = Array(repeating: Substring(".."), count: folder.count - common)
    return (up + path[common...]).joined(separator: "/")
  }

  /// Returns the folder of a file; empty for the current directory.
  package static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "" }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Returns the absolute path of the folder of a file, which need not exist.
  package static func absoluteFolder(of path: String) -> String {
    let folder = folder(of: path)
    if let real = realPath(folder.isEmpty ? "." : folder) { return real }
    return folder.hasPrefix("/") ? folder : joined(realPath(".") ?? "/", folder)
  }

  /// Returns a normalized path relative to a folder.
  package static func joined(_ folder: String, _ name: String) -> String {
    normalized(folder.isEmpty ? name : folder + "/" + name)
  }

  package static func normalized(_ path: String) -> String {
    var parts: [Substring] = []
    for part in path.split(separator: "/") where part != "." {
      if part == "..", let last = parts.last, last != ".." {
        parts.removeLast()
      } else if part != ".." || !path.hasPrefix("/") {
        parts.append(part)
      }
    }
    return (path.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
  }
}

extension SourceFiles {
  /// Reads a whole regular file, and refuses any other type of file.
  ///
  /// For files that another file names, because reading a FIFO could block forever.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - bytesMax: The maximum size in bytes; reads one more byte if the file is larger.
  /// - Returns: Its bytes.
  /// - Throws: ``ReadError`` if it is not a regular file or cannot be read.
  private static func bytes(
    ofRegularFile path: String, upTo bytesMax: Int
  ) throws(ReadError) -> [UInt8] {
    do throws(Errno) {
      let file = try OpenFile(path, options: [.nonBlocking, .noControllingTerminal])
      switch try file.status().type {
      case .regular: return try file.readAll(upTo: bytesMax)
      case .directory: throw Errno.isDirectory
      // The same error as for a socket, which cannot be opened at all.
      default: throw Errno.noSuchAddressOrDevice
      }
    } catch {
      throw error == .noSuchAddressOrDevice ? .notRegular : .failed("\(error)")
    }
  }
}

extension SourceFiles {
  /// The maximum size of a dotenv file, in bytes.
  package static let dotenvBytesMax = 1 << 20
  /// The maximum total size of all dotenv files of a workflow, in bytes.
  package static let allDotenvBytesMax = 16 << 20
}

/// The reason why a file cannot be read.
package struct ReadError: Error, Sendable, Equatable {
  package static let notRegular = Self(reason: "is not a regular file")
  package static let notKept = Self(reason: "was not saved with the run")

  /// The predicate that follows the name of the file.
  package let reason: String

  package static func failed(_ error: String) -> Self { Self(reason: "cannot be read: \(error)") }
}
