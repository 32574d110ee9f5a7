// The runner `depot`: steps as jobs of a scheduler with the commands `depot submit`, `list` and `cancel`.

import Reprise
import RepriseRunners

/// The settings in a workflow file: `runner: { depot: { shelf: b } }`.
struct DepotRunner: RunnerKind {
  static let name = "depot"
  let shelf: String?
  let poll: Duration?

  func makeExecutor(
    named name: String, in surroundings: RunnerSurroundings
  ) throws(FailureReason) -> any Executor {
    let depot = Depot(shelf: shelf ?? "any", commands: Self.commands(in: surroundings))
    return try RunnerExecutor(
      jobsOf: depot, named: name, in: surroundings, poll: poll ?? .seconds(30))
  }

  func problems(in surroundings: RunnerSurroundings) async -> [String] {
    [Self.commands(in: surroundings).missing(["depot"], of: "Depot")].compactMap { $0 }
  }

  private static func commands(in surroundings: RunnerSurroundings) -> SchedulerCommands {
    SchedulerCommands(in: surroundings, variables: ["DEPOT"])
  }
}

/// The scheduler, by its commands.
struct Depot: JobScheduler {
  let name = "Depot"
  let shelf: String
  let commands: SchedulerCommands

  func submit(_ job: NewJob) async throws(RunnerFailure) -> String {
    let words = ["depot", "submit", job.log, job.script, shelf]
    let answer = try await commands.answer(of: words, submitting: job)
    guard answer.status == 0, let number = answer.output.split(separator: "\n").first else {
      guard let status = answer.status else { throw .cannotAsk(answer.complaint) }
      throw status == 75 ? .full(answer.complaint) : .refused(answer.complaint)
    }
    return String(number)
  }

  func jobs(within limit: Duration) async throws(RunnerFailure) -> [SchedulerJob] {
    let answer = try await commands.answer(of: ["depot", "list"], within: limit)
    guard answer.status == 0 else { throw .cannotAsk(answer.complaint) }
    return answer.output.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ", maxSplits: 2).map(String.init)
      guard words.count == 3 else { return nil }
      return SchedulerJob(words[0], words[1] == "running" ? .running : .queued, reason: words[2])
    }
  }

  func cancel(_ jobs: [String], within limit: Duration) async throws(RunnerFailure) {
    let answer = try await commands.answer(of: ["depot", "cancel"] + jobs, within: limit)
    guard answer.status == 0 else { throw .cannotAsk(answer.complaint) }
  }
}
