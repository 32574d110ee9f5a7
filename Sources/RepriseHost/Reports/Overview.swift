// The output of `reprise` without a subcommand, and of `reprise list`.

import Platform
import Reprise
package import RepriseTerminal

/// A listing of workflow files with their names and descriptions.
package struct Overview {
  /// The paths of the files.
  private let paths: [String]
  /// The folder whose workflows have names; nil if all are listed by path.
  private let folder: String?
  private let commands: [String]
  /// The shortest names of the workflows in the folder, by path, and their aliases.
  private let entries: [String: WorkflowCatalog.Entry]

  /// Creates a listing of files.
  ///
  /// - Parameters:
  ///   - paths: The paths of the files.
  ///   - folder: The folder whose workflows have names; nil if all are listed by path.
  ///   - commands: The names of subcommands, which take precedence over those of workflows.
  package init(of paths: [String], in folder: String? = nil, besides commands: [String] = []) {
    self.paths = paths
    self.folder = folder
    self.commands = commands
    entries = Dictionary(
      (folder.map { WorkflowCatalog(of: $0).entries } ?? []).map { ($0.path, $0) }
    ) { $1 }
  }

  /// Returns a listing of the workflows that can be given by name in the current folder.
  ///
  /// - Parameter commands: The names of subcommands.
  /// - Returns: The listing.
  package static func current(besides commands: [String]) -> Overview {
    guard let folder = WorkflowFiles().folder else { return Overview(of: []) }
    // Files such as those of dotenv are relative to the parent folder.
    _ = changeDirectory(to: folder + "/..")
    return Overview(of: WorkflowFiles.found(in: folder), in: folder, besides: commands)
  }

  /// Whether there are no files.
  package var isEmpty: Bool { paths.isEmpty }

  private func name(_ path: String) -> String {
    if let entry = entries[path] { return entry.name }
    let (file, part) = WorkflowFiles.parts(of: path)
    return WorkflowFiles.shortName(file, in: folder) + (part.map { "#\($0)" } ?? "")
  }

  /// The listing, followed by the commands to try next.
  package var text: TerminalSafe {
    let first =
      entries.values.first(where: \.isDefault)?.path
      ?? paths.lazy.flatMap(LoadedWorkflow.all).first?.path
    guard let first else {
      return """
        There is no workflow here yet. Create a first one with: reprise init
        """
    }
    return """
      Workflows\(folder.map { " in \($0)" } ?? ""):

      \(table)

      Run one:        reprise run \(name(first))
      Check one:      reprise validate \(name(first))
      Draw one:       reprise graph \(name(first))
      More:           reprise --help
      """
  }

  /// One line for each file: its name, the number of steps, and its description.
  package var table: TerminalSafe {
    let rows = paths.flatMap(LoadedWorkflow.all).map { path, source in
      let name = name(path)
      let clash: TerminalSafe =
        commands.contains(name) ? " (a command, too; run it with: reprise run \(name))" : ""
      let entry = entries[path]
      let aliases = entry?.aliases.map { TerminalSafe($0) }.joined(separator: ", ") ?? ""
      let others: TerminalSafe = aliases.isEmpty ? "" : " (\(aliases))"
      let mark: TerminalSafe = entry?.isDefault == true ? "  (default)" : ""
      return (TerminalSafe(name) + others, Self.summary(of: source) + mark + clash)
    }
    let width = rows.map(\.0.width).max() ?? 0
    return rows.map { name, summary in
      "  " + name.padded(to: width + 2) + summary
    }.joined(separator: "\n")
  }

  private static func summary(of source: WorkflowText?) -> TerminalSafe {
    do throws(WorkflowError) {
      guard let source else { return "cannot be read" }
      let workflow = try source.workflow(with: Arguments(allowsMissing: true), actions: nil)
      let count = workflow.steps.count
      let description: TerminalSafe =
        workflow.description?.split(separator: "\n").first.map { "  \($0)" } ?? ""
      return "\(countText(count, "step"))" + description
    } catch {
      let count = error.diagnostics.count
      return "invalid: \(countText(count, "error")); see reprise validate"
    }
  }
}
