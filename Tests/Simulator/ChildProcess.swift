// Work in a forked process, so that a trap of the engine, a hang or a leak ends that process alone.

import Foundation

@_silgen_name("fork") private func systemFork() -> Int32

/// A forked process that does something and writes lines.
struct ChildProcess {
  /// How it ended and what it wrote.
  struct Ended {
    let output: String
    let errors: String
    /// The signal that ended it; 0 when it ended by itself.
    let signal: Int32
  }

  private let pid: Int32
  private let output: Int32
  private let errors: Int32

  /// Starts one.
  ///
  /// Only for processes with one thread.
  ///
  /// - Parameters:
  ///   - seconds: After how many seconds it is ended by `SIGALRM`.
  ///   - body: What it does, with a function that writes text for the parent.
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
      // A child that complains without end must not wait for a reader.
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

  /// Waits for its end.
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
  /// What a process that did not end by itself failed with.
  var failure: Failure? {
    guard signal != 0 else { return nil }
    if signal == SIGALRM { return Failure(oracle: "hang", message: "it does not end") }
    let lines = errors.split(separator: "\n").filter { $0.contains("atal error") }
    return Failure(
      oracle: "trap",
      message: String((lines.first ?? "ended by signal \(signal)").prefix(500)))
  }
}
