// `reprise validate` and `reprise schema`: check workflow files, and print their JSON Schema.

import ArgumentParser
import Platform
import Reprise
import RepriseHost
import RepriseImport
import RepriseTerminal

struct ValidateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "validate",
    abstract: "Check workflow files and report every error; run nothing that they name.",
    discussion: """
      The exit status is 0 if no file has errors, else 2. Warnings do not change it. The shells \
      of this machine are asked whether they can read scripts (sh -n), and programs are looked for \
      in PATH. No other program is started, and nothing is connected to, unless --runners asks \
      for it.

      With --fix, what can be corrected without a change of meaning is corrected: names of earlier \
      versions, missing quotes, and expressions in scripts, which are bound in env. The change is \
      shown as a diff first; on a terminal it is written after a confirmation.

      With --from, the files are those of another tool. Nothing is translated: a warning says \
      what works in another way here, or has no equivalent, also where reprise import keeps \
      the meaning.

      EXAMPLES
        reprise validate
        reprise validate ci.yaml#release
        reprise validate release --format sarif > release.sarif
        reprise validate --fix deploy
        reprise validate --from github .github/workflows/ci.yml
      """)

  @Argument(
    help: "Names of workflows in workflows/, or paths of files. Default: all in workflows/.",
    completion: .workflow)
  var files: [String] = []

  @Option(help: "Output format: text, json or sarif.")
  var format = DiagnosticFormat.text

  @Flag(
    help: """
      Also say what is missing for runners, as reprise runners check does: starts programs and \
      makes connections that the files name.
      """)
  var runners = false

  @Flag(help: "Correct what needs no decision: show the change, and write it.")
  var fix = false

  @Option(help: "The tool that the files are of: github, taskfile, dagu or make.")
  var from: ImportFormat?

  func validate() throws {
    if from != nil, format != .text {
      throw ValidationError("--from and --format cannot be combined.")
    }
    if from != nil, files.isEmpty { throw ValidationError("Name the files that --from is about.") }
    if fix, from != nil { throw ValidationError("--from and --fix cannot be combined.") }
    if fix, format != .text { throw ValidationError("--fix and --format cannot be combined.") }
    if from != nil, runners { throw ValidationError("--from and --runners cannot be combined.") }
  }

  /// The paths of all workflow files of the project.
  private static func all() throws(Problem) -> [String] {
    let found = WorkflowFiles().folder.map(WorkflowFiles.found) ?? []
    guard found.isEmpty else { return found }
    throw Problem("error: there is no workflow here; create a first one with: reprise init")
  }

  func run() async throws {
    if let from { return try checkFiles(of: from) }
    let files = try files.isEmpty ? Self.all() : files
    var isValid = true
    var all: [Diagnostic] = []
    for file in files {
      do {
        // A workflow that another one of the file uses is read with that one, too.
        var seen: [Diagnostic] = []
        let path = try enterFolder(ofWorkflow: file)
        var checks = await WorkflowCheck.all(in: path, withRunners: runners)
        if fix, try correct(checks) {
          checks = await WorkflowCheck.all(in: path, withRunners: runners)
        }
        for check in checks { isValid = report(check, &seen) && isValid }
        all += seen
      } catch {
        isValid = false
        printError(error.text)
      }
    }
    if format != .text { printLine(TerminalSafe(json: Diagnostic.rendered(all, as: format))) }
    if !isValid { throw ExitStatus.invalidUsage }
  }

  /// Corrects a file and the files that it uses, after the changes have been shown.
  ///
  /// - Returns: Whether a file was written.
  private func correct(_ checks: [WorkflowCheck]) throws(Problem) -> Bool {
    var hasWritten = false
    for corrected in FixedFile.files(correctedBy: checks.flatMap(\.diagnostics)) {
      printLine(corrected.difference)
      if isTerminal(standardInput), isTerminal(2) {
        writeError("write \(TerminalSafe(corrected.path))? (y/n) ")
        guard readLine()?.lowercased().hasPrefix("y") == true else { continue }
      }
      try corrected.write()
      hasWritten = true
    }
    return hasWritten
  }

  /// Reports what works in another way here than in the tool whose files they are.
  private func checkFiles(of tool: ImportFormat) throws {
    var isValid = true
    for file in files {
      do {
        let (workflow, format) = try ImportedWorkflow.read(file, from: tool)
        let remarks = (workflow.remarks + workflow.differences).sorted { $0.line < $1.line }
        for remark in remarks {
          let missing = remark.weight == .missing ? "no equivalent: " : ""
          printError(TerminalSafe("\(remark.place(in: file)): warning: \(missing)\(remark.text)"))
        }
        let (title, count) = (workflow.title(of: file, format), remarks.count)
        printLine(TerminalSafe("\(title), \(countText(count, "warning"))"))
      } catch {
        isValid = false
        printError(error.text)
      }
    }
    if !isValid { throw ExitStatus.invalidUsage }
  }

  /// Reports what is new of a workflow.
  ///
  /// - Returns: Whether it has no errors.
  private func report(_ check: WorkflowCheck, _ seen: inout [Diagnostic]) -> Bool {
    guard let steps = check.steps else {
      report(check.diagnostics, check.problem ?? "", &seen)
      return false
    }
    let warnings = check.diagnostics.filter { !seen.contains($0) }
    seen += warnings
    guard format == .text else { return true }
    for warning in warnings { printError(TerminalSafe(lines: warning.description) + "\n") }
    let count = warnings.count
    printLine(
      "\(check.path): \(countText(steps, "step")), no errors"
        + (count == 0 ? "" : ", \(countText(count, "warning"))"))
    return true
  }

  private func report(
    _ diagnostics: [Diagnostic], _ text: TerminalSafe, _ seen: inout [Diagnostic]
  ) {
    let new = diagnostics.filter { !seen.contains($0) }
    seen += new
    guard !diagnostics.isEmpty else { return printError(text) }
    guard format == .text, !new.isEmpty else { return }
    printError(new.count < diagnostics.count ? "\(WorkflowError(diagnostics: new))" : text)
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
