// Caching of steps: whether a step is up to date, and remembering its result.

import Masking
import Paths
import Platform
import Workflows

/// The stage that finds out whether a step is up to date, and remembers its result.
struct CacheStage: StepStage {
  let tools: StageTools
  let executor: any Executor
  let cache: StepCache?
  /// The queue on which the cache's memory is read and written, since both block.
  let memoryQueue: any WorkQueue
  let learning: LearningSeam
  /// Compiled file patterns of recent steps.
  let searches = FileSearches()

  /// Returns the trace of a step that is about to start; nil if the step is not cached.
  ///
  /// A trace holds the inputs of a step. The step is up to date if they equal those of the
  /// remembered trace.
  ///
  /// - Throws: ``FailureReason`` if the trace cannot be computed, for example because a file cannot
  ///   be read.
  func trace(
    of job: StepJob, _ resolved: ResolvedStep, _ values: RunValues
  ) throws(FailureReason) -> StepTrace? {
    guard job.step.extrasIfAny?.cache != nil, cache != nil else { return nil }
    var trace = try StepTrace(
      of: job.step, in: job.workflow, resolved, values, executor, masker)
    trace.time = clock.now
    return trace
  }

  /// Returns the last result of a step that is up to date, or an earlier one whose files have been
  /// restored; nil if the step must run.
  func earlierResult(
    _ now: StepTrace, _ job: StepJob, _ resolved: ResolvedStep
  ) async -> EarlierResult? {
    guard let cache, !cache.isForced else { return nil }
    let place = learning.place(of: job.step.extrasIfAny?.cache, executor, masker)
    let folders = folders(of: resolved)
    let before = { @Sendable in Set(job.plan.steps(before: job.index).map { job.plan[$0].id }) }
    let run = ledger.run
    return await memoryQueue.result {
      if let (then, reasons) = cache.differences(of: job.step, to: now, place, after: before),
        reasons.isEmpty
      {
        return EarlierResult(trace: then)
      }
      return folders.flatMap {
        cache.restore(job.step, now, place, $0, in: run, after: before)
      }
    }
  }

  /// Returns where the files of a step are; nil if they cannot be restored there.
  private func folders(of resolved: ResolvedStep) -> StepFolders? {
    learning.folder.flatMap { StepFolders($0, resolved.directories) }
  }

  /// Skips a waiting step that is up to date.
  ///
  /// - Returns: The result of such a step; nil for others.
  func result(of job: StepJob, _ prepared: PreparedAttempt) throws(Withdrawn) -> StepResult? {
    guard let earlier = prepared.earlier else { return nil }
    let outputs = withGivenValues(earlier.trace.outputs, of: job)
    let note = prepared.trace?.problemWithInputs(of: job.step, searches).map(masked)
    let reason: SkipReason =
      if earlier.isRestored {
        .restored
      } else {
        earlier.trace.run == ledger.run ? .upToDateInRun(note: note) : .upToDate(note: note)
      }
    if let log = earlier.log { repeatOutput(log, earlier.trace.run, of: job) }
    try begin(.skipped(reason, outputs), of: job)
    ledger.decide { $0.controls[job.index].end() }
    return .succeeded(outputs)
  }

  /// Shows what a step wrote in the run whose result is restored.
  private func repeatOutput(_ log: String, _ run: RunID?, of job: StepJob) {
    let origin = run.map { " in run \($0)" } ?? ""
    for text in ["reprise: restored; this is what it wrote\(origin):", masked(log)] {
      _ = record(.output(.standardOutput, text: text, isPartial: false), of: job, attempt: 0)
    }
  }

  /// Adds a warning to the output of a step if a pattern under `cache.inputs` matches no file.
  func warnOfInputs(_ job: StepJob, _ trace: StepTrace?, attempt: Int) {
    guard let problem = trace?.problemWithInputs(of: job.step, searches) else { return }
    warn(problem, of: job, attempt: attempt)
  }

  /// Adds a warning to the output of a step.
  func warn(_ text: String, of job: StepJob, attempt: Int) {
    _ = record(
      .output(.standardError, text: masked("reprise: warning: \(text)"), isPartial: false),
      of: job, attempt: attempt)
  }

  /// Takes back the remembered result of a step that is about to run.
  ///
  /// - Returns: Whether another run is running the step, so that what it makes may be of both.
  @discardableResult
  func forget(_ step: String) async throws(FailureReason) -> Bool {
    guard let cache else { return false }
    let run = ledger.run
    let result = await memoryQueue.result { Result { try cache.memory.begin(step, in: run) } }
    switch result {
    case .success(let isShared): return isShared
    case .failure(let error): throw .notStarted("cannot take back its cache entry: \(error)")
    }
  }

