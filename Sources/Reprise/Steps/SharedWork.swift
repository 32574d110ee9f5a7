// Deduplicates identical work of concurrent steps.

import Synchronization
import Workflows

/// The work in progress that several steps share, by name.
///
/// One step (the owner) does the work, as if it were alone; the others wait for its result, which
/// may be a failure. If the owner is stopped before it has a result, one of the waiting steps does
/// the work instead, so that no work of a step continues after the step has ended.
/// ``SharedPublishers`` differs: there, the work outlives the subscriber that started it.
///
/// Results are not cached: finished work is removed.
///
/// Safe to use from any thread.
final class SharedWork: Sendable {
  /// A description of a step's work, by which different work under one name is detected.
  ///
  /// Closures cannot be compared and count as equal.
  struct Work: Sendable, Equatable {
    private let action: ResolvedStep.Action?
    private let commandLine: [String]
    private let environment: [String: String]
    private let weakEnvironment: [String: String]
    private let directories: [String]

    init(_ context: StepContext) {
      let resolved = context.resolved
      action = resolved.action.comparable
      commandLine = context.commandLine
      environment = resolved.environment
      weakEnvironment = resolved.weakEnvironment
      directories = resolved.directories
    }
  }

  /// The result of the work, for all steps that share it.
  struct Result: Sendable {
    let outputs: StepOutputs
    let standardOutput: OutputCapture.Captured
  }

  /// The failure of the work, for all steps that share it.
  struct Failure: Error {
    let reason: FailureReason
    /// The outputs that its program had written before.
    let written: StepOutputs
  }

  private enum Answer: Sendable {
    case result(Swift.Result<Result, any Error>)
    /// The owner was stopped before it had a result.
    case ownerStopped
  }

  private struct Entry {
    let work: Work
    let owner: String
    /// The tickets of the waiting steps.
    ///
    /// Some of the steps may have been cancelled since.
    var waiting: [Ticket<Answer>] = []
  }

  private enum Turn {
    case toLead
    case toWait(Ticket<Answer>, owner: String)
    case tooDifferent(owner: String)
  }

  private let entries = Mutex<[String: Entry]>([:])

  init() {}

  /// The number of names with work in progress.
  var count: Int { entries.withLock { $0.count } }

  /// Does the work of a name, or waits for the step that is already doing it.
  ///
  /// - Parameters:
  ///   - name: The name under which the work is shared.
  ///   - work: The work; it must equal the work in progress under the same name.
  ///   - owner: The description of the caller that waiting steps get in `onWait`.
  ///   - onWait: Called before waiting, with the description of the owner.
  ///   - perform: Does the work; it must finish when the surrounding task is cancelled.
  /// - Returns: The result of the work.
  /// - Throws: The error of the work; `CancellationError` if the surrounding task is cancelled;
  ///   ``FailureReason`` if different work is in progress under that name.
  func result(
    of name: String, _ work: Work, owner: String,
    onWait: @Sendable (String) -> Void,
    perform: @Sendable () async throws -> Result
  ) async throws -> Result {
    while true {
      switch turn(name, work, owner) {
      case .toLead:
        return try await lead(name, perform)
      case .tooDifferent(let other):
        throw FailureReason.badValue(
          "\(other) shares the name \"\(name)\" and does something else; "
            + "steps that share a name must have the same action, env, dir and shell")
      case .toWait(let ticket, let other):
        onWait(other)
        switch await ticket.value() {
        case .result(let result): return try result.get()
        case .ownerStopped: continue
        case nil: throw CancellationError()
        }
      }
    }
  }

  private func turn(_ name: String, _ work: Work, _ owner: String) -> Turn {
    entries.withLock { entries in
      guard let entry = entries[name] else {
        entries[name] = Entry(work: work, owner: owner)
        return .toLead
      }
      guard entry.work == work else {
        return .tooDifferent(owner: entry.owner)
      }
      let ticket = Ticket<Answer>()
      entries[name]?.waiting.append(ticket)
      return .toWait(ticket, owner: entry.owner)
    }
  }

  private func lead(
    _ name: String, _ perform: @Sendable () async throws -> Result
  ) async throws -> Result {
    do {
      let result = try await perform()
      end(name, .result(.success(result)))
      return result
    } catch {
      end(name, Task.isCancelled ? .ownerStopped : .result(.failure(error)))
      throw error
    }
  }

  private func end(_ name: String, _ answer: Answer) {
    let waiting = entries.withLock { $0.removeValue(forKey: name)?.waiting ?? [] }
    for ticket in waiting { ticket.answer(answer) }
  }
}
