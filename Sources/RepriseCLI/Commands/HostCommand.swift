// `reprise host`: runs one attempt of a step for an engine that may be elsewhere, or dead.

import ArgumentParser
import ChildProcesses
import Platform
import Reprise
import RepriseExecutors
import RepriseHost
import RepriseTerminal
import Synchronization

struct HostCommand: DrivingCommand {
  static let configuration = CommandConfiguration(
    commandName: "host",
    abstract: "Run one attempt of a step for an engine elsewhere.",
    discussion: """
      Runners start this command where a step runs: on this machine for steps that survive their \
      engine, in a container, on another machine, or as a job of a cluster. It is not meant to be \
      typed.

      The folder has what to run (spec). The command claims the attempt, so that it never runs \
      twice; runs it as reprise run would; writes its output (out.log) and, when nothing of it is \
      left, its result (result.json). SIGTERM, or a file "stop" with a grace period, stops it.

      EXIT STATUS
        0     the result was written, whatever it is
        4     the folder cannot be read or written
        75    the attempt was claimed before
      """)

  @Argument(help: "The token of the attempt.")
  var token: String

  @Option(help: "The folder of the attempt.")
  var folder: String

  var drivesRun: Bool { true }
  var isDetached: Bool { false }

  func validate() throws {
    guard AttemptToken(token) != nil else {
      throw ValidationError("\"\(token)\" is not the token of an attempt.")
    }
  }

  func run() async throws {
    let attempt: HostedAttempt
    do throws(HostedAttempt.Refusal) {
      attempt = try HostedAttempt(AttemptFolder(path: folder), on: hostName)
    } catch {
      switch error {
      case .claimed: throw ExitStatus(code: HostedAttempt.statusOfClaimed)
      case .unreadable(let text): throw Problem("error: \(text)", cause: .internalFailure)
      }
    }
    // The guardian holds the claim until no process of the attempt is left.
    ProcessLinks.current.withLock { $0.guardian }?.keep(attempt.claimDescriptor, run: "")
    forwardSignals(HostSignals(attempt: attempt))
    _ = await attempt.run()
    if let problem = attempt.problem {
      throw Problem("error: cannot write to \(folder): \(problem)", cause: .internalFailure)
    }
  }
}

/// Stops the attempt of a host for a signal.
struct HostSignals: SignalTarget {
  let attempt: HostedAttempt

  func receive(_ signal: Int32) {
    if signal != SignalNumber.user1 { attempt.stop() }
  }

  func freeze() {}
}
