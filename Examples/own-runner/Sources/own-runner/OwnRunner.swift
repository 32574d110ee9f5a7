// own-runner FILE: runs a workflow file that may use the runner `depot`; goes on with what is left of an
// earlier run.

import Foundation
import Reprise
import RepriseHost
import RepriseJournal

@main
struct OwnRunner {
  static func main() async throws {
    var engine = Engine()
    engine.register(DepotRunner.self)
    do {
      let workflow = try engine.workflow(contentsOf: CommandLine.arguments.last ?? "")
      for runner in workflow.runners {
        for problem in await engine.problems(of: runner) { write(problem) }
      }
      let host = RunHost(engine, recordingIn: try Journal()) { write($0) }
      let run =
        if let left = try await host.journal.unfinishedRuns(of: workflow.name).first {
          try await host.resume(left.id, with: workflow)
        } else {
          try await host.start(workflow)
        }
      run.cancelOnSignals([.interrupt, .terminate])
      for await event in run.events.values {
        if case .step(let step, _, let change) = event.kind { write("\(step): \(change)") }
      }
      write("\(try await run.outcome)")
      exit(try await run.exitStatus)
    } catch let error as WorkflowError {
      write("\(error)")
      exit(2)
    }
  }

  /// Writes a line without buffering.
  nonisolated private static func write(_ text: String) {
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
  }
}
