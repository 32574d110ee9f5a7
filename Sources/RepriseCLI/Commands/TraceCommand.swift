// `reprise trace`: runs a workflow, watches which files its steps use, and says what its needs lack.

import ArgumentParser
import ChildProcesses
import Platform
import Reprise
import RepriseHost
import RepriseJournal
import RepriseTerminal
import Synchronization

struct TraceCommand: DrivingCommand {
  static let configuration = CommandConfiguration(
    commandName: "trace",
    abstract: "Run a workflow, watch which files its steps use, and report missing needs.",
    discussion: """
      Reports a step that reads what another one makes without needing it, steps that may run at \
      once and change the same file, needs that nothing asks for, and inputs of a cache that are \
      not declared or not read. With --write, missing needs and inputs are added to \
      the file, after the change was shown.

      Every step runs, also one that is up to date. A step whose own tool finds nothing to do uses \
      no files: trace a clean copy. Linux only; steps on other machines are not watched.

      The exit status is that of the run, and 1 if needs are missing or steps conflict.

      EXAMPLES
        reprise trace build
        reprise trace build --write
        reprise trace build --shuffle
        reprise trace build --ignore '.cache/**' --format sarif > build.sarif
      """)

  @OptionGroup var workflow: WorkflowArgument

  @Option(help: "Progress display: auto, tree, plain, github, json or none.")
  var progress = ProgressStyle.auto

  @OptionGroup var parameters: ParameterOptions

  @OptionGroup var options: RunOptions

  @Option(
    help: ArgumentHelp(
      "Files that say nothing about needs, such as caches; may be given several times.",
      valueName: "pattern"))
  var ignore: [String] = []

  @Option(help: "Output format of the report: text, json or sarif.")
  var format = DiagnosticFormat.text

  @Flag(help: "Begin steps in a random order that the needs allow, and print its seed.")
  var shuffle = false

  @Option(help: "The seed of a random order, to repeat it; implies --shuffle.")
  var seed: UInt64?

  @Flag(help: "Add missing needs and inputs to the file, after the change was shown.")
  var write = false

  @OptionGroup var state: StateOptions

  var drivesRun: Bool { true }
  var isDetached: Bool { false }

  func validate() throws {
    if write, format != .text {
      throw ValidationError("--write and --format cannot be combined.")
    }
  }

  func run() async throws {
    let loaded = try workflow.load { declared throws(Problem) in
      try parameters.arguments(for: declared)
    }
    let selected = try loaded.selecting(options.scope)
    if let problem = FileTrace.problem {
      throw Problem("error: the files of steps cannot be watched: \(problem)")
    }
    let ignored = try IgnoredFiles(ignore)
    let folder = realPath(".") ?? "."
    let seen = SeenFiles()
    let guardian = ProcessLinks.current.withLock { $0.guardian }.flatMap { KeptDescriptors($0) }
    let watch = FileWatch(of: folder, guardian: guardian) { step, _, files in
      seen.add(files, of: step)
    }
    let orderSeed = seed ?? (shuffle ? UInt64.random(in: 1...999_999) : nil)
    if let orderSeed {
      printError(TerminalSafe("steps begin in a random order; repeat it with --seed \(orderSeed)"))
    }
    let secrets = try await Secrets.gathered(for: selected.workflow)
    let request = try loaded.request(options.scope.recorded, hiding: secrets)
    let driven = DrivenRun(
      progress: format == .text ? progress : .none, secrets,
      EngineSettings(rerunsUpToDateSteps: true, watch: watch, orderSeed: orderSeed),
      passesThrough: false)
    let journal = try state.openJournal()
    let (status, run) = try await driven.ended(selected, in: journal) {
      (try journal.begin(request, isAlone: false), nil)
    }
    guard let run else { throw status }
    let report = TraceReport(of: run, seen.all, in: folder, ignoring: ignored)
    let diagnostics = run.workflow.warnings(of: report.problems)
    do {
      try journal.record(RecordedTrace(report), of: run.id)
    } catch {
      printError(TerminalSafe("warning: the report is not recorded: \(error)"))
    }
    try show(report, diagnostics)
    throw status == .succeeded && report.hasRaces ? .stepFailed : status
  }

  private func show(_ report: TraceReport, _ diagnostics: [Diagnostic]) throws(Problem) {
    guard format == .text else {
      return printLine(TerminalSafe(json: Diagnostic.rendered(diagnostics, as: format)))
    }
    for diagnostic in diagnostics {
      printError(TerminalSafe(lines: diagnostic.description) + "\n")
    }
    for (step, reason) in report.unseen {
      printError(TerminalSafe("note: \(step) was not watched: \(reason)"))
    }
    for (step, note) in report.gaps {
      printError(TerminalSafe("note: \(step): not everything could be seen: \(note)"))
    }
    if write {
      for fixed in FixedFile.files(correctedBy: diagnostics) {
        printLine(fixed.difference)
        try fixed.write()
        printLine("\(TerminalSafe(fixed.path)) is written; trace a clean copy to see what is left")
      }
    }
    let (steps, count) = (report.seenCount, diagnostics.count)
    printLine(
      "\(countText(steps, "step")) watched, "
        + "\(countText(count, "warning"))")
  }
}
