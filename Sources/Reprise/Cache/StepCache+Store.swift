// Results of steps that match what is there now, from the store.

import Paths
import Platform
import Workflows

/// An earlier result of a step that need not run.
struct EarlierResult: Sendable {
  let trace: StepTrace
  /// Whether its files were restored.
  var isRestored = false
  /// What the step wrote then, if its files were restored.
  var log: String?
}

/// Where the files of a step are.
struct StepFolders: Sendable {
  /// The absolute path of the folder of the project.
  let project: String
  /// The path of the step's directory, relative to it.
  let step: String

  /// Creates them; fails if the step runs outside of the project.
  ///
  /// - Parameters:
  ///   - project: The absolute path of the folder of the project.
  ///   - directories: The directories of the step, each relative to the previous one.
  init?(_ project: String, _ directories: [String]) {
    self.project = project
    var parts: [Substring] = []
    for part in directories.joined(separator: "/").split(separator: "/") where part != "." {
      if part != ".." {
        parts.append(part)
      } else if parts.popLast() == nil {
        return nil
      }
    }
    guard directories.allSatisfy({ !$0.hasPrefix("/") }) else { return nil }
    step = parts.joined(separator: "/")
  }

  /// Returns the absolute path of a file of the project; a folder may end in `/`.
  func absolute(_ path: String) -> String {
    joinedPath(project, path.hasSuffix("/") ? String(path.dropLast()) : path)
  }

  /// Returns a path relative to the project; nil for files outside.
  func inProject(_ path: String) -> String? {
    let whole = step.isEmpty ? path : step + "/" + path
    return whole.hasPrefix("/") || path.split(separator: "/").contains("..") ? nil : whole
  }
}

extension StepMemory {
  /// Notes that an attempt begins: until it succeeds, only what the step has made before is of use.
  ///
  /// - Parameters:
  ///   - step: The id of the step.
  ///   - run: The run of the attempt.
  /// - Returns: Whether another run is running the step.
  /// - Throws: An error if that could not be noted; the step must not run then.
  func begin(_ step: String, in run: RunID) throws -> Bool {
    var last = recall(step) ?? StepTrace.ofNothing
    let isShared = isRun(last, besides: run)
    last.leftBefore = last.unfinishedIn == nil ? last.left ?? [:] : last.left
    last.left = nil
    last.unfinishedIn = run
    try remember(last, of: step)
    return isShared
  }

  /// Returns whether another run is running a step.
  ///
  /// - Parameters:
  ///   - last: The trace of the step.
  ///   - run: This run.
  /// - Returns: Whether it is.
  func isRun(_ last: StepTrace?, besides run: RunID) -> Bool {
    guard let other = last?.unfinishedIn, other != run else { return false }
    return (self as? any ProjectMemory)?.isLive(other) ?? false
  }

  /// Returns the files that other steps have made, of this workflow and of others.
  ///
  /// - Parameter step: The id of the step.
  /// - Returns: Their paths, and those of their folders.
  func filesOfOthers(than step: String) -> Set<String> {
    var made = filesMade(without: [step])
    for trace in (self as? any ProjectMemory)?.recallOthers() ?? [] {
      made.formUnion(trace.filesLearnt)
      made.formUnion(trace.files.keys)
    }
    return made
  }
}

extension StepTrace {
  /// What a step does, apart from the files that it reads: results of the same task may replace each other.
  ///
  /// - Parameters:
  ///   - step: The id of the step, which its script may read.
  ///   - rule: Its rule.
  /// - Returns: A hash.
  func task(of step: String, _ rule: CacheRule) -> String {
    let variables = environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    return Self.hash(
      ([step, action, key] + variables + ["makes"] + rule.expected
        + [rule.learning == nil ? "" : "auto"]).joined(separator: "\0"))
  }

  /// The files that the step has made, by path in the project; nil if some are outside.
  func made(in folders: StepFolders) -> [String: String]? {
    var made = (learnt?.made ?? [:]).mapValues(\.content)
    for (path, hash) in files {
      guard let whole = folders.inProject(path) else { return nil }
      made[whole] = made[whole] ?? hash
    }
    return made
  }
}

extension StepTrace {
  /// A trace of a step that has never succeeded.
  static let ofNothing = StepTrace(
    action: "", environment: [:], key: "", inputs: [:], files: [:], outputs: [:])

  /// The files that only the step can have made: they were not there before.
  func own(in folders: StepFolders) -> Set<String> {
    guard let found, let made = made(in: folders) else { return [] }
    return Set(made.keys).subtracting(found)
  }

  /// Whether a step that succeeded so can be taken as done when its inputs are as they were then.
  ///
  /// One that makes no file may have done something elsewhere, such as a deployment: being up to date means
  /// that this was the last that it has done.
  var canBeRestored: Bool {
    guard nothingLearnt == nil else { return false }
    return !files.isEmpty || learnt.map { !$0.made.isEmpty || !$0.usesNetwork } ?? false
  }
}

