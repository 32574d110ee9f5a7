// Whether a step is up to date, and what is remembered of it. Knows nothing of states and attempts.

import Masking
import Paths
import WorkflowLanguage

extension StepPerformer {
  /// What a step that is about to start is now; nil where it is never up to date.
  ///
  /// - Throws: ``FailureReason`` when that cannot be said: a file cannot be read, say.
  func trace(
    of job: StepJob, _ resolved: ResolvedStep, _ values: RunValues
  ) throws(FailureReason) -> StepTrace? {
    guard job.step.extrasIfAny?.cache != nil, cache != nil else { return nil }
    return try StepTrace(
      of: job.step, in: workflow, resolved, values, executor, secrets.masker)
  }

  /// The outputs of a step that is up to date; nil when it has to run.
  func outputsIfUpToDate(_ now: StepTrace, _ job: StepJob) async -> StepOutputs? {
    guard let cache, !cache.isForced else { return nil }
    let then = await memoryQueue.result { cache.memory.recall(job.step.id) }
    guard let then, then.differences(to: now).isEmpty else { return nil }
    return then.outputs
  }

  /// Forgets a step that is about to run.
  func forget(_ job: StepJob) async throws(FailureReason) {
    guard let cache else { return }
    let result = await memoryQueue.result { Result { try cache.memory.forget(job.step.id) } }
    if case .failure(let error) = result {
      throw .notStarted("what is remembered of it cannot be forgotten: \(error)")
    }
  }

  /// The files that a step was declared to make, with their hashes.
  ///
  /// - Returns: The files; nil where it declares none, or where they cannot be read.
  func filesMade(by context: StepContext) -> [String: String]? {
    guard let rule = context.step.extrasIfAny?.cache else { return nil }
    return try? executor.hashes(ofFiles: rule.outputs, in: context.resolved.directories)
  }

  /// Finds a pattern under `cache.outputs` that names no file; nil when all do.
  ///
  /// The step has failed then, though it ended well: a step whose output is misspelt would be up to date for ever after.
  func missingFiles(_ files: [String: String]?, _ context: StepContext) -> String? {
    guard let files, let rule = context.step.extrasIfAny?.cache else { return nil }
    guard let search = try? searches.search(for: rule.outputs) else { return nil }
    let matched = files.keys.reduce(into: Set<Int>()) { matched, path in
      matched.formUnion(search.patterns(matching: path))
    }
    return rule.outputs.indices.first { !matched.contains($0) && !search.takesAway[$0] }.map {
      "there is no file that \"\(rule.outputs[$0])\" under cache.outputs names"
    }
  }

  /// Remembers a step that has succeeded.
  ///
  /// - Parameters:
  ///   - before: What it was when it started.
  ///   - context: The step.
  ///   - files: The files that it made.
  ///   - outputs: What it has left.
  func remember(
    _ before: StepTrace, _ context: StepContext, _ files: [String: String], _ outputs: StepOutputs
  ) async {
    guard let cache else { return }
    var trace = before
    trace.outputs = outputs
    trace.files = StepTrace.hiding(files, context.masker)
    // What cannot be written now only makes the step run again.
    await memoryQueue.result { [trace] in try? cache.memory.remember(trace, of: context.step.id) }
  }
}
