// The system and the processors of a Mac.

#if !os(Linux)
import Darwin

extension Machine {
  /// The system.
  package static var system: String { "macos" }

  /// The number of processors that this process may use, at least 1.
  package static let processorCount = max(1, Int(sysconf(_SC_NPROCESSORS_ONLN)))

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
