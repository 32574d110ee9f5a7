// Records why the output of the command could not be written, for the message at exit.

package import Platform
import Synchronization

/// The first write error of the output, except for a closed pipe or terminal.
package enum OutputError {
  private static let first = Mutex<Errno?>(nil)

  /// Records why a write has failed.
  ///
  /// - Parameter error: The error of the write.
  package static func note(_ error: Errno) {
    // A closed pipe, and a closed terminal.
    guard error != .brokenPipe, error != .ioError else { return }
    first.withLock { if $0 == nil { $0 = error } }
  }

  /// The description of the error, if any.
  package static var reason: String? {
    first.withLock { $0 }.map { "\($0)" }
  }
}
