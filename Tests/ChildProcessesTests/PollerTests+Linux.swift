#if os(Linux)
import Foundation
import Platform
import Testing

@testable import ChildProcesses

struct PollerTests {
  @Test func `an unwatched process is not reported, even if its descriptor was duplicated`()
    throws
  {
    var poller = Poller()
    let ends = try PipeEnds()
    defer { closeDescriptors([ends.reading, ends.writing]) }
    let pid = try startProcess(
      "/bin/true", arguments: ["true"], environment: [:], directory: nil, output: ends.writing,
      errors: ends.writing
    ).get()
    defer { reapChild(pid) }
    let isWatched = poller.watch(process: pid)
    try #require(isWatched)
    let ended = poller.wait(milliseconds: 60_000).processes
    #expect(ended == [pid])
    // A child process that is being started has such copies for a moment.
    let copies = processDescriptors().map { dup($0) }
    defer { closeDescriptors(copies) }
    try #require(!copies.isEmpty)
    poller.unwatch(process: pid)
    let news = poller.wait(milliseconds: 0)
    #expect(news.descriptors == [] && news.processes == [])
  }

  /// Returns the pidfds of this process.
  private func processDescriptors() -> [Int32] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return names.compactMap(Int32.init).filter { descriptor in
      let path = "/proc/self/fd/\(descriptor)"
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
      return target?.contains("pidfd") == true
    }
  }
}
#endif
