// Lets steps that do the same at the same time be carried out once. Knows nothing of what they do, nor of the runs
// that they belong to.

import Synchronization
import WorkflowLanguage

/// What is under way for several steps, by the name under which they share it.
///
/// One of them does the work, as if it were alone; the others wait for its result, a failure included. When the one
/// is stopped before it has a result, another takes its place: so nothing of a step goes on after the step is over.
/// That is why this is not ``SharedPublishers``, where the work outlives whoever began it. It is no cache: what has
/// ended is forgotten.
///
/// Safe to use from any thread.
final class SharedWork: Sendable {
  /// What a step would do, as far as can be told: of closures nobody can, so they are taken at their word.
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

  /// What the work of one has come to, for all.
  struct Result: Sendable {
    let outputs: StepOutputs
    let standardOutput: String
  }

  private enum Answer: Sendable {
    case result(Swift.Result<Result, any Error>)
    /// The step that did the work was stopped.
    case again
  }

  private struct Entry {
    let work: Work
    let owner: String
    /// The tickets of the steps that wait.
    ///
    /// Some may have been cancelled since.
    var waiting: [Ticket<Answer>] = []
  }

  private enum Turn {
    case toLead
    case toWait(Ticket<Answer>, owner: String)
    case tooDifferent(owner: String)
  }

  private let entries = Mutex<[String: Entry]>([:])

  init() {}

  /// How many names are under way.
  var count: Int { entries.withLock { $0.count } }

  /// Does work under a name, or waits for somebody who does it already.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - work: What is done: what is shared has to be the same.
  ///   - owner: What whoever waits is told of who does the work.
  ///   - onWait: Called before waiting, with the owner of the work.
  ///   - perform: Does the work; when the surrounding task is cancelled it ends.
  /// - Returns: What the work has come to.
  /// - Throws: What the work throws; `CancellationError` when the surrounding task is cancelled; ``FailureReason``
  ///   when something else is under way by that name.
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
        case .again: continue
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
      end(name, Task.isCancelled ? .again : .result(.failure(error)))
      throw error
    }
  }

  private func end(_ name: String, _ answer: Answer) {
    let waiting = entries.withLock { $0.removeValue(forKey: name)?.waiting ?? [] }
    for ticket in waiting { ticket.answer(answer) }
  }
}
