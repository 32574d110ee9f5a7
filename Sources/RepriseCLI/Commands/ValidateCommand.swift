// `reprise validate` and `reprise schema`: check workflow files, and print their JSON Schema.

public import ArgumentParser
public import Reprise
import RepriseHost
import RepriseTerminal

struct ValidateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "validate",
    abstract: "Check workflow files and report every error without running anything.",
    discussion: """
      The exit status is 0 if no file has errors, else 2. Warnings do not change it. The shells of \
      scripts are asked whether they can read them (sh -n), and programs are looked for in PATH.

      EXAMPLES
        reprise validate workflows/*.yaml
        reprise validate release --format sarif > release.sarif
      """)

  @Argument(
    help: "Names of workflows in workflows/, or paths of files.",
    completion: .workflow)
  var files: [String]

  @Option(help: "Output format: text, json or sarif.")
  var format = DiagnosticFormat.text

  func run() async throws {
    var isValid = true
    var all: [Diagnostic] = []
    for file in files {
      do {
        let path = try enterFolder(ofWorkflow: file)
        let workflow = try Workflow(
          contentsOf: path, with: Arguments(allowsMissing: true), actions: RunnerReport.catalog)
        let warnings =
          await workflow.warnings + workflow.warnings(of: ScriptReport(workflow).problems)
          + RunnerReport(workflow).problems.map(workflow.warning)
        all += warnings
        guard format == .text else { continue }
        for warning in warnings { printError(TerminalSafe(lines: warning.description) + "\n") }
        let (steps, count) = (workflow.steps.count, warnings.count)
        printLine(
          "\(path): \(steps) \(steps == 1 ? "step" : "steps"), no errors"
            + (count == 0 ? "" : ", \(count) \(count == 1 ? "warning" : "warnings")"))
      } catch let error as WorkflowError {
        isValid = false
        all += error.diagnostics
        if format == .text { printError("\(error)") }
      } catch let problem as Problem {
        isValid = false
        printError(problem.text)
      }
    }
    if format != .text { printLine(TerminalSafe(json: Diagnostic.rendered(all, as: format))) }
    if !isValid { throw ExitStatus.invalidUsage }
  }
}

struct SchemaCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Print the JSON Schema of workflow files, for editors.",
    discussion: """
      An editor with a YAML language server finds the schema through a first line \
      such as

        # yaml-language-server: $schema=../reprise.schema.json

      EXAMPLE
        reprise schema > reprise.schema.json
      """)

  func run() async throws {
    printLine(TerminalSafe(json: Workflow.jsonSchema()))
  }
}

extension DiagnosticFormat: ExpressibleByArgument {}
