// The entry point: forks helper processes while there is only one thread, then runs the command.

import ArgumentParser
import ChildProcesses
import Dispatch
import Platform
import RepriseHost
import RepriseTerminal
import Synchronization

@main
enum Main {
  static func main() {
    prepareProcess()
    let arguments = ordered(Array(CommandLine.arguments.dropFirst()))
    // Scripts call this often, and setting up the parser would take half of the time.
    if arguments == ["--version"] {
      printLine(TerminalSafe(RepriseVersion.text))
      endProcess(.succeeded)
    }
    if arguments == ["--generate-completion-script", "bash"] {
      let script = BashCompletion.joiningWords(in: RepriseCommand.completionScript(for: .bash))
      printLine(TerminalSafe(lines: script))
      endProcess(.succeeded)
    }
    // One is started for each attempt elsewhere, and the parser would take most of its time.
    if let host = AttemptHost(arguments) {
      split(isDetached: false)
      // A scheduler may kill the process group of its job, without a signal before. Then the guardian is gone,
      // and this process ends the step, which is in a session of its own.
      startSession()
      Task { await run { try await host.run() } }
      dispatchMain()
    }
    if let problem = RepriseCommand.tooManyOptions(in: arguments) {
      RepriseCommand.exit(after: problem)
    }
    do {
      let words = try RepriseCommand.expanded(arguments)
      if let run = RepriseCommand.usualRun(words) {
        if run.drivesRun { split(isDetached: run.detach, canBeLeft: run.canBeLeft) }
        Task { await self.run { try await run.run() } }
        dispatchMain()
      }
      let command = try RepriseCommand.parsedAlone(words) ?? RepriseCommand.parseAsRoot(words)
      if let driving = command as? any DrivingCommand, driving.drivesRun {
        split(isDetached: driving.isDetached, canBeLeft: driving.canBeLeft)
      }
      let carried = SendableCommand(command: command)
      Task { await run { try await carried.run() } }
      dispatchMain()
    } catch {
      RepriseCommand.exit(after: error)
    }
  }

  /// Returns the words of an order, if the command is the engine in a job: `reprise host --engine FILE`.
  private static func ordered(_ arguments: [String]) -> [String] {
    guard arguments.count == 3, arguments.starts(with: ["host", "--engine"]) else {
      return arguments
    }
    guard let order = EngineOrder(contentsOf: arguments[2]) else {
      printError("error: \(arguments[2]) does not say what the engine in this job runs")
      endProcess(.internalFailure)
    }
    ProcessLinks.current.withLock { $0.order = order }
    return order.words
  }

  private static func split(isDetached: Bool, canBeLeft: Bool = false) {
    var links = ProcessLinks.current.withLock { $0 }
    if isDetached {
      switch detach() {
      case .foreground(let wait): finish(wait)
      case .background(let link): links.foreground = link
      case nil:
        printError("error: cannot start a background process (fork failed)")
        endProcess(.internalFailure)
      }
    }
    if canBeLeft { links.shell = splitOffForeground(onLeave: sayLeft) }
    links.guardian = splitOffGuardian(of: links.foreground, shell: links.shell)
    // The guardian may have used up the last process that the limit of this user allows.
    expectEnoughThreads()
    let signals = SignalRelay(links.guardian) { endProcess(.stopped(by: $0)) }
    links.signals = signals
    links.shell?.listen { signals.receive(SignalNumber.hangUp) }
    ProcessLinks.current.withLock { [links] in $0 = links }
  }

  /// Ends the foreground process once the background process has started its run.
  private static func finish(_ wait: DetachedWait) -> Never {
    let (run, status) = wait.word()
    guard let run else { endProcess(ExitStatus(code: status)) }
    printLine(TerminalSafe(run))
    sayLeft(run)
  }

  /// Says that a run goes on in the background, and ends this process.
  private static func sayLeft(_ run: String) -> Never {
    printError("running in the background; show it with: reprise attach \(run)")
    endProcess(.succeeded)
  }

  private static func run(_ body: () async throws -> Void) async {
    do {
      try await body()
      endProcess(.succeeded)
    } catch {
      RepriseCommand.exit(after: error)
    }
  }

  // @unchecked: from here on, only one task uses the parsed command, which is a value.
  private struct SendableCommand: @unchecked Sendable {
    let command: any ParsableCommand

    func run() async throws {
      var command = command
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    }
  }
}
