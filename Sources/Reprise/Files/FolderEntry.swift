// What stands at a path and in a folder, for whoever looks for files. Knows no patterns.

import Platform

/// Something in a folder.
///
/// Names and paths are bytes, since they need not be well-formed UTF-8.
struct FolderEntry {
  /// What it is.
  enum Kind {
    /// A regular file, or a symbolic link to one.
    case file
    case folder
    case linkToFolder
    /// Not known from the folder alone: a symbolic link, or a file system that does not tell.
    case unknown
    /// A pipe, a socket, a device, or a symbolic link to no file.
    case other
  }

  let name: [UInt8]
  let kind: Kind

  /// Reads a folder.
  ///
  /// - Parameters:
  ///   - path: Its path.
  ///   - followsLink: Whether it may be a symbolic link to a folder.
  /// - Returns: What it contains, in no order; nothing where there is no such folder.
  /// - Throws: ``FileError`` when it cannot be read.
  static func entries(
    ofFolder path: [UInt8], followsLink: Bool
  ) throws(FileError) -> [FolderEntry] {
    var entries: [FolderEntry] = []
    do throws(Errno) {
      var folder = try FolderReader(path, followsLink: followsLink)
      while let entry = try folder.next() {
        entries.append(FolderEntry(name: entry.name, kind: kind(entry.kind)))
      }
    } catch {
      // There is no such folder, or it was removed while it was read.
      guard error.isMissing else { throw .system(String(decoding: path, as: UTF8.self), error) }
    }
    return entries
  }

  private static func kind(_ kind: FolderReader.Kind) -> Kind {
    switch kind {
    case .file: .file
    case .folder: .folder
    case .link, .unknown: .unknown
    case .other: .other
    }
  }

  /// Looks at a path.
  ///
  /// - Parameter path: Any path.
  /// - Returns: What stands there, never ``Kind/unknown``; nil where there is nothing.
  /// - Throws: ``FileError`` when this cannot be told.
  static func kind(of path: [UInt8]) throws(FileError) -> Kind? {
    let isLink: Bool
    let status: Stat
    do throws(Errno) {
      let found = try Stat(bytes: path, followsLink: false)
      isLink = found.type == .symbolicLink
      status = isLink ? try target(of: path) ?? found : found
    } catch {
      if error.isMissing { return nil }
      throw .system(String(decoding: path, as: UTF8.self), error)
    }
    switch status.type {
    case .regular: return .file
    case .directory: return isLink ? .linkToFolder : .folder
    default: return .other
    }
  }

  /// What a link leads to; nil where it leads to nothing, or to itself.
  private static func target(of link: [UInt8]) throws(Errno) -> Stat? {
    do throws(Errno) {
      return try Stat(bytes: link, followsLink: true)
    } catch {
      guard error.isMissing else { throw error }
      return nil
    }
  }
}
