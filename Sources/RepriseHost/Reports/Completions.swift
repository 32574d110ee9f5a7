// What the Tab key offers: workflows, steps, runs and parameters of the project.

import Reprise
package import RepriseJournal

/// A word that the Tab key offers.
package struct Completion: Equatable, Sendable {
  /// The word.
  package let word: String
  /// A description of it, for shells that show one.
  package let description: String
}

/// The words that the Tab key offers on a command line.
///
/// Errors are ignored: there is no place to report them while a user types.
package struct Completions {
  /// The words of the command line, without the name of the command.
  private let words: [String]
  private let journal: Journal?

  /// Creates the completions of a command line.
  ///
  /// - Parameters:
  ///   - words: The words of the command line, without the name of the command.
  ///   - journal: The journal of the project, opened for reading; nil if there is none.
  package init(_ words: [String], journal: @autoclosure () -> Journal?) {
    self.words = words
    self.journal = journal()
  }

  /// The names of the workflows, and the paths of workflow files below a typed folder.
  ///
  /// - Parameter typed: The word to complete.
  /// - Returns: The completions.
  package static func workflows(_ typed: String) -> [Completion] {
    let files = WorkflowFiles()
    if let hash = typed.lastIndex(of: "#"), let place = try? files.place(of: String(typed[..<hash]))
    {
      return place.parts.map {
        Completion(word: typed[...hash] + $0, description: "a workflow in \(place.path)")
      }
    }
    guard !typed.utf8.contains(UInt8(ascii: "/")) else { return paths(typed) }
    let named = files.described.map { name, description in
      Completion(word: name, description: description.isEmpty ? "a workflow" : description)
    }
    return named.contains { $0.word.hasPrefix(typed) } ? named : paths(typed)
  }

  /// Returns the folders and workflow files whose paths begin with a text.
  private static func paths(_ typed: String) -> [Completion] {
    let end = typed.lastIndex(of: "/").map { typed.index(after: $0) } ?? typed.startIndex
    return WorkflowFiles.entries(in: String(typed[..<end])).map {
      Completion(word: $0, description: $0.hasSuffix("/") ? "a folder" : "a file")
    }
  }

  /// The steps of the workflow that the command line names, or of the run that it names.
  package var steps: [Completion] {
    guard let workflow = workflow ?? recordedWorkflow else { return [] }
    var seen: Set<String> = []
    return workflow.steps.flatMap { step in
      // A step that became several can be given as a whole.
      (workflow.groupIDs(around: step) + [step.id]).filter { seen.insert($0).inserted }.map { id in
        let summary = step.action.kind.shown.first ?? ""
        return Completion(word: id, description: id == step.id ? String(summary) : "several steps")
      }
    }
  }

  /// The parameters of the workflow that the command line names.
  package var parameters: [Completion] {
    (workflow?.parameters ?? []).flatMap { parameter in
      let name = parameter.name + "="
      let description = parameter.description ?? parameter.kind.name
      let values: [String] =
        switch parameter.kind {
        case .choice(let options): options
        case .boolean: ["true", "false"]
        case .string, .number, .integer, .list, .map: [parameter.defaultValue?.asText ?? ""]
        }
      return values.map { Completion(word: name + $0, description: description) }
    }
  }

  /// The runs of the project, newest first, after `@last`, `@failed` and those of each workflow.
  package var runs: [Completion] {
    guard let journal, let runs = try? journal.runs(limit: Self.runsMax) else { return [] }
    let now = SystemClock().now
    func words(_ run: RunRecord) -> String {
      let age = Duration.microseconds(now.microseconds - run.requestedAt.microseconds)
      return "\(run.request.workflow), \(run.status.rawValue), \(Self.age(age)) ago"
    }
    // The journal decides what a name means. A workflow may be called "last" or "failed".
    var seen: Set<String> = []
    let names = (["@last", "@failed"] + runs.map { "@" + $0.request.workflow })
      .filter { seen.insert($0).inserted }
    return names.compactMap { name in
      (try? journal.run(named: name)).map { Completion(word: name, description: words($0)) }
    }
      + runs.map { Completion(word: $0.id.description, description: words($0)) }
  }

  private static let runsMax = 50

  /// Returns an age in its largest unit.
  private static func age(_ age: Duration) -> String {
    let seconds = max(0, age.components.seconds)
    switch seconds {
    case ..<60: return "\(seconds) s"
    case ..<3600: return "\(seconds / 60) min"
    case ..<86_400: return "\(seconds / 3600) h"
    default: return "\(seconds / 86_400) d"
    }
  }

  /// The workflow named by the first word that names one.
  private var workflow: Workflow? {
    let files = WorkflowFiles()
    // The first word is a subcommand.
    for word in words.dropFirst() where !word.hasPrefix("-") && !word.isEmpty {
      if let place = try? files.place(of: word) { return place.loaded() }
    }
    return nil
  }

  /// The workflow of the run named by the first word that names one.
  private var recordedWorkflow: Workflow? {
    guard let journal else { return nil }
    for word in words.dropFirst() where !word.hasPrefix("-") && !word.isEmpty {
      guard let run = try? journal.run(named: word) else { continue }
      let workflow = try? run.recordedWorkflow(
        with: Arguments(run.request.parameters, allowsMissing: true))
      return workflow?.expanding((try? journal.state(of: run))?.expansions ?? [:])
    }
    return nil
  }
}

extension WorkflowPlace {
  /// The path from the current folder.
  private var fullPath: String { (folder.map { $0 + "/" } ?? "") + path }

  /// The names under `workflows` of the file.
  fileprivate var parts: [String] { (try? LoadedWorkflow.parse(fullPath))?.namesOfParts ?? [] }

  /// Loads the workflow without the values of missing parameters; nil if it has errors.
  fileprivate func loaded() -> Workflow? {
    let source = try? LoadedWorkflow.parse(fullPath)
    return try? source?.workflow(with: Arguments(allowsMissing: true), actions: nil)
  }
}
