// A file lock that the kernel releases when its holder dies.

import Dispatch
import Platform
import Synchronization

/// A lock on a file, held as long as this object or a copy of its descriptor lives.
///
/// An open file description lock (fcntl(2), F_OFD_SETLK): it belongs to the open file rather than
/// the process, so a copy of the descriptor in another process keeps it, and it can be queried
/// without being taken. The existence of the file has no meaning.
package final class FileLock: Sendable {
  private let file: OpenFile
  private let path: String

  /// The descriptor that holds the lock; a copy of it in another process holds the lock, too.
  package var descriptor: Int32 { file.descriptor }

  private init(_ file: consuming OpenFile, _ path: String) {
    self.file = file
    self.path = path
  }

  /// Takes a lock.
  ///
  /// - Parameter path: The path of the file, which is created if it does not exist.
  /// - Returns: The lock; nil if it is already held.
  /// - Throws: ``JournalError`` if the file cannot be opened.
  package static func take(_ path: String) throws(JournalError) -> FileLock? {
    try take(path) { file throws(Errno) in try file.lock() }
  }

  private static func take(
    _ path: String, _ lock: (borrowing OpenFile) throws(Errno) -> Void
  ) throws(JournalError) -> FileLock? {
    let file: OpenFile
    do throws(Errno) {
      file = try OpenFile(
        path, .readWrite, options: [.create, .noFollow], permissions: .ownerReadWrite)
    } catch {
      throw .system("cannot open the lock", path, error)
    }
    do throws(Errno) {
      try lock(file)
    } catch {
      if error == .resourceTemporarilyUnavailable || error == .permissionDenied { return nil }
      throw .system("cannot lock", path, error)
    }
    return FileLock(file, path)
  }

  /// Takes a lock whose holder is about to release it; blocks the thread until then.
  ///
  /// The kernel's wait has no timeout, and the holder may be suspended, so another thread waits.
  /// After the timeout, that thread releases the lock if it still gets it.
  ///
  /// - Parameters:
  ///   - path: The path of the file, which is created if it does not exist.
  ///   - patience: The timeout.
  ///   - mayWait: Returns whether to wait for the lock; called if the lock is held, and repeatedly
  ///     during the wait.
  /// - Returns: The lock; nil on timeout.
  /// - Throws: ``JournalError`` if the file cannot be opened.
  static func take(
    _ path: String, within patience: Duration,
    while mayWait: () throws(JournalError) -> Bool = { () throws(JournalError) in true }
  ) throws(JournalError) -> FileLock? {
    if let lock = try take(path) { return lock }
    guard try mayWait() else { return nil }
    let end = ContinuousClock.now.advanced(by: patience)
    let wait = LockWait()
    DispatchQueue(label: "reprise.journal.lock").async {
      wait.end(with: try? take(path) { file throws(Errno) in try file.lock(waits: true) })
    }
    while !wait.hasEnded(within: Self.recheckInterval), ContinuousClock.now < end, try mayWait() {}
    return wait.take()
  }

  /// The interval of the calls of `mayWait` during a wait: another process may have taken the lock,
  /// and may keep it.
  private static let recheckInterval = DispatchTimeInterval.milliseconds(50)

  /// Releases the lock now, also that of copies of the descriptor.
  func release() { file.unlock() }

  /// Writes a text to the file, for the process that takes the lock after this one has died.
  func note(_ text: String) {
    file.replaceContents(with: Array(text.utf8))
  }

  /// The text in the file; empty if there is none.
  var noted: String {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = (try? file.readOnce(at: 0, into: &bytes)) ?? 0
    return String(decoding: bytes.prefix(count), as: UTF8.self)
  }

  /// Notifies the processes that watch the folder: closing a written file counts as a change.
  func announce() {
    let text = noted
    (try? OpenFile(path, .readWrite, options: [.noFollow]))?
      .replaceContents(with: Array(text.utf8))
  }

  /// Returns whether a lock is held, without taking it.
  static func isHeld(_ path: String) -> Bool {
    do throws(Errno) {
      let file = try OpenFile(path, options: [.noFollow])
      return (try? file.isLocked()) ?? true
    } catch {
      // If the file cannot be opened, assume that the lock is held.
      return error != .noSuchFileOrDirectory
    }
  }
}

/// The wait of one thread for a lock that another thread takes.
private final class LockWait: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  private let state = Mutex<(lock: FileLock?, isOver: Bool)>((nil, false))

  func end(with lock: FileLock?) {
    // After the timeout, the lock is released with its last reference, here.
    state.withLock { if !$0.isOver { $0.lock = lock } }
    semaphore.signal()
  }

  func hasEnded(within time: DispatchTimeInterval) -> Bool {
    semaphore.wait(timeout: .now() + time) == .success
  }

  /// Takes the lock if it has arrived; one that arrives later is released.
  func take() -> FileLock? {
    state.withLock { state in
      defer { state = (nil, true) }
      return state.lock
    }
  }
}
