// Why the output of the command could not be written, for the message at its end.

import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The first error of the output that is not just a reader who has gone.
package enum OutputError {
  private static let number = Mutex<Int32>(0)

  /// Notes why a write has failed.
  ///
  /// - Parameter errorNumber: The `errno` of the write.
  package static func note(_ errorNumber: Int32) {
    // A pipe without a reader, and a terminal that has gone.
    guard errorNumber != EPIPE, errorNumber != EIO else { return }
    number.withLock { if $0 == 0 { $0 = errorNumber } }
  }

  /// What was wrong; nil where nothing was.
  package static var reason: String? {
    let number = number.withLock { $0 }
    return number == 0 ? nil : String(cString: strerror(number))
  }
}
