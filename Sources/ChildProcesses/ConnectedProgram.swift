// Programs that talk with this process through their standard input and output.

import Dispatch
package import Platform
import Synchronization

/// A program that receives lines from this process and sends lines to it, until either ends.
///
/// Its connection ends with this process. It is not part of any step, so no tree owns it.
package final class ConnectedProgram: Sendable {
  private let process: Int32
  private let socket: Int32
  private let writing = DispatchQueue(label: "reprise.connection.writing")
  private let reading = DispatchQueue(label: "reprise.connection.reading")
  private let isClosed = Mutex(false)
  private let signal: Int32?
  private let errors: OpenFile

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - arguments: The program, which is looked up in `PATH`, and its arguments.
  ///   - variables: Environment variables in addition to those of this process.
  ///   - signal: The signal that ends it; nil if it ends by itself when the connection has ended.
  /// - Throws: The system error if it could not be started.
  package init(
    _ arguments: [String], variables: [String: String] = [:],
    endedBy signal: Int32? = SignalNumber.terminate
  ) async throws(Errno) {
    self.signal = signal
    // Not a pipe: the program may outlive this process, and must not end for a message.
    errors = try Self.unnamedFile()
    guard let ends = socketPair() else { throw .tooManyOpenFiles }
    socket = ends.0
    defer { closeDescriptor(ends.1) }
    let messages = errors.descriptor
    do throws(Errno) {
      process = try await Reactor.shared.introduceDetached { () throws(Errno) in
        try DetachedProgram(
          arguments, errors: messages, connection: ends.1, variables: variables
        ).process
      }
    } catch {
      closeDescriptor(ends.0)
      throw error
    }
  }

  /// A file for messages that ends with its last descriptor; what is written is dropped if there can
  /// be none.
  private static func unnamedFile() throws(Errno) -> OpenFile {
    let path =
      TemporaryFiles.prefix("errors", environmentVariable("TMPDIR"))
      + String(UInt64.random(in: 0 ... .max))
    do throws(Errno) {
      let file = try OpenFile(
        path, .readWrite, options: [.create, .exclusiveCreate, .noFollow, .append],
        permissions: .ownerReadWrite)
      try? removeFile(path)
      return file
    } catch {
      return try OpenFile("/dev/null", .readWrite)
    }
  }

  private static let complaintBytesMax = 4096

  /// The last line that the program has written to its standard error; empty if there is none.
  package var complaint: String {
    let size = (try? errors.status().size).map { Int64($0) } ?? 0
    let start = max(0, size - Int64(Self.complaintBytesMax))
    var buffer = [UInt8](repeating: 0, count: Self.complaintBytesMax)
    guard let count = try? errors.readOnce(at: start, into: &buffer) else { return "" }
    let text = String(decoding: buffer[..<count], as: UTF8.self)
    let lines = text.split(whereSeparator: \.isNewline)
    return lines.last { $0.contains { !$0.isWhitespace } }.map(String.init) ?? ""
  }

  /// Starts receiving; called once.
  ///
  /// - Parameters:
  ///   - onBytes: Called with the bytes that arrive, on one thread; it may block.
  ///   - onEnd: Called once when the connection has ended.
  package func receive(
    _ onBytes: @escaping @Sendable ([UInt8]) -> Void, onEnd: @escaping @Sendable () -> Void
  ) {
    reading.async { [self] in
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        guard let count = readBytes(socket, into: &buffer) else {
          waitUntilReadable(socket)
          continue
        }
        guard count > 0 else { break }
        onBytes(Array(buffer[..<count]))
      }
      onEnd()
      close()
    }
  }

  /// Sends bytes, in the order of the calls.
  ///
  /// Returns immediately.
  package func send(_ bytes: [UInt8]) {
    writing.async { [self] in
      guard !isClosed.withLock({ $0 }) else { return }
      // An engine in another program must not end because a connection has.
      try? sendAllBytes(bytes, to: socket)
    }
  }

  /// Ends the program.
  package func end() {
    shutDownSocket(socket)
    if let signal { sendSignal(signal, to: process) }
  }

  private func close() {
    if let signal { sendSignal(signal, to: process) }
    writing.async { [self] in
      isClosed.withLock { $0 = true }
      closeDescriptor(socket)
      reap(triesLeft: 100)
    }
  }

  private func reap(triesLeft: Int) {
    Reactor.shared.reapDetached(process)
    guard processExists(process), triesLeft > 0 else { return }
    if triesLeft == 20, signal != nil { sendSignal(SignalNumber.kill, to: process) }
    writing.asyncAfter(deadline: .now() + .milliseconds(50)) { [self] in
      reap(triesLeft: triesLeft - 1)
    }
  }
}
