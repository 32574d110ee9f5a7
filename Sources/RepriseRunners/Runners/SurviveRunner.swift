// Attempts that outlive the engine on this machine: `survive: true`, and containers.

import ChildProcesses
import Dispatch
import Platform
package import Reprise
import Synchronization

/// Hosts that are processes of this machine.
package final class ThisMachineSite: AttemptSite {
  package let name = "this machine"
  package let isThisMachine = true

  private static let processes = DispatchQueue(label: "reprise.hosts")

  private let program: String
  private let hosts = Mutex<[AttemptToken: DetachedHost]>([:])

  /// Creates a site.
  ///
  /// - Parameter surroundings: What it may use of its engine.
  /// - Throws: ``FailureReason`` if the program of the host is not found.
  package init(_ surroundings: RunnerSurroundings) throws(FailureReason) {
    program = try surroundings.foundHostProgram()
  }

  package func submit(
    _ spec: AttemptSpec, _ token: AttemptToken, _ folder: AttemptFolder
  ) async throws(RunnerFailure) -> String {
    do throws(Errno) {
      let log = try OpenFile(
        folder.hostLogPath, .writeOnly, options: [.create, .append, .noFollow],
        permissions: .ownerReadWrite)
      let host = try await DetachedHost(
        [program, "host", token.text, "--folder", folder.path], errors: log.descriptor,
        named: token.text)
      hosts.withLock { $0[token] = host }
      return ""
    } catch {
      throw RunnerFailure(notStarting: program, error)
    }
  }

  package func sight(of token: AttemptToken) async throws(RunnerFailure) -> SiteSight {
    // Between its start and its claim, only its process tells that a host will come.
    guard let host = hosts.withLock({ $0[token] }) else { return .absent }
    host.reapIfEnded()
    return processExists(host.process) ? .present : .absent
  }

  /// Kills what is left of a host that was killed together with its guardian.
  package func endRest(of token: AttemptToken) async throws(RunnerFailure) {
    let isGone = await Self.processes.result { DetachedHost.killRest(named: token.text) }
    guard isGone else { throw .cannotAsk("processes of \(token) cannot be killed") }
  }

  package func forget(_ token: AttemptToken) {
    hosts.withLock { hosts in
      hosts[token]?.reapIfEnded()
    }
  }
}

extension RunnerSurroundings {
  /// The program that serves attempts.
  func foundHostProgram() throws(FailureReason) -> String {
    if let hostProgram { return hostProgram }
    guard let path = findProgram("reprise", in: environment["PATH"]) else {
      throw .notStarted(
        "the program \"reprise\", which serves attempts that run elsewhere, is not in PATH; "
          + "install it, or set Engine.surroundings.hostProgram")
    }
    return path
  }

  /// The folder for the records of attempts.
  func foundAttempts() throws(FailureReason) -> String {
    guard let attempts else {
      throw .notStarted(
        "there is no folder for attempts that run elsewhere; run with a journal, or set "
          + "Engine.surroundings.attempts")
    }
    return attempts
  }
}

/// Steps that outlive their engine on this machine: `survive: true`.
package struct SurviveRunner: RunnerKind {
  package static let name = "survive"

  package func makeExecutor(
    named name: String, in surroundings: RunnerSurroundings
  ) throws(FailureReason) -> any Executor {
    let runner = FolderRunner(
      try ThisMachineSite(surroundings), attempts: try surroundings.foundAttempts(),
      clock: surroundings.clock)
    return RunnerExecutor(runner, named: name, in: surroundings)
  }
}
