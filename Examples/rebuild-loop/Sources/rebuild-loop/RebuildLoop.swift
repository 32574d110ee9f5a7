// rebuild-loop FOLDER COMMAND: runs a command whenever a file in a folder is saved. A save during a
// build cancels it and starts it again when nothing of the old one is left.

import Foundation
import Reprise

@main
struct RebuildLoop {
  static func main() async throws {
    guard CommandLine.arguments.count == 3 else {
      write("usage: rebuild-loop FOLDER COMMAND")
      exit(2)
    }
    let (folder, command) = (CommandLine.arguments[1], CommandLine.arguments[2])
    let workflow = try Workflow("rebuild", .grace(.seconds(5))) {
      Step("build", exec: ["sh", "-c", "\(command)"])
    }
    let building = Task {
      var last: Run?
      let runs = Engine().runs(of: workflow, on: saves(below: folder), whenBusy: .restart)
      // `restart` restarts the current run; a new run starts only after it has ended.
      for try await run in runs.values {
        last = run
        let events = run.events
        Task { for await event in events.values { show(event) } }
      }
      // Cancelling this task cancels the run, but also every wait in this task. So wait in another
      // task until nothing of the run is left.
      try await Task { [last] in _ = try await last?.outcome }.value
    }
    let stopping = Task {
      for await _ in StopSignals([.interrupt, .terminate]) { building.cancel() }
    }
    try await building.value
    stopping.cancel()
  }

  private static func show(_ event: Event) {
    switch event.kind {
    case .generationStarted: write("generation \(event.generation)")
    case .step(_, _, .output(_, let text, _)): write(text)
    case .step(_, _, .started): write("build started")
    case .runEnded(let outcome): write("build \(outcome)")
    default: break
    }
  }

  /// Writes a line without buffering.
  private static func write(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }
}
