// Workflows from files and texts: the way in. Reads bytes; what they mean is the reader's business.

import Platform
import YAML

extension Workflow {
  /// Reads a workflow from a file.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - arguments: What the run is given.
  ///   - actions: What its steps may call; what they call is not checked when nil.
  /// - Throws: ``WorkflowError`` with every mistake of the file, or the reason why it cannot be read.
  public init(
    contentsOf path: String, with arguments: Arguments = Arguments(),
    actions: ActionCatalog? = nil
  ) throws(WorkflowError) {
    try self.init(bytes: try Self.bytes(of: path), file: path, with: arguments, actions: actions)
  }

  /// Reads a workflow from a text.
  ///
  /// - Parameters:
  ///   - text: The text of a workflow file.
  ///   - file: The name that messages give to it; files that it uses are looked for beside it.
  ///   - arguments: What the run is given.
  ///   - actions: What its steps may call; what they call is not checked when nil.
  /// - Throws: ``WorkflowError`` with every mistake.
  public init(
    text: String, file: String, with arguments: Arguments = Arguments(),
    actions: ActionCatalog? = nil
  ) throws(WorkflowError) {
    try self.init(bytes: Array(text.utf8), file: file, with: arguments, actions: actions)
  }

  /// Reads a workflow from bytes, which need not be well-formed.
  ///
  /// - Parameters:
  ///   - bytes: The bytes of a workflow file.
  ///   - file: The name that messages give to it; files that it uses are looked for beside it.
  ///   - sources: Where the files come from that it uses.
  ///   - arguments: What the run is given.
  ///   - actions: What its steps may call; what they call is not checked when nil.
  /// - Throws: ``WorkflowError`` with every mistake.
  public init(
    bytes: [UInt8], file: String, sources: SourceFiles = .disk,
    with arguments: Arguments = Arguments(), actions: ActionCatalog? = nil
  ) throws(WorkflowError) {
    self = try WorkflowText(bytes, file: file).workflow(
      from: sources, with: arguments, actions: actions)
  }

  /// Reads a file whole, up to a byte more than the language allows.
  ///
  /// - Parameter path: The path of the file.
  /// - Returns: Its bytes.
  /// - Throws: ``WorkflowError`` when it cannot be read.
  package static func bytes(of path: String) throws(WorkflowError) -> [UInt8] {
    do throws(Errno) {
      let file = try OpenFile(path)
      return try file.readAll(upTo: SourceText.bytesMax)
    } catch {
      throw WorkflowError(diagnostics: [
        Diagnostic(.unreadable(.failed("\(error)")), file: path)
      ])
    }
  }

  /// Reads a regular file whole, as ``bytes(of:)`` does, and refuses everything else.
  ///
  /// For files that another file names: a FIFO would be waited for without end.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - bytesMax: How many bytes are read; one more where there are more.
  /// - Returns: Its bytes.
  /// - Throws: ``ReadError`` when it is no regular file or cannot be read.
  static func bytes(
    ofRegularFile path: String, upTo bytesMax: Int = SourceText.bytesMax
  ) throws(ReadError) -> [UInt8] {
    do throws(Errno) {
      let file = try OpenFile(path, options: [.nonBlocking, .noControllingTerminal])
      switch try file.status().type {
      case .regular: return try file.readAll(upTo: bytesMax)
      case .directory: throw Errno.isDirectory
      // The error of a socket, which cannot be opened at all.
      default: throw Errno.noSuchAddressOrDevice
      }
    } catch {
      throw error == .noSuchAddressOrDevice ? .notRegular : .failed("\(error)")
    }
  }
}

extension Arguments {
  /// Reads a file of parameters: a map in YAML or JSON.
  ///
  /// - Parameters:
  ///   - bytes: The bytes of the file.
  ///   - file: The name that messages give to it.
  /// - Returns: The texts by name.
  /// - Throws: ``WorkflowError`` with every mistake.
  package static func texts(in bytes: [UInt8], file: String) throws(WorkflowError) -> [String:
    String]
  {
    let source = SourceText(bytes)
    var reader = Reader(file: file, source: source)
    // JSON may have characters in its texts that YAML has not.
    if bytes.first(where: { $0 > 0x20 }) == UInt8(ascii: "{"),
      let text = String(validating: bytes, as: UTF8.self),
      case .map(let values)? = try? Value(json: text)
    {
      return values.mapValues(\.asText)
    }
    let document = Document(source)
    reader.report(document.problems)
    var texts: [String: String] = [:]
    if let root = document.root, !root.isNull {
      for (name, _, value) in reader.named(root, "a file of parameters", .identifier) {
        texts[name] = reader.scalar(value, "the parameter \"\(name)\"")
      }
    }
    guard reader.mistakeCount == 0 else {
      throw WorkflowError(
        diagnostics: reader.sortedDiagnostics(), mistakeCount: reader.mistakeCount)
    }
    return texts
  }
}
