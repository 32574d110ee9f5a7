import Foundation
import Testing

@testable import RepriseRunners

/// What is mounted in a kept container, so that this program runs in any image.
struct KeptContainersTests {
  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/ldd")))
  func `the library that ends threads is there, even if the program is not linked to it`()
    async throws
  {
    // The C library loads it by name; without it, a process is aborted at the end of a thread.
    let parts = try await KeptContainers.parts(of: "/bin/sleep", in: ["PATH": "/usr/bin:/bin"])
    #expect(parts.contains { $0.name == "libc.so.6" })
    #expect(parts.contains { $0.name == "libgcc_s.so.1" && $0.path.hasPrefix("/") })
    #expect(parts.count { $0.name == "libgcc_s.so.1" } == 1)
  }
}
