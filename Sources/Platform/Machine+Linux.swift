// The system and the processors of a Linux machine.

#if os(Linux)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension Machine {
  /// The system.
  package static var system: String { "linux" }

  /// The number of processors that this process may use, at least 1.
  package static let processorCount: Int = {
    let online = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    // The mask in hexadecimal, with commas; sched_getaffinity(2) is a GNU extension.
    let name = "Cpus_allowed:"
    guard let bytes = fileContents("/proc/self/status", upTo: 1 << 16),
      let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        .first(where: { $0.hasPrefix(name) })
    else { return online }
    let digits = line.dropFirst(name.count).compactMap(\.hexDigitValue)
    let count = digits.reduce(0) { $0 + $1.nonzeroBitCount }
    return count > 0 ? min(count, online) : online
  }()

  /// The architecture of the processor: `x86_64`, `arm64`, `riscv64`, or `unknown`.
  package static var architecture: String {
    #if arch(x86_64)
    "x86_64"
    #elseif arch(arm64)
    "arm64"
    #elseif arch(riscv64)
    "riscv64"
    #else
    "unknown"
    #endif
  }
}
#endif
