// Where the process begins: while it has one thread it is split into those that it needs, then the
// command runs. Knows nothing of what commands do.

import ArgumentParser
import ChildProcesses
import Dispatch
import RepriseHost
import RepriseTerminal
import Synchronization

@main
enum Main {
  static func main() {
    prepareProcess()
    let arguments = CommandLine.arguments.dropFirst()
    // Scripts ask for these again and again, and setting up the parser takes half of the time.
    if arguments.elementsEqual(["--version"]) {
      printLine(TerminalSafe(RepriseVersion.text))
      endProcess(.succeeded)
    }
    if let problem = RepriseCommand.unknownSubcommand(in: arguments) {
      RepriseCommand.exit(after: problem)
    }
    if let problem = RepriseCommand.tooManyOptions(in: arguments) {
      RepriseCommand.exit(after: problem)
    }
    do {
      let command = try RepriseCommand.parsed(Array(arguments))
      if let driving = command as? any DrivingCommand, driving.drivesRun {
        split(isDetached: driving.isDetached)
      }
      let carried = CarriedCommand(command: command)
      Task { await run { try await carried.run() } }
      dispatchMain()
    } catch {
      RepriseCommand.exit(after: error)
    }
  }

  private static func split(isDetached: Bool) {
    var links = ProcessLinks()
    if isDetached {
      switch detach() {
      case .foreground(let wait): finish(wait)
      case .background(let link): links.foreground = link
      case nil:
        printError("error: no process can be made to go on in the background")
        endProcess(.cannotGoOn)
      }
    }
    links.guardian = splitOffGuardian(of: links.foreground)
    // The guardian may have been the last process that this user may have.
    expectEnoughThreads()
    links.signals = SignalRelay(links.guardian) { endProcess(.stopped(by: $0)) }
    ProcessLinks.current.withLock { [links] in $0 = links }
  }

  /// Ends the process that was started when the one in the background has begun its run.
  private static func finish(_ wait: DetachedWait) -> Never {
    let (run, status) = wait.word()
    guard let run else { endProcess(ExitStatus(code: status)) }
    printLine(TerminalSafe(run))
    printError("it goes on in the background; see it with: reprise attach \(run)")
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

  // @unchecked: a parsed command is a value that only its task uses from here on.
  private struct CarriedCommand: @unchecked Sendable {
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
