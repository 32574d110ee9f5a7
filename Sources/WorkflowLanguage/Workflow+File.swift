// Workflows from files and texts: the way in. Reads bytes; what they mean is the reader's business.

import YAML

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension Workflow {
  /// Reads a workflow from a file.
  ///
  /// - Parameter path: The path of the file.
  /// - Throws: ``WorkflowError`` with every mistake of the file, or the reason why it cannot be read.
  public init(contentsOf path: String) throws(WorkflowError) {
    try self.init(bytes: try Self.bytes(of: path), file: path)
  }

  /// Reads a workflow from a text.
  ///
  /// - Parameters:
  ///   - text: The text of a workflow file.
  ///   - file: The name that messages give to it.
  /// - Throws: ``WorkflowError`` with every mistake.
  public init(text: String, file: String) throws(WorkflowError) {
    try self.init(bytes: Array(text.utf8), file: file)
  }

  /// Reads a workflow from bytes, which need not be well-formed.
  ///
  /// - Parameters:
  ///   - bytes: The bytes of a workflow file.
  ///   - file: The name that messages give to it.
  /// - Throws: ``WorkflowError`` with every mistake.
  public init(bytes: [UInt8], file: String) throws(WorkflowError) {
    let source = SourceText(bytes)
    var reader = WorkflowReader(file: file, source: source)
    let base = file.split(separator: "/").last ?? "workflow"
    let name = base.split(separator: ".").first ?? base
    self = try reader.workflow(from: Document(source), defaultName: String(name))
  }

  /// Reads a file whole, up to a byte more than the language allows.
  ///
  /// - Parameter path: The path of the file.
  /// - Returns: Its bytes.
  /// - Throws: ``WorkflowError`` when it cannot be read.
  public static func bytes(of path: String) throws(WorkflowError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw unreadable(path, errno) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count <= SourceText.bytesMax {
      let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw unreadable(path, errno) }
      guard count > 0 else { break }
      bytes += buffer[..<count]
    }
    return bytes
  }

  private static func unreadable(_ path: String, _ error: Int32) -> WorkflowError {
    let message = "cannot be read: " + String(cString: strerror(error))
    return WorkflowError(diagnostics: [
      Diagnostic(
        severity: .error, file: path, line: 0, column: 0, length: 0, message: message, hint: nil,
        sourceLine: "")
    ])
  }
}
