// Runs code in a forked process, so that a trap, a hang or a leak of the engine ends only that
// process.

import Foundation

@_silgen_name("fork") private func systemFork() -> Int32

/// A forked process that runs a closure and writes lines.
struct ChildProcess {
  /// The end of a process, and its output.
  struct Ended {
    let output: String
    let errors: String
    /// The signal that ended the process; 0 if it exited.
    let signal: Int32
  }

  private let pid: Int32
  private let output: Int32
  private let errors: Int32

  /// Starts a process.
  ///
  /// The calling process must have only one thread.
  ///
  /// - Parameters:
  ///   - seconds: The number of seconds after which `SIGALRM` ends the process.
  ///   - body: What the process does; gets a function that writes text to the parent.
  init(seconds: UInt32, _ body: (_ write: (String) -> Void) -> Void) {
    var (first, second): ([Int32], [Int32]) = ([0, 0], [0, 0])
    pipe(&first)
    pipe(&second)
    let ends = first + second
    fflush(nil)
    pid = systemFork()
    if pid == 0 {
      alarm(seconds)
      dup2(ends[3], 2)
      // A child that keeps writing errors must not wait for a reader.
      _ = fcntl(2, F_SETFL, O_NONBLOCK)
      body { text in
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
          let count = bytes.withUnsafeBytes { write(ends[1], $0.baseAddress, $0.count) }
          guard count > 0 else { return }
          bytes = bytes.dropFirst(count)
        }
      }
      fflush(nil)
      _exit(0)
    }
    close(ends[1])
    close(ends[3])
    (output, errors) = (ends[0], ends[2])
  }

  /// Waits for the end of the process.
  func wait() -> Ended {
    let (text, complaint) = (Self.readAll(output), Self.readAll(errors))
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    return Ended(output: text, errors: complaint, signal: status & 0x7F)
  }

  private static func readAll(_ descriptor: Int32) -> String {
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes += buffer.prefix(count)
    }
  }
}

extension ChildProcess.Ended {
  /// The failure of a process that was ended by a signal.
  var failure: Failure? {
    guard signal != 0 else { return nil }
    if signal == SIGALRM { return Failure(oracle: "hang", message: "the process does not end") }
    let lines = errors.split(separator: "\n").filter { $0.contains("atal error") }
    return Failure(
      oracle: "trap",
      message: String((lines.first ?? "ended by signal \(signal)").prefix(500)))
  }
}
