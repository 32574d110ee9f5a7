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

  /// The content of what is neither a file, a link nor a folder.
  package static let unknown = "neither a file nor a folder"

  package init(content: String, attributes: String?) {
    self.content = content
    self.attributes = attributes
  }

  package static func == (one: FileState, other: FileState) -> Bool { one.content == other.content }

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
    let content: String
    switch status.type {
    case .regular:
      guard let hash = try contentHash(ofFile: path) else { return nil }
      content = hash
    case .symbolicLink: content = "link " + (linkTarget(path) ?? "")
    case .directory: return FileState(content: "folder", attributes: nil)
    default: return FileState(content: unknown, attributes: nil)
    }
    let age = nanosecondsSince1970() - status.statusChangedNanoseconds
    // Before Linux 6.13, times are counted in ticks of up to 10 ms.
    return FileState(content: content, attributes: age < 50_000_000 ? nil : attributes)
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
    let parts = text.split(separator: "\0", maxSplits: 1, omittingEmptySubsequences: false)
    content = String(parts[0])
    attributes = parts.count > 1 ? String(parts[1]) : nil
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(attributes.map { content + "\0" + $0 } ?? content)
  }
}
