// What is at a path, with its status.

package import Platform

/// What is at a path.
package struct FoundPath {
  /// What it is.
  package enum Kind: Equatable {
    case file
    case folder
    case linkToFile
    case linkToFolder
    /// A symbolic link that leads to nothing, or to itself, or to what may not be looked at.
    case brokenLink(Errno)
    /// A pipe, a socket, a device, or a symbolic link to one of these.
    case other
  }

  /// What it is.
  package let kind: Kind
  /// The status of what is at the path itself, which may be a symbolic link.
  package let status: Stat

  /// Looks at a path.
  ///
  /// - Parameters:
  ///   - path: The bytes of a path, or of a name in a folder; they need not be UTF-8.
  ///   - folder: The descriptor of that folder; the current one where it is nil.
  /// - Throws: The error of the system; where nothing is there, ``Errno/isMissing``.
  package init(_ path: [UInt8], in folder: Int32? = nil) throws(Errno) {
    status = try Stat(bytes: path, in: folder, followsLink: false)
    kind =
      switch status.type {
      case .regular: .file
      case .directory: .folder
      case .symbolicLink: Self.kind(ofLink: path, in: folder)
      default: .other
      }
  }

  private static func kind(ofLink path: [UInt8], in folder: Int32?) -> Kind {
    do throws(Errno) {
      return switch try Stat(bytes: path, in: folder, followsLink: true).type {
      case .regular: .linkToFile
      case .directory: .linkToFolder
      default: .other
      }
    } catch {
      return .brokenLink(error)
    }
  }
}
