// Computes the current trace of a step: hashes of its dependencies and of the files that it made.

import Masking
import Paths
import Workflows

/// The settings that decide whether steps are up to date.
struct StepCache: Sendable {
  let memory: any StepMemory
  /// Keeps the files of results; nil for none.
  var store: (any ResultStore)?
  /// Whether steps run even if they are up to date.
  let isForced: Bool
}

/// Where the steps of a run learn which files they use.
struct LearningSeam: Sendable {
  /// The absolute path of the folder of the project; nil if nothing watches its steps.
  let folder: String?

  /// Returns where a step learns; nil if it does not.
  func place(of rule: CacheRule?, _ executor: any Executor, _ masker: Masker) -> LearningPlace? {
    guard let rule = rule?.learning, let folder else { return nil }
    return try? LearningPlace(folder, rule, executor.environment) {
      StepTrace.hash(masker.masked($0))
    }
  }
}

extension StepCache {
  /// Returns the reasons why a step is not up to date.
  ///
  /// Reads files and the memory, which block.
  ///
  /// - Parameters:
  ///   - step: The step.
  ///   - now: Its current trace, without what it has learnt.
  ///   - place: Where it learns; nil if it does not.
  ///   - earlier: Returns the ids of the steps before it, whose files are there now as they were then.
  /// - Returns: Its last trace, and the reasons; nil if there is none, or only of an attempt that has not
  ///   succeeded.
  func differences(
    of step: Workflow.Step, to now: StepTrace, _ place: LearningPlace?,
    after earlier: () -> Set<String>
  ) -> (then: StepTrace, reasons: [String])? {
    guard let then = memory.recall(step.id), then.unfinishedIn == nil else { return nil }
    var now = now
    if let place { now.learnt = then.learnt?.now(in: place) }
    // Read only if a folder has changed.
    lazy var made = memory.filesMade(without: earlier())
    let reasons = then.differences(to: now, maxAge: step.extrasIfAny?.cache?.maxAge) {
      made.contains($0)
    }
    return (then, reasons)
  }
}

extension StepTrace {
  /// Computes the current trace of a step.
  ///
  /// - Throws: ``FailureReason`` if the key or the hash of a file cannot be computed.
  init(
    of step: Workflow.Step, in workflow: Workflow, _ resolved: ResolvedStep, _ values: RunValues,
    _ executor: any Executor, _ masker: Masker
  ) throws(FailureReason) {
    let rule = step.extrasIfAny?.cache ?? CacheRule()
    let shell = step.shell ?? workflow.shell
    // Masked first: a stored hash of a short secret would allow guessing it.
    let outputs = workflow.settingsOfOutputs(of: step, values)
    self.action = Self.hash(
      masker.masked("\(resolved.action.text) \(shell) \(resolved.directories)\(outputs)"))
    // The variables of dotenv files apply only where none of the name is inherited.
    let weak = resolved.weakEnvironment.filter { executor.environment[$0.key] == nil }
    environment = weak.merging(resolved.environment) { $1 }
      .mapValues { Self.hash(masker.masked($0)) }
    do throws(ResolutionError) {
      key = Self.hash(masker.masked(try workflow.cacheKey(of: step, values)))
    } catch {
      throw .badValue(error.description)
    }
    do {
      // An empty folder is an output, but no input: git does not keep it either.
      inputs = Self.hiding(
        try executor.hashes(ofFiles: rule.inputs, in: resolved.directories)
          .filter { !$0.key.hasSuffix("/") }, masker)
      files = Self.hiding(
        try executor.hashes(ofFiles: rule.expected, in: resolved.directories), masker)
    } catch {
      throw .notStarted(String(describing: error))
    }
    do {
      listed = try rule.dependencyFile.flatMap {
        try executor.hashes(ofFilesListedIn: $0, in: resolved.directories)
      }.map { Self.hiding($0, masker) }
    } catch {
      // Unlike any list that was remembered: the step runs, and writes a new one.
      listed = rule.dependencyFile.map { [$0: "unreadable"] }
    }
    self.outputs = [:]
  }

  /// Masks secrets in the paths of hashed files; files with the same masked path are combined.
  static func hiding(
    _ files: [String: String], _ masker: Masker
  ) -> [String: String] {
    guard !masker.isEmpty else { return files }
    return files.sorted { $0.key < $1.key }.reduce(into: [:]) { hidden, file in
      let name = masker.masked(file.key)
      hidden[name] = hidden[name].map { hash($0 + file.value) } ?? file.value
    }
  }

  static func hash(_ text: String) -> String {
    var hash = SHA256()
    hash.update(text.utf8)
    return hash.hexadecimal
  }
}
