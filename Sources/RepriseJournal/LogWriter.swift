// Writes the output of steps to log files, each with an index of times.

import Platform
import Reprise
import Synchronization

/// Appends the output of attempts to their log files.
///
/// Keeps no file open, so 256 concurrent steps need no more descriptors than one step. If an
/// attempt writes more than a limit, keeps its first and its last output: the log file has the
/// first half, and parts of a quarter of the limit each have the rest, of which the last two are
/// kept. The name of a part has its offset, so no step is needed to complete a log.
final class LogWriter: Sendable {
  /// The log of the current attempt of a step.
  private struct Log {
    let generation: Int
    let attempt: Int
    /// The number of bytes that the attempt has written, including those that are not kept.
    var size: Int64
    /// The offsets of the parts that are kept, in order.
    var parts: [Int64] = []
    var lastTime: LogTimes.Entry?
  }

  /// The default limit of a log.
  static let bytesMaxDefault: Int64 = 64 << 20

  private let directory: StateDirectory
  private let bytesMax: Int64
  private let logs = Mutex<[String: Log]>([:])

  /// Creates a writer.
  ///
  /// - Parameters:
  ///   - directory: The state directory.
  ///   - bytesMax: The number of bytes to keep of each attempt; nil for the default.
  init(directory: StateDirectory, bytesMax: Int64? = nil) {
    self.directory = directory
    self.bytesMax = max(bytesMax ?? Self.bytesMaxDefault, Retention.logBytesMin)
  }

  /// Writes the text of an output event; ignores partial lines, which are sent again when complete.
  ///
  /// Called on one thread at a time.
  func write(_ event: Event) throws(JournalError) {
    guard case .step(let id, let attempt, .output(_, let text, isPartial: false)) = event.kind
    else { return }
    let head = directory.logPath(
      of: event.run, step: id, generation: event.generation, attempt: attempt)
    var log = logs.withLock { $0[id] }
    if log?.generation != event.generation || log?.attempt != attempt {
      log = Log(
        generation: event.generation, attempt: attempt,
        size: (try? Stat(at: head, followsLink: false))?.size ?? 0)
    }
    guard var log else { return }
    var path = head
    if log.size >= bytesMax / 2 {
      if (log.parts.last.map { log.size - $0 >= bytesMax / 4 }) ?? true {
        log.parts.append(log.size)
        log.lastTime = nil
        removeOldPart(of: head, &log)
      }
      path = LogFile.partPath(of: head, offset: log.parts.last ?? log.size)
    }
    let entry = LogTimes.Entry(offset: log.size, time: event.time)
    do throws(Errno) {
      if LogTimes.needs(entry, after: log.lastTime) {
        try appendTime(entry, path, head)
        log.lastTime = entry
      }
      try append(text, to: path)
    } catch {
      throw .system("cannot write the log", path, error)
    }
    log.size += Int64(text.utf8.count) + 1
    logs.withLock { [log] in $0[id] = log }
  }

  /// Appends an entry to the index of a log; creates the folders of the first one.
  private func appendTime(
    _ entry: LogTimes.Entry, _ path: String, _ head: String
  ) throws(Errno) {
    let times = LogTimes.path(of: path)
    do throws(Errno) {
      return try appendBytes(LogTimes.bytes(entry), to: times)
    } catch {
      guard error == .noSuchFileOrDirectory else { throw error }
    }
    try makeFolders(above: head)
    try appendBytes(LogTimes.bytes(entry), to: times)
  }

  private func removeOldPart(of head: String, _ log: inout Log) {
    guard log.parts.count > 2 else { return }
    let part = LogFile.partPath(of: head, offset: log.parts.removeFirst())
    try? removeFile(part)
    try? removeFile(LogTimes.path(of: part))
  }

  /// Appends a text and a line feed to a file, whose folder must exist.
  private func append(_ text: String, to path: String) throws(Errno) {
    let file = try open(path)
    try writeText(text, followedBy: UInt8(ascii: "\n"), to: file.descriptor)
  }

  private func appendBytes(_ bytes: [UInt8], to path: String) throws(Errno) {
    let file = try open(path)
    try writeBytes(bytes, to: file.descriptor)
  }

  private func open(_ path: String) throws(Errno) -> OpenFile {
    try OpenFile(
      path, .writeOnly, options: [.append, .create, .noFollow], permissions: .ownerReadWrite)
  }

  private func makeFolders(above path: String) throws(Errno) {
    let step = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
    let run = step[..<(step.lastIndex(of: "/") ?? step.startIndex)]
    for folder in [String(run), String(step)] {
      do throws(Errno) {
        try makeFolder(folder, permissions: .ownerReadWriteExecute)
      } catch {
        guard error == .fileExists else { throw error }
      }
    }
  }
}
