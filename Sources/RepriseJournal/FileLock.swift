// A lock that the kernel gives back when whoever holds it dies. Knows nothing of runs.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A lock on a file, held as long as this value or a copy of its descriptor lives.
///
/// An open file description lock (fcntl(2), F_OFD_SETLK): it belongs to the opened file and not to the
/// process, so a descriptor that was sent to another process keeps it; and it can be asked for without
/// being taken. That the file exists means nothing.
public final class FileLock: Sendable {
  /// The descriptor that holds the lock; others may hold it too by keeping a copy.
  public let descriptor: Int32

  private init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }

  /// Takes a lock.
  ///
  /// - Parameter path: The file, which is made where it does not exist.
  /// - Returns: The lock, or nil when somebody else holds it.
  /// - Throws: ``JournalError`` when the file cannot be opened.
  static func take(_ path: String) throws(JournalError) -> FileLock? {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .system("cannot open the lock", path, errno) }
    var request = wholeFile()
    while fcntl(descriptor, FileLockCommand.set, &request) != 0 {
      if errno == EINTR { continue }
      let number = errno
      close(descriptor)
      if number == EAGAIN || number == EACCES { return nil }
      throw .system("cannot lock", path, number)
    }
    return FileLock(descriptor: descriptor)
  }

  /// Takes a lock that somebody else is about to give back; blocks this thread meanwhile.
  ///
  /// The kernel's own waiting has no end when the holder stands still.
  ///
  /// - Parameters:
  ///   - path: The file, which is made where it does not exist.
  ///   - patience: How long to wait.
  ///   - mayWait: Whether it is worth waiting; asked again and again.
  /// - Returns: The lock, or nil when it has not come.
  /// - Throws: ``JournalError`` when the file cannot be opened.
  static func take(
    _ path: String, within patience: Duration,
    while mayWait: () throws(JournalError) -> Bool = { () throws(JournalError) in true }
  ) throws(JournalError) -> FileLock? {
    let end = ContinuousClock.now.advanced(by: patience)
    while true {
      if let lock = try take(path) { return lock }
      guard ContinuousClock.now < end, try mayWait() else { return nil }
      poll(nil, 0, 5)
    }
  }

  /// Keeps a text in the file, for whoever takes the lock after this one was lost.
  func note(_ text: String) {
    _ = ftruncate(descriptor, 0)
    var bytes = Array(text.utf8)
    _ = pwrite(descriptor, &bytes, bytes.count, 0)
  }

  /// The text that was kept last; empty where there is none.
  var noted: String {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  /// Whether somebody holds a lock, without taking it.
  static func isHeld(_ path: String) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    // Who cannot look does not know; what may be live is not to be touched.
    guard descriptor >= 0 else { return errno != ENOENT }
    defer { close(descriptor) }
    var request = wholeFile()
    guard fcntl(descriptor, FileLockCommand.ask, &request) == 0 else { return true }
    return request.l_type != Int16(F_UNLCK)
  }

  private static func wholeFile() -> flock {
    var request = flock()
    request.l_type = Int16(F_WRLCK)
    request.l_whence = Int16(SEEK_SET)
    return request
  }
}
