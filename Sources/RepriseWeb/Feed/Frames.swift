// The data of the events of the stream, as Documentation/web.md has it.

import Platform
import Reprise
import RepriseHost
import RepriseJournal

/// Changes of the list of runs of a project.
struct ListFrame: Encodable {
  let project: String
  let runs: [RunLine]
  let removed: [String]?
}

/// All watches of a project.
struct WatchesFrame: Encodable {
  let project: String
  let watches: [WatchLine]
}

/// The progress of the running steps of a run.
struct ProgressFrame: Encodable {
  let run: String
  let steps: [String: StepProgressReport]
}

/// The attempts whose output has grown, with its size so far.
struct OutputFrame: Encodable {
  struct Output: Encodable {
    let generation: Int
    let attempt: Int
    let size: Int64
  }

  let run: String
  let steps: [String: Output]

  init(run: String, _ grown: [String: FollowedRun.Output], in directory: StateDirectory) {
    self.run = run
    var steps: [String: Output] = [:]
    if let id = RunID(run) {
      for log in directory.logs(of: id, steps: grown.keys.sorted()) {
        guard let output = grown[log.step], output.generation == log.generation,
          output.attempt == log.attempt
        else { continue }
        steps[log.step] = Output(
          generation: log.generation, attempt: log.attempt, size: LogWindow.size(of: log))
      }
    }
    self.steps = steps
  }
}

/// What has happened in a run, and the state that follows from it.
struct RunFrame: Encodable {
  private struct NumberedAttempt: Encodable {
    let generation: Int
    let attempt: RunReport.Attempt

    private enum CodingKeys: String, CodingKey { case generation }

    func encode(to encoder: any Encoder) throws {
      try attempt.encode(to: encoder)
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(generation, forKey: .generation)
    }
  }

  private let run: String
  private let number: Int
  private let events: [Event]
  private let steps: [RunReport.Step]
  private let line: RunLine
  private let phase: String
  private let paused: Bool?
  private let estimate: Estimate?
  private let generations: [RunReport.Generation]?
  private let attempts: [NumberedAttempt]
  private let criticalPath: [RunReport.Link]?
  private let plan: RunPlan?
  private let notices: [String]?

  private enum CodingKeys: String, CodingKey {
    case run, number, events, steps, line, phase, paused, estimate, generations, attempts, plan,
      notices
    case criticalPath = "critical-path"
  }

  /// Creates the frame of the last events of a run.
  ///
  /// - Parameters:
  ///   - followed: The run.
  ///   - events: Its last events, which are not known yet.
  ///   - addsSlowFields: Whether to add what takes longer for many steps: estimate and path.
  init(_ followed: FollowedRun, _ events: [Event], addsSlowFields: Bool) {
    let (state, report) = (followed.state, followed.report)
    var touched: Set<String> = []
    var changesAll = false
    for event in events {
      if case .step(let step, _, _) = event.kind { touched.insert(step) } else { changesAll = true }
    }
    run = followed.record.id.description
    number = followed.number
    self.events = events
    steps = state.steps.filter { changesAll || touched.contains($0.id) }
      .map { RunReport.Step($0, in: state) }
    line = report.line
    phase = state.phase.nameInReport
    paused = state.isPaused ? true : nil
    estimate = addsSlowFields ? followed.estimate(at: SystemClock().now) : nil
    let history = report.history.generations
    generations = changesAll ? history.map { RunReport.Generation($0) } : nil
    attempts =
      changesAll
      ? []
      : history.last.map { last in
        last.attempts.filter { touched.contains($0.step) }.map {
          NumberedAttempt(generation: last.number, attempt: RunReport.Attempt($0))
        }
      } ?? []
    criticalPath = addsSlowFields ? state.criticalPath.map { RunReport.Link($0) } : nil
    plan = changesAll ? state.plan : nil
    notices = changesAll ? state.notices : nil
  }
}

extension RunPhase {
  /// The name of the phase in reports.
  var nameInReport: String {
    switch self {
    case .notStarted: "not-started"
    case .running: "running"
    case .restarting: "restarting"
    case .cancelling: "cancelling"
    case .ended: "ended"
    }
  }
}
