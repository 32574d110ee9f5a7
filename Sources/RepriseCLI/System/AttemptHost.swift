// `AttemptHost`: runs one attempt of a step in its folder, apart from its engine.

import ChildProcesses
import Platform
import Reprise
import RepriseHost
import RepriseRunners
import RepriseTerminal
import Synchronization

/// Runs one attempt: `reprise host TOKEN --folder FOLDER`.
struct AttemptHost {
  let folder: String

  /// The name of this machine; on a node of Slurm, that of the node.
  static var machine: String { environmentVariable("SLURMD_NODENAME") ?? hostName }

  init(folder: String) { self.folder = folder }

  /// Reads the command line with which runners start a host; nil for any other.
  ///
  /// It is `host TOKEN --folder FOLDER`, or `host --element INDEX --folder FOLDER` with the folder of a job
  /// array. This process must have only one thread yet.
  init?(_ arguments: [String]) {
    guard arguments.count >= 4, arguments[0] == "host",
      arguments[arguments.count - 2] == "--folder", let path = arguments.last, path.hasPrefix("/")
    else { return nil }
    if arguments.count == 4, AttemptToken(arguments[1]) != nil {
      folder = path
    } else if arguments.count == 5, arguments[1] == "--element" {
      guard let index = Int(arguments[2]), let element = ArrayElement(index, of: path),
        element.enter()
      else {
        printError("error: \(path) does not list an attempt with the index \(arguments[2])")
        endProcess(.internalFailure)
      }
      folder = element.folder
    } else {
      return nil
    }
  }

  func run() async throws {
    let attempt: HostedAttempt
    do throws(HostedAttempt.Refusal) {
      attempt = try HostedAttempt(AttemptFolder(path: folder), on: Self.machine)
    } catch {
      switch error {
      case .claimed: throw ExitStatus(code: HostedAttempt.statusOfClaimed)
      case .unreadable(let text): throw Problem("error: \(text)", cause: .internalFailure)
      }
    }
    // The guardian holds them until no process of the attempt is left.
    let guardian = ProcessLinks.current.withLock { $0.guardian }
    for lock in [attempt.claimDescriptor] + attempt.lockDescriptors {
      guardian?.keep(lock, run: "")
    }
    forwardSignals(HostSignals(attempt: attempt))
    _ = await attempt.run()
    if let problem = attempt.problem {
      throw Problem("error: cannot write to \(folder): \(problem)", cause: .internalFailure)
    }
  }
}

/// Stops the attempt of a host for a signal.
private struct HostSignals: SignalTarget {
  let attempt: HostedAttempt

  func receive(_ signal: Int32) {
    if signal != SignalNumber.user1 { attempt.stop() }
  }

  func freeze() {}
}
