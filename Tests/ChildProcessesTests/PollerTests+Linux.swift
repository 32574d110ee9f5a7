#if os(Linux)
import Foundation
import Platform
import Testing

@testable import ChildProcesses

struct PollerTests {
  @Test func `what is no longer watched is not told of, also while another has a copy of it`()
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
    // As a child has one that is being started at this moment.
    let copies = processDescriptors().map { dup($0) }
    defer { closeDescriptors(copies) }
    try #require(!copies.isEmpty)
    poller.unwatch(process: pid)
    let news = poller.wait(milliseconds: 0)
    #expect(news.descriptors == [] && news.processes == [])
  }

  /// The descriptors of this process that stand for processes.
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
