// Why the output of the command could not be written, for the message at its end.

package import Platform
import Synchronization

/// The first error of the output that is not just a reader who has gone.
package enum OutputError {
  private static let first = Mutex<Errno?>(nil)

  /// Notes why a write has failed.
  ///
  /// - Parameter error: The error of the write.
  package static func note(_ error: Errno) {
    // A pipe without a reader, and a terminal that has gone.
    guard error != .brokenPipe, error != .ioError else { return }
    first.withLock { if $0 == nil { $0 = error } }
  }

  /// What was wrong; nil where nothing was.
  package static var reason: String? {
    first.withLock { $0 }.map { "\($0)" }
  }
}
