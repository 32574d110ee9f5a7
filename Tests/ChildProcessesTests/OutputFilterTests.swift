import Foundation
import TestSupport
import Testing

@testable import ChildProcesses

final class OutputFilterTests {
  private let folder: String

  init() throws {
    folder = try temporaryFolder()
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func start(_ script: String, _ recorder: Recorder) async throws -> ChildProcess {
    try await ChildProcess.spawn(
      shell(script, directory: folder), filter: { WordFilter() }, onOutput: recorder.take)
  }

  private func make(_ name: String) {
    #expect(FileManager.default.createFile(atPath: folder + "/" + name, contents: nil))
  }

  private func isThere(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: folder + "/" + name)
  }

  @Test func `all output goes through the filter`() async throws {
    let recorder = Recorder()
    _ = try await start("for i in 1 2 3; do echo $i SECRET; echo SECRET $i >&2; done", recorder)
      .end()
    #expect(recorder.text() == ["1 ***", "2 ***", "3 ***"])
    #expect(recorder.text(of: .standardError) == ["*** 1", "*** 2", "*** 3"])
  }

  @Test func `each of the two streams has its own filter`() async throws {
    let recorder = Recorder()
    let made = Protected(0)
    let child = try await ChildProcess.spawn(
      shell("printf SEC; printf 'RET\n' >&2; printf 'RET\n'; printf SEC >&2"),
      filter: {
        made.withLock { $0 += 1 }
        return WordFilter()
      }, onOutput: recorder.take)
    _ = await child.end()
    #expect(made.value == 2)
    #expect(recorder.text() == ["***"])
    #expect(recorder.text(of: .standardError) == ["RET", "SEC"])
  }

  @Test func `bytes held back by a filter are flushed at the end of the stream`() async throws {
    for script in ["printf 'pass SEC'", "printf 'pass SEC'; exec sleep 60 >&- 2>&-"] {
      let recorder = Recorder()
      let child = try await start(script, recorder)
      await expectEventually("the first word is there") {
        (recorder.text() + recorder.partials).contains { $0.hasPrefix("pass ") }
      }
      child.kill()
      _ = await child.end()
      #expect(recorder.text() == ["pass SEC"])
    }
  }

  @Test func `bytes held back by a filter are flushed when the process is killed`() async throws {
    let recorder = Recorder()
    let child = try await start("printf 'pass SEC'; exec sleep 60", recorder)
    await expectEventually("the first word is there") { recorder.partials.last == "pass " }
    #expect(recorder.text() == [])
    child.kill()
    _ = await child.end()
    #expect(recorder.text() == ["pass SEC"])
  }

  @Test func `lines held back by a filter come before the last one`() async throws {
    struct Hoarder: OutputFilter {
      var all: [UInt8] = []
      mutating func append(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        all += bytes
        return []
      }
      mutating func finish() -> [UInt8] { all }
    }
    let recorder = Recorder()
    let child = try await ChildProcess.spawn(
      shell("printf 'a\nb\nc'"), filter: { Hoarder() }, onOutput: recorder.take)
    _ = await child.end()
    #expect(recorder.text() == ["a", "b", "c"])
    #expect(recorder.partials == [])
  }

  @Test func `a partial line shows only filtered bytes`() async throws {
    let recorder = Recorder()
    let child = try await start(
      """
      await() { while [ ! -e $1 ]; do sleep 0.02; done; }
      printf 'a SEC'; await go; printf RET; await on
      """, recorder)
    await expectEventually("the beginning is shown") { recorder.partials.last == "a " }
    make("go")
    await expectEventually("the word is shown") { recorder.partials.last == "a ***" }
    make("on")
    #expect(await child.end() == .exited(code: 0))
    #expect(!recorder.partials.contains { $0.contains("S") })
    #expect(recorder.text() == ["a ***"])
  }

  @Test func `a line that is too long is filtered before it is split`() async throws {
    let recorder = Recorder()
    let child = try await start("yes SECRET | head -n 50000 | tr -d '\\n'", recorder)
    #expect(await child.end() == .exited(code: 0))
    #expect(recorder.text().count > 1)
    #expect(recorder.text().joined() == String(repeating: "***", count: 50_000))
    #expect(!recorder.partials.contains { $0.contains { $0 != "*" } })
  }

  @Test func `the rest of the pipe at the end goes through the filter`() async throws {
    let recorder = Recorder()
    let child = try await ChildProcess.spawn(
      shell(
        """
        echo first; while [ ! -e go ]; do sleep 0.02; done
        echo SECRET; touch done; exec sleep 60
        """,
        directory: folder),
      filter: { WordFilter() },
      onOutput: { lines in
        _ = recorder.take(lines)
        return false
      })
    // From now on no output is read.
    await expectEventually("the pause begins") { recorder.text() == ["first"] }
    make("go")
    await expectEventually("all output is written") { isThere("done") }
    child.kill()
    _ = await child.end()
    #expect(recorder.text() == ["first", "***"])
  }
}
