// `reprise import`: translates a file of another tool to a workflow.

import ArgumentParser
import Platform
import Reprise
import RepriseHost
import RepriseImport
import RepriseTerminal
import Synchronization

struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Translate files of GitHub Actions, go-task, make, just, dagu and other tools.",
    discussion: """
      The workflow is printed, or written with --output. It has no errors: what has no \
      equivalent is a comment at its place, or a step that fails with a message until it \
      is replaced. The summary on standard error has a line for each difference, with the \
      line of the original.

      The tool is recognized by the name and the content of the file; --from says it. \
      A workflow of GitHub can use actions and workflows of other repositories. They are missing \
      unless --fetch reads them, at the versions that it names, with git and your credentials; \
      nothing of them is run. Read the result before you run it.

      Without a file, the command lists the files of the current folder that it can \
      translate, and how much of them.

      EXIT STATUS
        0  the workflow has everything that the file does
        1  something is missing, and is written down in a comment
        2  the file cannot be imported, or the output exists

      EXAMPLES
        reprise import
        reprise import .github/workflows/ci.yml
        reprise import .github/workflows/ci.yml --output workflows/ci.yaml
        reprise import .github/workflows/ci.yml --fetch
        reprise import Makefile --from make
      """)

  @Argument(help: "The file to import.", completion: .file())
  var file: String?

  @Option(help: "The tool: github, taskfile, dagu, make, just, process-compose or package.")
  var from: ImportFormat?

  @Option(
    name: [.short, .long],
    help: ArgumentHelp("Write the workflow to a file.", valueName: "file"), completion: .file())
  var output: String?

  @Flag(help: "Overwrite the file of --output.")
  var force = false

  @Flag(
    help: """
      Read composite actions and workflows of other repositories from github.com, with git.
      """)
  var fetch = false

  func validate() throws {
    if force, output == nil { throw ValidationError("--force needs --output.") }
    if file == nil, output != nil || from != nil || fetch {
      throw ValidationError("Name the file.")
    }
  }

  func run() async throws {
    guard let file else { return try list() }
    guard fetch else { return try finish(file, try ImportedWorkflow.read(file, from: from)) }
    let hasEnded = Mutex(false)
    let signal = Mutex(Int32?.none)
    let work = Task { [from] in try await ImportedWorkflow.fetching(file, from: from) }
    // Until all is fetched, a signal ends git, and the folder of the clones is removed.
    let signals = SignalListener(SignalListener.stopping) { number in
      guard !hasEnded.withLock({ $0 }) else { return raiseWithDefaultAction(number) }
      signal.withLock { $0 = number }
      work.cancel()
    }
    defer { signals.cancel() }
    let result = await work.result
    hasEnded.withLock { $0 = true }
    if let number = signal.withLock({ $0 }) { throw ExitStatus.stopped(by: number) }
    try finish(file, try result.get())
  }

  /// Writes the workflow, and says what differs.
  private func finish(
    _ file: String, _ imported: (workflow: ImportedWorkflow, format: ImportFormat)
  ) throws {
    let (workflow, format) = imported
    if let output {
      try write(workflow.text, to: output)
    } else {
      printLine(TerminalSafe(lines: String(workflow.text.dropLast())))
    }
    printError(summary(of: workflow, from: format, file))
    if workflow.verdict == .inPart { throw ExitStatus.stepFailed }
  }

  /// Lists the files of the current folder that can be translated.
  private func list() throws {
    let found = ImportedWorkflow.files(in: ".")
    guard !found.isEmpty else {
      throw Problem("error: there is no file of another tool here; name one: reprise import FILE")
    }
    for file in found {
      do {
        let (workflow, format) = try ImportedWorkflow.read(file, from: nil)
        let title = "\(workflow.title(of: file, format)): \(workflow.verdict.rawValue)"
        let name = ImportedWorkflow.suggestedName(for: file, format)
        printLine(TerminalSafe(title))
        printLine(TerminalSafe("  reprise import \(file) --output workflows/\(name).yaml"))
      } catch {
        printLine(TerminalSafe("\(file): \(error.text)"))
      }
    }
  }

  private func write(_ text: String, to path: String) throws(Problem) {
    do throws(Errno) {
      try writeFile(Array(text.utf8), to: path, overwriting: force)
    } catch .fileExists {
      throw Problem("error: \"\(path)\" exists already; overwrite it with --force")
    } catch {
      throw Problem("error: cannot write \"\(path)\": \(error)", cause: .internalFailure)
    }
  }

  /// The verdict, and a line for each difference.
  private func summary(
    of workflow: ImportedWorkflow, from format: ImportFormat, _ file: String
  ) -> TerminalSafe {
    let lines = workflow.remarks.map { remark in
      // What a file says can have several lines, and each line here is a statement of the command.
      let text = remark.text.split(whereSeparator: \.isNewline).joined(separator: " ")
      return "\(remark.place(in: file)): \(remark.weight.rawValue): \(text)"
    }
    let last = "\(workflow.title(of: file, format)): \(workflow.verdict.rawValue)"
    return TerminalSafe(lines: (lines + [last]).joined(separator: "\n"))
  }
}

extension ImportFormat: ExpressibleByArgument {}
