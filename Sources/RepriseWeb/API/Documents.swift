// The JSON documents of the API that no command prints, as Documentation/web.md has them.

import Platform
import Reprise
import RepriseHost
import RepriseJournal
import RepriseTerminal

/// A project, all projects of the page, and the keys of the page.
struct ProjectDocument: Encodable {
  struct Place: Encodable {
    let name: String
    let folder: String
  }

  let name: String
  let folder: String
  let version: String
  let projects: [Place]
  let keys = BrowserKey.table
}

/// A run with all that its page shows at first.
struct RunDocument: Encodable {
  private let report: RunReport
  private let number: Int
  private let plan: RunPlan?
  private let finally: Int?
  private let phase: String
  private let paused: Bool?
  private let estimate: Estimate?
  private let trigger: String?
  private let live: Bool
  private let canResume: Bool
  private let canStartAgain: Bool

  private enum CodingKeys: String, CodingKey {
    case number, plan, finally, phase, paused, estimate, trigger, live
    case canResume = "can-resume"
    case canStartAgain = "can-start-again"
  }

  init(_ run: FollowedRun) {
    report = run.report
    number = run.number
    plan = run.state.plan
    finally = run.state.plan?.finallyCount
    phase = run.state.phase.nameInReport
    paused = run.state.isPaused ? true : nil
    estimate = run.estimate(at: SystemClock().now)
    trigger = run.record.request.trigger
      .flatMap { $0.cause == .manual ? nil : $0.words }
    live = run.record.status.isLive
    canResume = run.record.request.canResume
    canStartAgain = run.record.request.canStartAgain
  }

  func encode(to encoder: any Encoder) throws {
    try report.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(number, forKey: .number)
    try container.encodeIfPresent(plan, forKey: .plan)
    try container.encodeIfPresent(finally, forKey: .finally)
    try container.encode(phase, forKey: .phase)
    try container.encodeIfPresent(paused, forKey: .paused)
    try container.encodeIfPresent(estimate, forKey: .estimate)
    try container.encodeIfPresent(trigger, forKey: .trigger)
    try container.encode(live, forKey: .live)
    try container.encode(canResume, forKey: .canResume)
    try container.encode(canStartAgain, forKey: .canStartAgain)
  }
}

/// The values that a step asks for with its approval, as a form needs them.
struct ApprovalDocument: Encodable {
  let step: String
  let values: [PlannedValue]
}

/// A page of the list of runs.
struct RunsDocument: Encodable {
  let runs: [RunLine]
  let more: Bool
}

/// The runs of a workflow beside each other: a row for each step, a cell for each run.
struct TableDocument: Encodable {
  struct Cell: Encodable {
    let state: String
    let notRun: String?
    let seconds: Double?

    private enum CodingKeys: String, CodingKey {
      case state, seconds
      case notRun = "not-run"
    }
  }

  private let runs: [RunLine]
  private let steps: [String]
  private let cells: [[Cell?]]

  /// Creates a table of runs, oldest first.
  init(_ runs: [FollowedRun]) {
    self.runs = runs.map(\.report.line)
    var steps: [String] = []
    var known: Set<String> = []
    // In the order of the newest run; what only earlier ones had comes last.
    for run in runs.reversed() {
      for step in run.state.steps where known.insert(step.id).inserted { steps.append(step.id) }
    }
    self.steps = steps
    cells = steps.map { step in
      runs.map { run in
        run.state[step].map { step in
          Cell(
            state: step.phase.codedName, notRun: run.state.reasonNotRun(of: step),
            seconds: step.seconds)
        }
      }
    }
  }
}
