// `reprise engine`: starts and controls runs for a program in another language.

import ArgumentParser
import Reprise
import RepriseHost
import RepriseJournal
import Synchronization

struct EngineCommand: DrivingCommand {
  static let configuration = CommandConfiguration(
    commandName: "engine",
    abstract: "Start and control runs for another program, over standard input and output.",
    discussion: """
      Reads requests from standard input and writes replies and the events of all runs to \
      standard output, one JSON object per line. Messages for humans go to standard error. \
      Runs are recorded as by reprise run, and can be shown and controlled from other terminals \
      with reprise attach, restart and cancel.

      REQUESTS
        {"reprise":1,"request":"start","workflow":"coordinator","params":{"page":"index"}}
        {"reprise":1,"request":"start","text":"steps: [{ id: a, run: echo a }]"}
        {"reprise":1,"request":"restart","run":"ID","from":"step-3"}
        {"reprise":1,"request":"cancel","run":"ID","now":true}
        {"reprise":1,"request":"approve","run":"ID","step":"go","approved":false}

      A request may have an "id", a string or an integer, which its reply repeats. "from", "now", \
      "approved" and "params" are optional. Documentation/control.md describes \
      the protocol.

      The end of standard input, SIGINT, SIGTERM and SIGHUP cancel all runs with their grace \
      periods (a second signal kills them); the command exits when all their processes have \
      ended. SIGUSR1 restarts all runs.

      EXIT STATUS
        0                end of standard input
        2                the command line is invalid
        4                the runs cannot be recorded
        129, 130, 143    stopped by SIGHUP, SIGINT, SIGTERM
        141              standard output was closed

      EXAMPLES
        reprise engine --stdio
        python3 Examples/python/reprise.py workflows/coordinator.yaml --restart step-3
      """)

  @Flag(help: "Communicate over standard input and output (required).")
  var stdio = false

  @OptionGroup var engine: EngineOptions

  @Flag(help: "Do not record the runs; they cannot be listed, attached to or resumed.")
  var noJournal = false

  @OptionGroup var state: StateOptions

  var drivesRun: Bool { true }
  var isDetached: Bool { false }

  func validate() throws {
    guard stdio else {
      throw ValidationError(
        "Add --stdio: an engine only communicates over standard input and output.")
    }
  }

  func run() async throws {
    let guardian = ProcessLinks.current.withLock { $0.guardian }
    let host =
      noJournal
      ? nil
      : RunHost(
        try state.openJournal(), guardian: guardian, settings: engine.settings,
        say: { printError($0) })
    let stdioEngine = StdioEngine(
      host, settings: engine.settings,
      .init(
        input: standardInput, write: { writeAll($0, to: standardOutput) }, say: { printError($0) }))
    forwardSignals(stdioEngine)
    switch await stdioEngine.run() {
    case .inputEnded: throw ExitStatus.succeeded
    case .signal(let number): throw ExitStatus.stopped(by: number)
    case .outputClosed: throw ExitStatus.outputClosed
    }
  }
}
