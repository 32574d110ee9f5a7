// A lock that the kernel gives back when whoever holds it dies. Knows nothing of runs.

import Dispatch
import Platform
import Synchronization

/// A lock on a file, held as long as this value or a copy of its descriptor lives.
///
/// An open file description lock (fcntl(2), F_OFD_SETLK): it belongs to the opened file and not to the
/// process, so a descriptor that was sent to another process keeps it; and it can be asked for without
/// being taken. That the file exists means nothing.
package final class FileLock: Sendable {
  private let file: OpenFile
  private let path: String

  /// The descriptor that holds the lock; others may hold it too by keeping a copy.
  package var descriptor: Int32 { file.descriptor }

  private init(_ file: consuming OpenFile, _ path: String) {
    self.file = file
    self.path = path
  }

  /// Takes a lock.
  ///
  /// - Parameter path: The file, which is made where it does not exist.
  /// - Returns: The lock, or nil when another one holds it.
  /// - Throws: ``JournalError`` when the file cannot be opened.
  static func take(_ path: String) throws(JournalError) -> FileLock? {
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

  /// Takes a lock whose holder is about to release it; blocks this thread meanwhile.
  ///
  /// The kernel's own wait has no end when the holder was stopped, so another thread is in it: when
  /// patience is over, that thread releases what it gets later.
  ///
  /// - Parameters:
  ///   - path: The file, which is made where it does not exist.
  ///   - patience: How long to wait.
  ///   - mayWait: Whether it is worth waiting; asked where the lock is held, and now and then.
  /// - Returns: The lock, or nil when it has not come.
  /// - Throws: ``JournalError`` when the file cannot be opened.
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
    while !wait.hasEnded(within: Self.lookAgainTime), ContinuousClock.now < end, try mayWait() {}
    return wait.take()
  }

  /// How long a wait goes on before it is asked again whether it is worth while: another process may have
  /// been faster, and keep the lock.
  private static let lookAgainTime = DispatchTimeInterval.milliseconds(50)

  /// Keeps a text in the file, for whoever takes the lock after this one was lost.
  func note(_ text: String) {
    file.replaceContents(with: Array(text.utf8))
  }

  /// The text that was kept last; empty where there is none.
  var noted: String {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = (try? file.readOnce(at: 0, into: &bytes)) ?? 0
    return String(decoding: bytes.prefix(count), as: UTF8.self)
  }

  /// Has those who watch the folder see a change: they see files whose writers close them.
  func announce() {
    let text = noted
    (try? OpenFile(path, .readWrite, options: [.noFollow]))?
      .replaceContents(with: Array(text.utf8))
  }

  /// Whether a lock is held, without taking it.
  static func isHeld(_ path: String) -> Bool {
    do throws(Errno) {
      let file = try OpenFile(path, options: [.noFollow])
      return (try? file.isLocked()) ?? true
    } catch {
      // Who cannot look does not know; what may be live is not to be touched.
      return error != .noSuchFileOrDirectory
    }
  }
}

/// The wait of one thread for a lock that another thread takes.
private final class LockWait: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  private let state = Mutex<(lock: FileLock?, isOver: Bool)>((nil, false))

  func end(with lock: FileLock?) {
    // Later, the lock is released with its last reference.
    state.withLock { if !$0.isOver { $0.lock = lock } }
    semaphore.signal()
  }

  func hasEnded(within time: DispatchTimeInterval) -> Bool {
    semaphore.wait(timeout: .now() + time) == .success
  }

  /// The lock, if it has come; one that comes later is released.
  func take() -> FileLock? {
    state.withLock { state in
      defer { state = (nil, true) }
      return state.lock
    }
  }
}
