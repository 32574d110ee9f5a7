import ChildProcesses
import Platform
import Reprise
import TestSupport
import Testing

@testable import RepriseExecutors

/// What an engine makes of the messages of a pool, here written by a shell.
struct PoolRunnerTests {
  private static let count = 20_000

  /// Answers the greeting and a begin, and reports lines, each with a write of its own.
  private static func pool(_ token: AttemptToken) -> String {
    """
    read -r hello; echo '{"id":1,"host":"far"}'
    read -r begin; echo '{"id":2}'
    i=0
    while [ $i -lt \(count) ]; do
      i=$((i + 1))
      echo '{"token":"\(token)","next":'$i',"news":{"kind":"stdout","text":"'$i'"}}'
    done
    echo '{"token":"\(token)","next":'$i',"news":{"kind":"ended","result":{"state":"succeeded"}}}'
    cat > /dev/null
    """
  }

  @Test func `news that arrive in many pieces keep their order`() async throws {
    var random = SeededGenerator.announced()
    let token = AttemptToken(
      run: RunID(), step: "a", generation: 1, attempt: 1, random: random.next())
    let runner = PoolRunner("far", patience: .seconds(5)) { () throws(RunnerFailure) in
      do throws(Errno) {
        let errors = try OpenFile("/dev/null", .writeOnly)
        return try ConnectedProgram(
          ["/bin/sh", "-c", Self.pool(token)], errors: errors.descriptor)
      } catch {
        throw .refused("\(error)")
      }
    }
    let handle = try await runner.begin(AttemptSpec(command: ["true"], grace: .zero), token: token)
    var next = 1
    for try await item in handle.news(from: OutputMark()) {
      if case .ended = item.news { break }
      #expect(item.news == .output(.standardOutput, text: String(next), isPartial: false))
      guard item.next.offset == next else { break }
      next += 1
    }
    #expect(next == Self.count + 1)
  }
}