  /// Returns the files that match `cache.makes` of a step, with their hashes.
  ///
  /// - Returns: The hashes by path; nil if the step has no `cache` or the files cannot be read.
  func filesMade(by context: StepContext) -> [String: String]? {
    guard let rule = context.step.extrasIfAny?.cache else { return nil }
    return try? executor.hashes(ofFiles: rule.expected, in: context.resolved.directories)
  }

  /// Returns an error message if a pattern under `cache.makes` matches no file, or the depfile
  /// cannot be used.
  ///
  /// The step then counts as failed although its action succeeded: a misspelled pattern, or a file
  /// that is not listed, would otherwise make it up to date forever.
  func missingFiles(_ files: [String: String]?, _ context: StepContext) -> String? {
    guard let files, let rule = context.step.extrasIfAny?.cache else { return nil }
    if let depfile = rule.dependencyFile {
      guard files[depfile] != nil else { return "there is no depfile \"\(depfile)\"" }
      do {
        _ = try executor.hashes(ofFilesListedIn: depfile, in: context.resolved.directories)
      } catch {
        guard case .notStarted(let text)? = error as? FailureReason else { return "\(error)" }
        return text
      }
    }
    return (try? searches.search(for: rule.outputs))?.unmatched(among: files.keys).first.map {
      "no file matches \"\(rule.outputs[$0])\" under cache.makes"
    }
  }

  /// Remembers the result of a step that has succeeded.
  ///
  /// - Parameters:
  ///   - before: The trace of the step when it started.
  ///   - context: The step.
  ///   - files: The files that it made, with their hashes.
  ///   - outputs: The outputs of the step.
  /// - Returns: The reason why a step with `cache: auto` will run again, a clause; nil if it need not.
  func remember(
    _ before: StepTrace, _ context: StepContext, _ files: [String: String], _ outputs: StepOutputs
  ) async -> String? {
    guard let cache else { return nil }
    var trace = before
    trace.outputs = outputs
    trace.run = ledger.run
    trace.time = clock.now
    trace.files = StepTrace.hiding(files, context.masker)
    if let depfile = context.step.extrasIfAny?.cache?.dependencyFile {
      // Without the list, the step must run again.
      guard
        let listed = try? executor.hashes(
          ofFilesListedIn: depfile, in: context.resolved.directories)
      else { return nil }
      // A file that has changed during the step counts as it was before.
      trace.listed = StepTrace.hiding(listed, context.masker)
        .merging(before.listed ?? [:]) { now, before in before }
        .filter { listed[$0.key] != nil || !context.masker.isEmpty }
    }
    let rule = context.step.extrasIfAny?.cache
    let place = learning.place(of: rule, executor, masker)
    let isLearning = rule?.learning != nil
    let folders = folders(of: context.resolved)
    return await memoryQueue.result { [trace] in
      var trace = trace
      let last = cache.memory.recall(context.step.id)
      // Another run that has begun it since has noted itself, and may have ended.
      if let last, last.unfinishedIn != trace.run {
        return "another run was running it at the same time"
      }
      // Read only if a folder has changed: it takes as long as there are steps.
      lazy var others = cache.memory.filesMade(without: [context.step.id])
      if isLearning, trace.nothingLearnt == nil {
        trace.learn(from: context, in: place) { others.contains($0) }
      }
      if let folders {
        trace.noteFound(before.files.keys, context, last, folders)
        let made = trace.made(in: folders) ?? [:]
        trace.left = last?.leftBefore?.filter { made[$0.key] == nil }
      }
      // A failed write is harmless: it only makes the step run again.
      try? cache.memory.remember(trace, of: context.step.id)
      cache.save(
        trace, of: context.step, in: folders, context.log?.kept, isShareable: context.masker.isEmpty
      )
      return trace.nothingLearnt
    }
  }
}

extension CacheStage {
  /// Notes what the only attempt of a step has left that has not succeeded, so that an earlier result can take
  /// its place.
  ///
  /// Notes nothing if that is not known for certain: the step runs then.
  func noteLeft(by context: StepContext) async {
    guard let cache, cache.store != nil, context.attempt == 1, let watch = context.watch,
      let place = learning.place(of: context.step.extrasIfAny?.cache, executor, masker),
      let folders = folders(of: context.resolved), case .files(let report) = watch.seen
    else { return }
    let run = ledger.run
    await memoryQueue.result {
      lazy var others = cache.memory.filesMade(without: [context.step.id])
      guard var last = cache.memory.recall(context.step.id), last.unfinishedIn == run,
        let before = last.leftBefore,
        let learnt = try? LearntFiles(
          report, in: place, since: watch.startedAt, isMade: { others.contains($0) })
      else { return }
      // What was there before and is not its own would stay as it is now; or what it has made is that, under
      // another name.
      let own = last.own(in: folders).union(before.keys)
      guard report.changed(in: place, without: own).isEmpty else { return }
      last.left = before.merging(learnt.made.mapValues(\.content)) { $1 }
      try? cache.memory.remember(last, of: context.step.id)
    }
  }
}

