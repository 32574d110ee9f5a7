// deploy-tool [--file FILE] [--yes | --no] TARGET: runs deploy.yaml with the actions of this tool.

import Foundation
import Reprise

@main
struct DeployTool {
  static func main() async throws {
    var words = Array(CommandLine.arguments.dropFirst())
    var file = "deploy.yaml"
    if words.first == "--file", words.count > 1 {
      file = words[1]
      words.removeFirst(2)
    }
    let decision = ["--yes": true, "--no": false][words.first ?? ""]
    if decision != nil { words.removeFirst() }
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("deploy-tool-\(ProcessInfo.processInfo.processIdentifier)")
    let engine = Engine.deploying(in: folder)
    do {
      let arguments = Arguments(words.isEmpty ? [:] : ["target": words[0]])
      let run = engine.start(try engine.workflow(contentsOf: file, with: arguments))
      run.cancelOnSignals([.interrupt])
      for await event in run.events.values { show(event, of: run, decision) }
      let cleanup = engine.start(try engine.cleanup(of: folder))
      for await event in cleanup.events.values { show(event, of: cleanup, nil) }
      exit(try await run.exitStatus)
    } catch let error as WorkflowError {
      write("\(error)\n", to: .standardError)
      exit(2)
    }
  }

  private static func show(_ event: Event, of run: Run, _ decision: Bool?) {
    guard case .step(let step, _, let change) = event.kind else {
      if case .runEnded(let outcome) = event.kind { write("\(run.workflow.name): \(outcome)\n") }
      return
    }
    if case .output(_, let text, _) = change { return write("\(step) | \(text)\n") }
    write("\(step): \(change)\n")
    guard case .awaitingApproval(let question) = change else { return }
    DispatchQueue.global().async {
      let isApproved = decision ?? answer(to: question)
      _ = try? isApproved ? run.approve(step) : run.refuse(step)
    }
  }

  nonisolated private static func answer(to question: String) -> Bool {
    write("\(question) [y/N] ")
    return readLine().map { $0.lowercased().hasPrefix("y") } ?? false
  }

  /// Writes text without buffering.
  nonisolated private static func write(_ text: String, to file: FileHandle = .standardOutput) {
    file.write(Data(text.utf8))
  }
}
