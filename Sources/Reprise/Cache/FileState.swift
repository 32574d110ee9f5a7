// `FileState`: what a file is, as far as a step depends on it.

package import Paths
import Platform

/// What a file, link or folder is.
///
/// Two are equal if a step cannot tell them apart by what it reads; times do not count.
package struct FileState: Sendable, Equatable {
  /// A hash of the content and the execute permission of a file, or of the target of a link; for
  /// others, what kind they are.
  package let content: String
  /// The size, times, inode and mode, by which a file is recognized without reading it; nil if the
  /// file is so young that another change might not show in its times.
  package let attributes: String?
  /// The permissions of a file or folder; 0 if they are those that a umask usually leaves, which may differ from
  /// machine to machine.
  package let permissions: UInt32

  /// The content of what is neither a file, a link nor a folder.
  package static let unknown = "neither a file nor a folder"

  package init(content: String, attributes: String?, permissions: UInt32 = 0) {
    self.content = content
    self.attributes = attributes
    self.permissions = Self.usualPermissions.contains(permissions & 0o777) ? 0 : permissions & 0o777
  }

  private static let usualPermissions: Set<UInt32> = [0o644, 0o664, 0o666, 0o755, 0o775, 0o777]

  package static func == (one: FileState, other: FileState) -> Bool {
    one.content == other.content && one.permissions == other.permissions
  }

  /// Reads what is at a path.
  ///
  /// Reads a file only if its attributes are not those of its known state.
  ///
  /// - Parameters:
  ///   - path: The path; a link is not followed.
  ///   - known: An earlier state.
  /// - Returns: The state; nil if nothing is there.
  /// - Throws: ``FileError`` if it cannot be read.
  package static func now(
    at path: String, like known: FileState? = nil
  ) throws(FileError) -> FileState? {
    guard let status = try? Stat(at: path, followsLink: false) else { return nil }
    let attributes = status.text
    if let known, known.attributes == attributes { return known }
    let permissions = UInt32(status.mode.rawValue)
    switch status.type {
    case .regular:
      guard let content = try contentHash(ofFile: path) else { return nil }
      // A change while it was read would be taken for this content later.
      let after = try? Stat(at: path, followsLink: false)
      let age = nanosecondsSince1970() - status.statusChangedNanoseconds
      // Before Linux 6.13, times are counted in ticks of up to 10 ms.
      let isCertain = age >= 50_000_000 && after?.text == attributes
      return FileState(
        content: content, attributes: isCertain ? attributes : nil, permissions: permissions)
    case .symbolicLink:
      return FileState(content: "link " + (linkTarget(path) ?? ""), attributes: nil)
    case .directory:
      return FileState(content: "folder", attributes: nil, permissions: permissions)
    default: return FileState(content: unknown, attributes: nil)
    }
  }

  /// Returns what tells a file outside of the project from another one, without reading it.
  ///
  /// - Parameters:
  ///   - path: The path; a link is not followed.
  ///   - isListed: Whether the names in a folder count.
  /// - Returns: The mark; nil if nothing is there.
  static func mark(of path: String, isListed: Bool) -> String? {
    guard let status = try? Stat(at: path, followsLink: false) else { return nil }
    if status.type == .directory {
      return isListed ? "folder \(status.modifiedNanoseconds)" : "folder"
    }
    return "\(status.size):\(status.modifiedNanoseconds):\(status.inode.rawValue)"
  }
}

extension Stat {
  fileprivate var text: String {
    "\(size):\(modifiedNanoseconds):\(statusChangedNanoseconds):\(inode.rawValue):"
      + String(mode.rawValue, radix: 8)
  }
}

extension FileState: Codable {
  package init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    let parts = text.split(separator: "\0", maxSplits: 2, omittingEmptySubsequences: false)
    self.init(
      content: String(parts[0]),
      attributes: parts.count > 1 && !parts[1].isEmpty ? String(parts[1]) : nil,
      permissions: parts.count > 2 ? UInt32(parts[2], radix: 8) ?? 0 : 0)
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    var parts = [content]
    if attributes != nil || permissions != 0 { parts.append(attributes ?? "") }
    if permissions != 0 { parts.append(String(permissions, radix: 8)) }
    try container.encode(parts.joined(separator: "\0"))
  }
}
