// The output of `reprise` without a subcommand, and of `reprise list`.

import Reprise
package import RepriseTerminal

/// A listing of workflow files with their names and descriptions.
package struct Overview {
  /// The paths of the files.
  let paths: [String]

  /// Creates a listing of files.
  package init(of paths: [String]) {
    self.paths = paths
  }

  /// The listing, followed by the commands to try next.
  package var text: TerminalSafe {
    guard let first = paths.first else {
      return """
        There is no workflow here yet. Write one to workflows/hello.yaml:

            name: hello
            steps:
              - { id: greet, run: echo hello }

        and run it with: reprise run hello
        """
    }
    return """
      Workflows here:

      \(table)

      Run one:        reprise run \(WorkflowFiles.shortName(first))
      Check one:      reprise validate \(WorkflowFiles.shortName(first))
      Draw one:       reprise graph \(WorkflowFiles.shortName(first))
      More:           reprise --help
      """
  }

  /// One line for each file: its name, the number of steps, and its description.
  package var table: TerminalSafe {
    let rows = paths.map { path in
      (TerminalSafe(WorkflowFiles.shortName(path)), Self.summary(of: path))
    }
    let width = rows.map(\.0.width).max() ?? 0
    return rows.map { name, summary in
      "  " + name.padded(to: width + 2) + summary
    }.joined(separator: "\n")
  }

  private static func summary(of path: String) -> TerminalSafe {
    do {
      let workflow = try Workflow(contentsOf: path, with: Arguments(allowsMissing: true))
      let count = workflow.steps.count
      let description: TerminalSafe =
        workflow.description?.split(separator: "\n").first.map { "  \($0)" } ?? ""
      return "\(count) \(count == 1 ? "step" : "steps")" + description
    } catch {
      let count = error.diagnostics.count
      return "invalid: \(count) \(count == 1 ? "error" : "errors"); see reprise validate"
    }
  }
}
