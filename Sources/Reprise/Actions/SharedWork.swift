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
  private enum Answer: Sendable {
    case result(Result<StepOutputs, any Error>)
    /// Whoever did the work was stopped.
    case again
    /// Whoever waits was stopped.
    case stopped
  }

  private struct Entry {
    let resolved: ResolvedStep
    let owner: String
    /// Those who wait, by number; nil for one who is about to.
    var waiting: [Int: CheckedContinuation<Answer, Never>?] = [:]
  }

  private struct State {
    var entries: [String: Entry] = [:]
    var nextNumber = 0
    /// The answers to those who were about to wait.
    var answers: [Int: Answer] = [:]
  }

  private enum Turn {
    case toLead
    case toWait(Int, owner: String)
    case tooDifferent(owner: String)
  }

  private let state = Mutex(State())

  init() {}

  /// How many names are under way.
  var count: Int { state.withLock { $0.entries.count } }

  /// Does work under a name, or waits for somebody who does it already.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - resolved: The step with its values: what is shared has to be the same.
  ///   - owner: What whoever waits is told of who does the work.
  ///   - onWait: Called before waiting, with the owner of the work.
  ///   - perform: Does the work; when the surrounding task is cancelled it ends.
  /// - Returns: What the work leaves.
  /// - Throws: What the work throws; `CancellationError` when the surrounding task is cancelled; ``FailureReason``
  ///   when something else is under way by that name.
  func outputs(
    of name: String, _ resolved: ResolvedStep, owner: String,
    onWait: @Sendable (String) -> Void,
    perform: @Sendable () async throws -> StepOutputs
  ) async throws -> StepOutputs {
    while true {
      switch turn(name, resolved, owner) {
      case .toLead:
        return try await lead(name, perform)
      case .tooDifferent(let other):
        throw FailureReason.badValue(
          "\(other) shares the name \"\(name)\" and does something else; "
            + "steps that share a name must have the same action, env and dir")
      case .toWait(let number, let other):
        onWait(other)
        switch await answer(to: number, name) {
        case .result(let result): return try result.get()
        case .again: continue
        case .stopped: throw CancellationError()
        }
      }
    }
  }

  private func turn(_ name: String, _ resolved: ResolvedStep, _ owner: String) -> Turn {
    state.withLock { state in
      guard let entry = state.entries[name] else {
        state.entries[name] = Entry(resolved: resolved, owner: owner)
        return .toLead
      }
      guard entry.resolved.doesTheSame(as: resolved) else {
        return .tooDifferent(owner: entry.owner)
      }
      state.nextNumber += 1
      state.entries[name]?.waiting[state.nextNumber] = .some(nil)
      return .toWait(state.nextNumber, owner: entry.owner)
    }
  }

  private func lead(
    _ name: String, _ perform: @Sendable () async throws -> StepOutputs
  ) async throws -> StepOutputs {
    do {
      let outputs = try await perform()
      end(name, .result(.success(outputs)))
      return outputs
    } catch {
      end(name, Task.isCancelled ? .again : .result(.failure(error)))
      throw error
    }
  }

  private func end(_ name: String, _ answer: Answer) {
    let waiting = state.withLock { state in
      let entry = state.entries.removeValue(forKey: name)
      var waiting: [CheckedContinuation<Answer, Never>] = []
      for (number, continuation) in entry?.waiting ?? [:] {
        if let continuation { waiting.append(continuation) } else { state.answers[number] = answer }
      }
      return waiting
    }
    for continuation in waiting { continuation.resume(returning: answer) }
  }

  private func answer(to number: Int, _ name: String) async -> Answer {
    let answer = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer = state.withLock { state in
          let answer = state.answers[number]
          if answer == nil { state.entries[name]?.waiting[number] = continuation }
          return answer
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      let continuation = state.withLock { state in
        let continuation = state.entries[name]?.waiting.removeValue(forKey: number) ?? nil
        if continuation == nil { state.answers[number] = .stopped }
        return continuation
      }
      continuation?.resume(returning: .stopped)
    }
    state.withLock { $0.answers[number] = nil }
    return answer
  }
}

extension ResolvedStep {
  /// Whether two steps would do the same.
  ///
  /// Of closures nobody can tell, so they are taken at their word.
  fileprivate func doesTheSame(as other: ResolvedStep) -> Bool {
    if case .perform = action, case .perform = other.action { return true }
    return action == other.action && environment == other.environment
      && weakEnvironment == other.weakEnvironment && directories == other.directories
  }
}
