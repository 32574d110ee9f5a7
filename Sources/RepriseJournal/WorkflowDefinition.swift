// The definitions of a run: by which text of the workflow file each of its generations ran.

import Reprise
import SQLite

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The text of a workflow file, and of the files that it uses.
package struct WorkflowDefinition: Sendable, Equatable {
  /// The text of the file.
  package var source: String
  /// The texts of the files that it uses, by path relative to the directory of the file.
  package var uses: [String: String]

  /// Creates a definition.
  package init(source: String, uses: [String: String] = [:]) {
    self.source = source
    self.uses = uses
  }
}

/// What changes in the request of a run when its next generation begins.
struct NextDefinition: Sendable {
  /// The texts.
  let definition: WorkflowDefinition
  /// The options that describe the workflow of a program; nil to keep what there is.
  var options: [String: String]?
}

extension RunRequest {
  private static let usePrefix = "source:"

  /// The options that describe the workflow of a program: the values of its parameters, and what can
  /// resume it.
  var optionsOfWorkflow: [String: String] {
    get { options.filter { Self.describesWorkflow($0.key) } }
    set {
      options = options.filter { !Self.describesWorkflow($0.key) }
      options.merge(newValue) { $1 }
    }
  }

  private static func describesWorkflow(_ option: String) -> Bool {
    option.hasPrefix(parameterPrefix) || option.hasPrefix(hiddenPrefix + parameterPrefix)
      || option == optionOfProgram || option == optionOfText
  }

  /// The text of the workflow, and of the files that it uses.
  package var definition: WorkflowDefinition {
    get {
      var uses: [String: String] = [:]
      for (key, value) in options where key.hasPrefix(Self.usePrefix) {
        uses[String(key.dropFirst(Self.usePrefix.count))] = value
      }
      return WorkflowDefinition(source: source, uses: uses)
    }
    set {
      source = newValue.source
      options = options.filter { !$0.key.hasPrefix(Self.usePrefix) }
      for (path, text) in newValue.uses { options[Self.usePrefix + path] = text }
    }
  }
}

extension Journal {
  /// Returns the definition by which a generation of a run ran.
  ///
  /// - Parameters:
  ///   - generation: The generation, from 1.
  ///   - run: The run.
  /// - Returns: The definition; that of the latest generation if the number is larger.
  /// - Throws: ``JournalError``.
  package func definition(
    ofGeneration generation: Int, of run: RunRecord
  ) throws(JournalError) -> WorkflowDefinition {
    let row = try explaining {
      try database.read { connection in
        try connection.rows(
          """
          SELECT source, uses FROM definition WHERE run = ? AND last_generation >= ?
          ORDER BY last_generation LIMIT 1
          """, run.number, generation
        ).first
      }
    }
    guard let row else { return run.request.definition }
    guard let source = row["source"].text, let text = row["uses"].text,
      let uses = try? JSONDecoder().decode([String: String].self, from: Data(text.utf8))
    else { throw JournalError("the record of run \(run.id) is damaged") }
    return WorkflowDefinition(source: source, uses: uses)
  }

  /// Replaces the definition of a run; keeps the previous one for the generations so far.
  ///
  /// - Parameters:
  ///   - number: The number of the run.
  ///   - next: The definition from the next generation on. Values of parameters are not kept for earlier
  ///     ones.
  ///   - connection: The connection, within a transaction.
  /// - Throws: An error of the database.
  static func replaceDefinition(
    ofRun number: Int64, with next: NextDefinition, in connection: Connection
  ) throws {
    let rows = try connection.rows(
      "SELECT source, options, generation FROM run WHERE number = ?", number)
    guard let row = rows.first, let source = row["source"].text, let text = row["options"].text
    else { return }
    let options = try JSONDecoder().decode([String: String].self, from: Data(text.utf8))
    var request = RunRequest(
      workflow: "", file: "", directory: "", source: source, options: options)
    let (before, old) = (request, request.definition)
    request.definition = next.definition
    if let options = next.options { request.optionsOfWorkflow = options }
    guard request != before else { return }
    let generation = row["generation"].integer ?? 0
    if generation > 0, old != next.definition {
      let uses = String(decoding: try JSONEncoder().encode(old.uses), as: UTF8.self)
      try connection.execute(
        """
        INSERT OR IGNORE INTO definition (run, last_generation, source, uses) VALUES (?, ?, ?, ?)
        """, number, generation, old.source, uses)
    }
    try connection.execute(
      "UPDATE run SET source = ?, options = ? WHERE number = ?", request.source,
      try request.optionsJSON, number)
  }
}
