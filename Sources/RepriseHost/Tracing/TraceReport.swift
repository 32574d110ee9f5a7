// `TraceReport`: what a watched run says about the needs and inputs of its workflow.

import Paths
package import Reprise
import RepriseTerminal
import Synchronization

/// Collects the files that the attempts of a run use; the last attempt of each step counts.
package final class SeenFiles: Sendable {
  private let seen = Mutex<[String: FileWatch.Seen]>([:])

  package init() {}

  package func add(_ files: FileWatch.Seen, of step: String) {
    seen.withLock { $0[step] = files }
  }

  /// The files by the ids of steps.
  package var all: [String: FileWatch.Seen] { seen.withLock { $0 } }
}

/// The files that say nothing about needs.
package struct IgnoredFiles: Sendable {
  /// What programs keep for themselves.
  private static let usual = OwnFiles.ofReprise + OwnFiles.ofTools + [".git/**"]

  private let search: FileSearch

  /// Creates the set of what programs keep for themselves, and of the files that patterns match.
  ///
  /// - Parameter patterns: Patterns, relative to the folder that is watched.
  /// - Throws: ``Problem`` if a pattern is invalid.
  package init(_ patterns: [String]) throws(Problem) {
    do {
      search = try FileSearch(Self.usual + patterns)
    } catch {
      throw Problem("error: --ignore: \(error)")
    }
  }

  func contains(_ path: String) -> Bool { search.names(path) }
}

