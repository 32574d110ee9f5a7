// `reprise cancel`: cancels a run, wherever its engine is, or some of its steps.

import ArgumentParser
import Reprise
import RepriseControl
import RepriseHost
import RepriseJournal
import RepriseTerminal

struct CancelCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cancel",
    abstract: "Cancel a run, or some of its steps.",
    discussion: """
      A run whose engine has died, and of which steps go on in containers or on other machines, is \
      cancelled as well: the command stops them, waits until nothing of them is left, and records \
      the end.

      A run whose engine is a job (--submit) is cancelled from each machine that shares the state \
      directory; a job that waits leaves the queue.

      Running steps are asked to stop and get their grace period; with --now they \
      are killed. With --step, the run continues without these steps and those that depend on \
      them; asked again for the same step, it kills it. The outcome of the run is then cancelled, \
      unless a step fails or the run is restarted from the cancelled steps.

      \(SelectorHelp.text)

      EXAMPLES
        reprise cancel @last --now
        reprise cancel @last --step lint
        reprise cancel @last --step 'test[*]'

      EXIT STATUS
        With --wait, the command waits until the run, or each of the steps, has ended: 0.
      """)

  @OptionGroup var request: RequestOptions

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Cancel only this step. Can be repeated.", valueName: "steps"),
    completion: .step)
  var step: [String] = []

  @Flag(help: "Kill the steps at once, without a grace period.")
  var now = false

  func run() async throws {
    guard try await !hasWithdrawn() else { return }
    var (record, journal) = try request.run.find(to: .control)
    if let status = try await statusAfterStop(of: record, in: journal) {
      guard status == .interrupted else {
        return printLine("run \(record.id) has ended: \(status.rawValue)")
      }
      record = try journal.run(with: record.id)
    }
    guard record.status == .interrupted else {
      try await request.send(
        .run(.cancel(steps: step, now: now), by: .command("cancel")), to: (record, journal))
      return
    }
    guard step.isEmpty else {
      throw Problem(
        "error: the engine of run \(record.id) has died; \(record.resumeAdvice); or cancel it "
          + "without --step")
    }
    let moved = try enterFolder(of: record, in: journal)
    let stopped = try await InterruptedRun(moved, in: journal).cancel(
      isKilled: now, by: .command("cancel"), say: { printLine($0) })
    printLine(
      stopped.isEmpty
        ? "the run is cancelled; nothing of it was left"
        : "the run is cancelled; nothing is left of \(stopped.joined(separator: ", "))")
  }
}

extension CancelCommand {
  /// Withdraws the engine of the named run if it is a job that waits in the queue.
  ///
  /// - Returns: Whether nothing of the run is left, so that there is nothing more to cancel.
  private func hasWithdrawn() async throws -> Bool {
    guard let name = request.run.run,
      let engine = SubmittedEngine.named(name, in: try request.run.state.directory()),
      engine.status == .waiting
    else { return false }
    try await stop(engine)
    engine.forget()
    printLine("nothing is left of \(engine.title), the engine of run \(engine.run)")
    let journal = try request.run.state.openExistingJournal()
    return (try? journal.run(with: engine.run))?.status != .interrupted
  }

  /// Cancels a run whose engine is a job where it cannot be reached, and waits for its end.
  ///
  /// - Returns: The status of the run then; nil if its engine is no such job.
  private func statusAfterStop(
    of record: RunRecord, in journal: Journal
  ) async throws -> RunStatus? {
    guard record.status.isLive,
      let engine = SubmittedEngine(of: record.id, in: journal.directory),
      case .running(let host) = engine.status, (try? journal.client(of: record)) == nil
    else { return nil }
    printLine("stopping the engine on \(host), in \(engine.title)")
    try await stop(engine)
    return try await blocking { try journal.run(with: record.id) }.status
  }

  private func stop(_ engine: SubmittedEngine) async throws {
    guard step.isEmpty else {
      throw Problem(
        "error: the engine of run \(engine.run) cannot be reached from here; cancel the whole run, or "
          + "its steps where the engine is")
    }
    let grace = now ? .zero : SubmittedEngine.cancelTimeMax
    for notice in try await engine.stop(grace: grace) { printError("\(notice)") }
  }
}
