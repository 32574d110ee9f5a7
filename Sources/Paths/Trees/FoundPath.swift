// The kind and status of the file at a path.

package import Platform

/// The file at a path.
package struct FoundPath {
  /// The kind of a file.
  package enum Kind: Equatable {
    case file
    case folder
    case linkToFile
    case linkToFolder
    /// A symbolic link whose target does not exist or cannot be accessed, or a cycle of links.
    case brokenLink(Errno)
    /// A pipe, a socket, a device, or a symbolic link to one of these.
    case other
  }

  /// The kind of the file.
  package let kind: Kind
  /// The status of the file itself, which may be a symbolic link.
  package let status: Stat

  /// Reads the status of a path.
  ///
  /// - Parameters:
  ///   - path: The bytes of a path, or of a name in `folder`; they need not be UTF-8.
  ///   - folder: The descriptor of the folder; the current directory if nil.
  /// - Throws: The error of the system; ``Errno/isMissing`` is true if there is no file.
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