extension CacheRule {
  /// Whether results of a step may be restored: not if they grow old, or if its work was undone since.
  fileprivate func allowsRestoring(_ step: Workflow.Step) -> Bool {
    maxAge == nil && step.extrasIfAny?.canBeUndone != true
  }
}

extension StepCache {
  /// Keeps a result, if there is a store.
  ///
  /// A failure is harmless: the result cannot be restored then.
  func save(
    _ trace: StepTrace, of step: Workflow.Step, in folders: StepFolders?, _ log: String?,
    isShareable: Bool
  ) {
    guard let store, let folders, let rule = step.extrasIfAny?.cache, rule.allowsRestoring(step),
      trace.canBeRestored, let made = trace.made(in: folders)
    else { return }
    var files: [StoredResult.File] = []
    for path in made.keys.sorted() {
      let name = path.hasSuffix("/") ? String(path.dropLast()) : path
      let place = folders.absolute(path)
      guard let status = try? Stat(at: place, followsLink: false),
        let state = try? FileState.now(at: place, like: trace.learnt?.made[path])
      else { return }
      files.append(
        StoredResult.File(
          path: name, content: state.content, mode: UInt32(status.mode.rawValue) & 0o777,
          size: status.size))
    }
    let id = String(UInt64.random(in: .min ... .max), radix: 36)
    try? store.save(
      StoredResult(
        id: id, task: trace.task(of: step.id, rule), trace: trace, files: files, log: log),
      from: folders.project, isShareable: isShareable)
  }

  /// Returns the earlier results of a step whose inputs are those of now.
  ///
  /// - Parameters:
  ///   - step: The step.
  ///   - now: Its current trace, without what it has learnt.
  ///   - place: Where it learns; nil if it does not.
  ///   - folders: Where its files are.
  ///   - earlier: Returns the ids of the steps before it.
  /// - Returns: The results, newest first.
  func results(
    of step: Workflow.Step, like now: StepTrace, _ place: LearningPlace?, _ folders: StepFolders,
    after earlier: () -> Set<String>
  ) -> [StoredResult] {
    guard let store, let rule = step.extrasIfAny?.cache, rule.allowsRestoring(step)
    else { return [] }
    lazy var made = memory.filesMade(without: earlier())
    return store.results(of: now.task(of: step.id, rule)).filter { result in
      guard result.trace.canBeRestored else { return false }
      var current = now
      if let place { current.learnt = result.trace.learnt?.now(in: place) }
      if rule.dependencyFile != nil {
        current.listed = Self.hashes(of: result.trace.listed ?? [:], in: folders)
      }
      return result.trace.inputDifferences(to: current) { made.contains($0) }.isEmpty
    }
  }

  /// Restores the files of an earlier result whose inputs are those of now.
  ///
  /// - Returns: The result; nil if there is none, or its files cannot be restored.
  func restore(
    _ step: Workflow.Step, _ now: StepTrace, _ place: LearningPlace?, _ folders: StepFolders,
    in run: RunID, after earlier: () -> Set<String>
  ) -> EarlierResult? {
    for result in results(of: step, like: now, place, folders, after: earlier) {
      guard let store, let wanted = result.trace.made(in: folders) else { continue }
      // Until its files are right, they are those of no success.
      let last = memory.recall(step.id)
      // An attempt that has not succeeded may have left files that the step would remove or overwrite.
      if let last, last.unfinishedIn != nil && last.left == nil { return nil }
      guard !memory.isRun(last, besides: run), (try? memory.begin(step.id, in: run)) != nil
      else { return nil }
      // What only this step has made, and this result does not have.
      lazy var others = memory.filesOfOthers(than: step.id)
      let own = last?.own(in: folders) ?? []
      let removing = (last?.made(in: folders) ?? [:]).filter { own.contains($0.key) }
        .merging(last?.left ?? [:]) { $1 }
        .filter { wanted[$0.key] == nil && !others.contains($0.key) }
      let found = wanted.keys.filter { path in
        !own.contains(path) && (try? Stat(at: folders.absolute(path), followsLink: false)) != nil
      }
      do {
        try store.restore(result, in: folders.project, removing: removing)
      } catch {
        // Otherwise it is not known any more what there is.
        if let last, last.unfinishedIn == nil { try? memory.remember(last, of: step.id) }
        continue
      }
      var trace = result.trace
      trace.found = Set(found)
      if let place, let learnt = trace.learnt?.now(in: place) {
        guard trace.learnt?.outputDifferences(to: learnt).isEmpty == true else { continue }
        trace.learnt?.made = learnt.made
      }
      try? memory.remember(trace, of: step.id)
      return EarlierResult(trace: trace, isRestored: true, log: result.log)
    }
    return nil
  }

  private static func hashes(
    of listed: [String: String], in folders: StepFolders
  ) -> [String: String] {
    var hashes: [String: String] = [:]
    for path in listed.keys {
      let place = joinedPath(joinedPath(folders.project, folders.step), path)
      hashes[path] = (try? contentHash(ofFile: path.hasPrefix("/") ? path : place)) ?? nil
    }
    return hashes
  }
}
