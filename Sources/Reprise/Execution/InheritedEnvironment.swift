// Reads the environment of this process: byte by byte, since it is read at each start. Knows no names.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The environment variables of this process, by name.
package func inheritedEnvironment() -> [String: String] {
  var environment: [String: String] = [:]
  var entry = environ
  while let text = entry.pointee {
    if let sign = strchr(text, Int32(UInt8(ascii: "="))) {
      let name = UnsafeRawBufferPointer(start: text, count: sign - text)
      environment[String(decoding: name, as: UTF8.self)] = String(cString: sign + 1)
    }
    entry += 1
  }
  return environment
}
