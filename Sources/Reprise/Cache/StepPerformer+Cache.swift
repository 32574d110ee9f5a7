// Whether a step is up to date, and what is remembered of it. Knows nothing of states and attempts.

import Masking
import Paths
import WorkflowLanguage

/// What decides whether steps are up to date.
struct StepCache: Sendable {
  let memory: any StepMemory
  /// Whether steps run even when they are.
  let isForced: Bool
}

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
  func outputsIfUpToDate(_ now: StepTrace, _ job: StepJob) -> StepOutputs? {
    guard let cache, !cache.isForced, let then = cache.memory.recall(job.step.id),
      then.differences(to: now).isEmpty
    else { return nil }
    return then.outputs
  }

  /// Forgets a step that is about to run.
  func forget(_ job: StepJob) throws(FailureReason) {
    do {
      try cache?.memory.forget(job.step.id)
    } catch {
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
  ) {
    guard let cache else { return }
    var trace = before
    trace.outputs = outputs
    trace.files = StepTrace.hiding(files, context.masker)
    // What cannot be written now only makes the step run again.
    try? cache.memory.remember(trace, of: context.step.id)
  }
}

extension StepTrace {
  /// What a step is now.
  ///
  /// - Throws: ``FailureReason`` when that cannot be said.
  init(
    of step: Workflow.Step, in workflow: Workflow, _ resolved: ResolvedStep, _ values: RunValues,
    _ executor: any Executor, _ masker: Masker
  ) throws(FailureReason) {
    let rule = step.extrasIfAny?.cache ?? CacheRule()
    let shell = step.shell ?? workflow.shell
    // The arguments of a call are a map, which has no order.
    let action =
      if case .call(let name, let arguments) = resolved.action {
        "call \(name) " + ArgumentValue.map(arguments).value.json
      } else if case .perform = resolved.action {
        "a closure"
      } else {
        "\(resolved.action)"
      }
    // Not even a hash of a secret is kept: a short one could be guessed from it.
    self.action = Self.hash(masker.masked("\(action) \(shell) \(resolved.directories)"))
    environment = resolved.environment.mapValues { Self.hash(masker.masked($0)) }
    do throws(ResolutionError) {
      key = Self.hash(masker.masked(try workflow.cacheKey(of: step, values)))
    } catch {
      throw .badValue(error.description)
    }
    do {
      inputs = Self.hiding(
        try executor.hashes(ofFiles: rule.inputs, in: resolved.directories), masker)
      files = Self.hiding(
        try executor.hashes(ofFiles: rule.outputs, in: resolved.directories), masker)
    } catch {
      throw .notStarted(String(describing: error))
    }
    outputs = [:]
  }

  /// The hashes of files, whose names may have a secret in them; files whose names then are the same count as one.
  fileprivate static func hiding(
    _ files: [String: String], _ masker: Masker
  ) -> [String: String] {
    guard !masker.isEmpty else { return files }
    return files.sorted { $0.key < $1.key }.reduce(into: [:]) { hidden, file in
      let name = masker.masked(file.key)
      hidden[name] = hidden[name].map { hash($0 + file.value) } ?? file.value
    }
  }

  private static func hash(_ text: String) -> String {
    var hash = SHA256()
    hash.update(text.utf8)
    return hash.hexadecimal
  }
}
