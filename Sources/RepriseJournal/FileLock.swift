// A lock that the kernel gives back when whoever holds it dies. Knows nothing of runs.

import Platform

/// A lock on a file, held as long as this value or a copy of its descriptor lives.
///
/// An open file description lock (fcntl(2), F_OFD_SETLK): it belongs to the opened file and not to the
/// process, so a descriptor that was sent to another process keeps it; and it can be asked for without
/// being taken. That the file exists means nothing.
package final class FileLock: Sendable {
  private let file: OpenFile

  /// The descriptor that holds the lock; others may hold it too by keeping a copy.
  package var descriptor: Int32 { file.descriptor }

  private init(_ file: consuming OpenFile) {
    self.file = file
  }

  /// Takes a lock.
  ///
  /// - Parameter path: The file, which is made where it does not exist.
  /// - Returns: The lock, or nil when somebody else holds it.
  /// - Throws: ``JournalError`` when the file cannot be opened.
  static func take(_ path: String) throws(JournalError) -> FileLock? {
    let file: OpenFile
    do throws(Errno) {
      file = try OpenFile(
        path, .readWrite, options: [.create, .noFollow], permissions: .ownerReadWrite)
    } catch {
      throw .system("cannot open the lock", path, error)
    }
    do throws(Errno) {
      try file.lock()
    } catch {
      if error == .resourceTemporarilyUnavailable || error == .permissionDenied { return nil }
      throw .system("cannot lock", path, error)
    }
    return FileLock(file)
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
      pauseThread(milliseconds: 5)
    }
  }

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

  /// Whether somebody holds a lock, without taking it.
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
