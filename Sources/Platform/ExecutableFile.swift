// Replaces the program of this process by another one.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Replaces the program of this process; the process and its terminal stay the same.
///
/// - Parameter arguments: The path of the program, and its arguments.
/// - Returns: The system error, if it could not be replaced.
package func replaceProgram(with arguments: [String]) -> Errno {
  var pointers: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) } + [nil]
  defer { for index in unsafe pointers.indices { unsafe free(pointers[index]) } }
  guard let program = unsafe pointers[0] else { return .noSuchFileOrDirectory }
  _ = unsafe execv(program, &pointers)
  return .last
}
