// `reprise engine`: starts and steers runs for a program in another language.

import ArgumentParser
import Reprise
import RepriseHost
import RepriseJournal
import Synchronization

struct EngineCommand: DrivingCommand {
  static let configuration = CommandConfiguration(
    commandName: "engine",
    abstract: "Start and steer runs for another program, over standard input and output.",
    discussion: """
      Requests come as JSON objects, one a line, on standard input; replies and the events of all \
      runs go to standard output, one JSON object a line. Messages for people go to standard error. \
      Each run is recorded like those of reprise run, and can be seen and steered from other \
      terminals with reprise attach, restart and cancel.

      REQUESTS
        {"reprise":1,"request":"start","workflow":"coordinator","params":{"page":"index"}}
        {"reprise":1,"request":"start","text":"steps: [{ id: a, run: echo a }]"}
        {"reprise":1,"request":"restart","run":"ID","from":"step-3"}
        {"reprise":1,"request":"cancel","run":"ID","now":true}
        {"reprise":1,"request":"approve","run":"ID","step":"go","approved":false}

      A request may have an "id", a text or a whole number, which its reply repeats. "from", "now", \
      "approved" and "params" may be left out. All of it is told in Documentation/control.md.

      The end of standard input, SIGINT, SIGTERM and SIGHUP cancel all runs, which get their grace \
      periods (a second signal kills them); the command ends when nothing of them is left. SIGUSR1 \
      restarts all.

      EXIT STATUS
        0                standard input has ended
        2                the command line is wrong
        4                the runs cannot be recorded
        129, 130, 143    ended by SIGHUP, SIGINT, SIGTERM
        141              nobody reads standard output any more

      EXAMPLES
        reprise engine --stdio
        python3 Examples/python/reprise.py workflows/coordinator.yaml --restart step-3
      """)

  @Flag(help: "Speak over standard input and output.")
  var stdio = false

  @OptionGroup var engine: EngineOptions

  @Flag(help: "Do not record the runs: they cannot be listed, reached or resumed then.")
  var noJournal = false

  @OptionGroup var state: StateOptions

  var drivesRun: Bool { true }
  var isDetached: Bool { false }

  func validate() throws {
    guard stdio else {
      throw ValidationError(
        "Add --stdio: an engine speaks over standard input and output, and in no other way.")
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
      .init(input: standardInput, write: { writeAll($0, to: standardOutput) }))
    hearSignals(stdioEngine)
    switch await stdioEngine.run() {
    case .inputEnded: throw ExitStatus.succeeded
    case .signal(let number): throw ExitStatus.stopped(by: number)
    case .outputClosed: throw ExitStatus.outputClosed
    }
  }
}