/// Compares the files that the steps of a run have used with its workflow.
package struct TraceReport: Sendable {
  /// What is wrong, in the order of the steps.
  package private(set) var problems: [FileProblem] = []
  /// The steps of which nothing is known, each with the reason.
  package private(set) var unseen: [(step: String, reason: String)] = []
  /// What could not be seen of steps whose other files are known.
  package private(set) var gaps: [(step: String, note: String)] = []
  /// The number of steps whose files are known.
  package private(set) var seenCount = 0

  private let folder: String

  /// Whether some needs are missing, or steps get in each other's way.
  package var hasRaces: Bool {
    problems.contains {
      switch $0.kind {
      case .missingNeed, .conflict: true
      case .superfluousNeed, .undeclaredInput, .unreadInput: false
      }
    }
  }

  /// Compares.
  ///
  /// - Parameters:
  ///   - run: A run that has ended.
  ///   - seen: The files that its steps have used.
  ///   - folder: The absolute path of the folder that was watched.
  ///   - ignored: What says nothing about needs.
  package init(
    of run: Run, _ seen: [String: FileWatch.Seen], in folder: String, ignoring ignored: IgnoredFiles
  ) {
    self.folder = folder
    let workflow = run.workflow
    let ids = workflow.steps.map(\.id)
    let setters = Set(
      ids.indices.filter {
        StepVariables.areAmong(run.state[ids[$0]]?.values.outputs ?? [:])
      })
    var steps: [TracedStep] = []
    for (position, step) in workflow.steps.enumerated() {
      var files: FileReport?
      switch seen[step.id] {
      case .files(let report):
        files = report
        seenCount += 1
        gaps += report.notes.map { (step.id, $0) }
      case .nothing(let reason): unseen.append((step.id, reason))
      case nil where step.extrasIfAny?.isWatched == false:
        unseen.append((step.id, "watch: false"))
      case nil: break
      }
      let named = workflow.stepsNamed(by: step).map(\.position)
      steps.append(
        TracedStep(
          id: step.id,
          needs: workflow.graph.needs(of: StepIndex(position)).map(\.position),
          files: files, named: setters.union(named).subtracting([position])))
    }
    let findings = FileFindings(steps) { path in
      relative(path).map(ignored.contains) ?? true
    }
    add(findings.all, steps, run.state)
    for (position, step) in workflow.steps.enumerated() {
      guard let files = steps[position].files else { continue }
      addInputs(of: step, in: workflow, files, ignored)
    }
  }

  /// Returns a path in the watched folder, relative to it; nil for others.
  private func relative(_ path: String) -> String? {
    guard path.hasPrefix(folder + "/") else { return nil }
    return String(path.dropFirst(folder.count + 1))
  }

  private func shown(_ files: [String]) -> [String] { files.map { relative($0) ?? $0 } }

  // MARK: Needs

  /// Adds findings, those about items of the same steps once.
  private mutating func add(_ findings: [FileFinding], _ steps: [TracedStep], _ state: RunState) {
    var known: [FileProblem] = []
    for finding in findings {
      let (step, other) = (steps[finding.step], steps[finding.other])
      let (path, otherPath) = (StepPath(step.id), StepPath(other.id))
      guard let (name, otherName) = StepPath.names(of: path, otherPath) else {
        if finding.kind == .conflict {
          known.append(
            FileProblem(
              .conflict(with: other.id), step: step.id, files: shown(finding.files)))
        }
        continue
      }
      let kind: FileProblem.Kind
      switch finding.kind {
      case .missingNeed:
        let needs = step.needs.compactMap { StepPath(steps[$0].id).name(besides: path, otherPath) }
        kind = .missingNeed(on: otherName, needs: Self.unique(needs + [otherName], besides: name))
      case .conflict: kind = .conflict(with: otherName)
      case .superfluousNeed:
        kind = .superfluousNeed(on: otherName, time: Self.wait(of: step, for: other, steps, state))
      }
      let problem = FileProblem(kind, step: name, files: shown(finding.files))
      if !known.contains(where: { $0.step == problem.step && $0.kind == problem.kind }) {
        known.append(problem)
      }
    }
    problems += known
  }

  private static func unique(_ names: [String], besides own: String) -> [String] {
    var seen: Set<String> = [own]
    return names.filter { seen.insert($0).inserted }
  }

  /// Returns how much later a step began because of one of its needs, as text; nil for less than a
  /// tenth of a second.
  private static func wait(
    of step: TracedStep, for need: TracedStep, _ steps: [TracedStep], _ state: RunState
  ) -> String? {
    guard let end = state[need.id]?.endedAt else { return nil }
    let others = step.needs.map { steps[$0].id }.filter { $0 != need.id }
      .compactMap { state[$0]?.endedAt }
    let wait = end - (others.max() ?? state.startedAt ?? end)
    return wait < .milliseconds(100) ? nil : durationText(wait)
  }

  // MARK: Inputs

  private mutating func addInputs(
    of step: Workflow.Step, in workflow: Workflow, _ files: FileReport, _ ignored: IgnoredFiles
  ) {
    guard let rule = step.extrasIfAny?.cache, !rule.inputs.isEmpty, rule.dependencyFile == nil,
      let inputs = try? FileSearch(rule.inputs), let made = try? FileSearch(rule.outputs)
    else { return }
    let directories = workflow.declaredDirectories(of: step)
    guard !directories.contains(where: { $0.contains("${{") }) else { return }
    let place = directories.reduce(folder) { $1.hasPrefix("/") ? $1 : joinedPath($0, $1) }
    let name = StepPath(step.id).names.last.map { String($0.prefix { $0 != "[" }) } ?? step.id
    var read: [String] = []
    for use in files.uses where use.kinds.contains(.read) && use.first?.isFolder == false {
      guard use.path.hasPrefix(place + "/"), relative(use.path).map(ignored.contains) == false
      else {
        continue
      }
      read.append(String(use.path.dropFirst(place.count + 1)))
    }
    let undeclared = read.filter { !inputs.names($0) && !made.names($0) }
    if !undeclared.isEmpty {
      problems.append(FileProblem(.undeclaredInput, step: name, files: undeclared))
    }
    // What matches no file at all is reported by `reprise validate`.
    let present = ((try? inputs.contents(in: place)) ?? []).map(\.name)
    let missing = Set(inputs.unmatched(among: present))
    for position in inputs.unmatched(among: read) where !missing.contains(position) {
      problems.append(FileProblem(.unreadInput(rule.inputs[position]), step: name))
    }
  }
}
