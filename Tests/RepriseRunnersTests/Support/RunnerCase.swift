// The runners that the contract is checked for: those that this machine has.

import Foundation
import Reprise
import RepriseRunners
import TestSupport
import Testing

/// A runner that the contract holds for.
///
/// `survive` and `sandbox` need nothing but this machine. For the others, Scripts/runners-test starts
/// what they need, and passes their settings as JSON in a variable, such as `REPRISE_RUNNER_SSH`.
struct RunnerCase: Sendable, CustomTestStringConvertible {
  let kind: String
  let settings: String
  /// The program of a container, if it is not the usual one.
  var program: String?

  var testDescription: String {
    (program ?? kind) + (settings.contains("\"keep\"") ? ", kept" : "")
  }

  /// Whether attempts go on when their engine dies.
  var survives: Bool { kind != "sandbox" && kind != "local" }

  static let all: [RunnerCase] = {
    var all = [RunnerCase(kind: "survive", settings: "{}")]
    let environment = ProcessInfo.processInfo.environment
    let kinds = environment["REPRISE_RUNNER_KINDS"]?.split(separator: " ").map(String.init)
    if FileManager.default.isExecutableFile(atPath: "/usr/bin/bwrap"),
      kinds?.contains("sandbox") ?? true
    {
      all.append(RunnerCase(kind: "sandbox", settings: "{}"))
    }
    for name in ["container", "docker", "ssh", "slurm", "sge"] {
      guard let settings = environment["REPRISE_RUNNER_" + name.uppercased()] else { continue }
      let kind = ["docker": "container", "sge": "batch"][name] ?? name
      let program = kind == name ? nil : name
      all.append(RunnerCase(kind: kind, settings: settings, program: program))
      if name != "ssh" {
        all.append(
          RunnerCase(
            kind: kind, settings: settings.dropLast() + ", \"keep\": true}", program: program))
      }
    }
    return all.filter { kinds?.contains($0.program ?? $0.kind) ?? true }
  }()

  /// All runners, and steps that are processes of the engine's own.
  static let withLocal = [RunnerCase(kind: "local", settings: "{}")] + all

  /// The program that serves attempts, as built for these tests.
  static let program = {
    let tests = Bundle.main.executablePath ?? CommandLine.arguments[0]
    return URL(fileURLWithPath: tests).deletingLastPathComponent().path + "/reprise"
  }()

  static var catalog: ActionCatalog { StandardRunners.catalog }

  /// Returns an engine whose steps run in a folder.
  static func engine(in folder: TemporaryFolder, _ base: LocalExecutor? = nil) -> Engine {
    var engine = Engine(executor: base ?? LocalExecutor(directory: folder.path))
    StandardRunners.register(with: &engine)
    engine.surroundings = RunnerSurroundings(
      attempts: folder.path + "/.attempts", hostProgram: program)
    return engine
  }

  /// Returns a workflow whose steps run here, from the keys after `runner`.
  func workflow(_ text: String) throws -> Workflow {
    let head = "runners: { far: { \(kind): \(settings) } }\nrunner: far\n"
    return try Workflow(text: head + text, file: "w.yaml", actions: Self.catalog)
  }

  /// Runs a workflow to its end.
  func outcome(
    of text: String, in folder: TemporaryFolder
  ) async throws -> (RunOutcome, [Event], RunState) {
    let events = Protected<[Event]>([])
    let run = Self.engine(in: folder).start(try workflow(text))
    let subscription = run.events.sink { event in events.withLock { $0.append(event) } }
    defer { subscription.cancel() }
    let outcome = try await run.outcome
    return (outcome, events.value, run.state)
  }
}

extension TemporaryFolder {
  /// The lines of a file; empty if there is none.
  func lines(_ name: String) -> [String] {
    let text = (try? String(contentsOfFile: path + "/" + name, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map(String.init)
  }
}