extension StepTrace {
  /// Takes what a successful attempt has used and made, or the reason why that is not known.
  ///
  /// Reads these files, which blocks.
  fileprivate mutating func learn(
    from context: StepContext, in place: LearningPlace?, isMade: (String) -> Bool
  ) {
    do throws(NothingLearnt) {
      guard let place, let watch = context.watch else {
        throw NothingLearnt(
          reason: context.step.extrasIfAny?.isWatched == false
            ? "it has watch: false" : "this engine watches no files")
      }
      guard context.attempt == 1 else {
        throw NothingLearnt(reason: "it has taken \(context.attempt) attempts")
      }
      switch watch.seen {
      case .nothing(let reason): throw NothingLearnt(reason: reason)
      case .files(let report):
        try context.expectOwnFolderUnused(report)
        let learnt = try LearntFiles(report, in: place, since: watch.startedAt, isMade: isMade)
        let names = [learnt.used, learnt.made].flatMap(\.keys) + learnt.absent
        guard context.masker.isEmpty || names.allSatisfy({ context.masker.masked($0) == $0 }) else {
          throw NothingLearnt(reason: "the name of a file contains a secret")
        }
        self.learnt = learnt
      }
    } catch {
      nothingLearnt = context.masker.masked(error.reason)
    }
  }
}

extension StepTrace {
  /// Notes which of the files that the step has made were there before and are not its own: they are never
  /// removed.
  fileprivate mutating func noteFound(
    _ declared: some Sequence<String>, _ context: StepContext, _ last: StepTrace?,
    _ folders: StepFolders
  ) {
    var there = Set(declared.compactMap(folders.inProject))
    if case .files(let report)? = context.watch?.seen {
      let prefix = folders.project == "/" ? "/" : folders.project + "/"
      for use in report.uses where use.first != nil && use.path.hasPrefix(prefix) {
        let path = String(use.path.dropFirst(prefix.count))
        if learnt?.made[path] != nil { there.insert(path) }
        // What it has made may be that, under another name.
        if use.kinds.contains(.removed), last?.own(in: folders).contains(path) != true {
          there.formUnion(made(in: folders)?.keys.map(\.self) ?? [])
        }
      }
    }
    found = there.subtracting(last?.own(in: folders) ?? [])
  }
}

extension FileReport {
  /// The files of a project that were there before, and that an attempt has changed, removed or moved.
  ///
  /// - Parameters:
  ///   - place: The project.
  ///   - own: The files that do not count.
  /// - Returns: Their paths.
  fileprivate func changed(in place: LearningPlace, without own: Set<String>) -> [String] {
    uses.compactMap { use in
      guard use.first != nil, !use.kinds.isDisjoint(with: [.written, .removed]),
        !use.kinds.contains(.sameContent), let path = place.relative(use.path)
      else { return nil }
      return own.contains(path) || place.ignores(path) ? nil : path
    }
  }
}

extension StepContext {
  /// Checks that an attempt has not used the folder of the run, which is another one in each run.
  fileprivate func expectOwnFolderUnused(_ report: FileReport) throws(NothingLearnt) {
    let names = ["REPRISE_RUN_ID", "REPRISE_GENERATION", "REPRISE_ATTEMPT"]
    if let name = names.first(where: resolved.action.text.contains) {
      throw NothingLearnt(reason: "it uses \(name), which is different in each run")
    }
    guard let folder = runDirectory.flatMap({ realPath($0) }) else { return }
    if let use = report.uses.first(where: { $0.path.hasPrefix(folder + "/") }) {
      let name = use.path.dropFirst(folder.count + 1)
      throw NothingLearnt(
        reason:
          "it uses the file \"\(name)\" in the folder of the run, which is another one in each run")
    }
  }
}

extension StepTrace {
  /// Returns a warning if a pattern under `cache.inputs` matches no file, as a clause.
  ///
  /// A misspelled pattern makes a step up to date forever.
  func problemWithInputs(of step: Workflow.Step, _ searches: FileSearches) -> String? {
    let patterns = step.extrasIfAny?.cache?.inputs ?? []
    return (try? searches.search(for: patterns))?.unmatched(among: inputs.keys).first.map {
      "no file matches \"\(patterns[$0])\" under cache.inputs"
    }
  }
}
