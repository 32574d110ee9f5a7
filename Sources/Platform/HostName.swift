// The name of this machine.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The name of this machine, without its domain; `localhost` if it has none.
package var hostName: String {
  var buffer = [CChar](repeating: 0, count: 256)
  guard unsafe gethostname(&buffer, buffer.count - 1) == 0 else { return "localhost" }
  let name = buffer.prefix { $0 != 0 && $0 != CChar(bitPattern: UInt8(ascii: ".")) }
  return name.isEmpty
    ? "localhost" : String(decoding: name.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
