// `reprise host`: runs one attempt of a step for an engine that may be elsewhere, or dead.

import ArgumentParser
import ChildProcesses
import Dispatch
import Platform
import Reprise
import RepriseHost
import RepriseRunners
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

      With --element INDEX instead of the token, it is the host of an element of a job array, whose \
      folder lists those of the attempts.

      With --engine FILE alone, it is the engine of a run that was submitted with --submit: the file \
      has its command line.

      EXIT STATUS
        0     the result was written, whatever it is
        4     the folder cannot be read or written
        75    the attempt was claimed before
      """)

  @Argument(help: "The token of the attempt.")
  var token: String?

  @Option(help: "The folder of the attempt; with --pool, that of all attempts.")
  var folder: String?

  @Flag(help: "Serve many attempts, requested over standard input.")
  var pool = false

  @Flag(help: "Hold a place for steps, until it is stopped or no engine wants it.")
  var hold = false

  @Flag(help: "With --hold: begin the attempts whose folders are there.")
  var serve = false

  @Option(help: "With --hold: how long a place without steps waits for an engine, in seconds.")
  var orphanAfter = 60

  var drivesRun: Bool { true }
  var isDetached: Bool { false }

  func validate() throws {
    if pool || hold {
      guard token == nil else { throw ValidationError("--pool and --hold take no token.") }
      guard pool != hold, pool || folder != nil else {
        throw ValidationError("Add --folder, the folder of the place, to --hold.")
      }
      return
    }
    guard let token, AttemptToken(token) != nil else {
      throw ValidationError("\"\(token ?? "")\" is not the token of an attempt.")
    }
    guard folder != nil else { throw ValidationError("Add --folder, the folder of the attempt.") }
  }

  func run() async throws {
    if pool { return await servePool() }
    let folder = folder ?? ""
    if hold { return await holdPlace(folder) }
    try await AttemptHost(folder: folder).run()
  }
}

extension HostCommand {
  /// Serves attempts until the connection has ended and none is left.
  private func servePool() async {
    let root =
      folder
      ?? (environmentVariable("XDG_CACHE_HOME") ?? (environmentVariable("HOME") ?? "") + "/.cache")
      + "/reprise/attempts"
    let claims = ProcessLinks.current.withLock { $0.guardian }.flatMap { KeptDescriptors($0) }
    let pool = HostPool(attempts: root, on: AttemptHost.machine, claims: claims) { bytes in
      _ = writeAll(bytes, to: standardOutput)
    }
    forwardSignals(PoolSignals(pool: pool))
    await PoolInput(pool: pool).read()
    pool.connectionEnded()
    while !pool.isIdle { try? await SystemClock().sleep(for: .milliseconds(50)) }
  }
}

extension HostCommand {
  /// Holds an allocation or a container, which ends with this process.
  private func holdPlace(_ folder: String) async {
    let signals = HoldSignals()
    forwardSignals(signals)
    _ = writeAll(Array("ready\n".utf8), to: standardOutput)
    let place = AttemptFolder(path: folder)
    await PlaceHold(
      place, orphanAfter: .seconds(orphanAfter), clock: SystemClock(),
      pool: serve ? pool(of: place) : nil
    ).wait { signals.isStopped.withLock { $0 } }
  }
}

extension HostCommand {
  /// The attempts in a place, without a connection.
  private func pool(of place: AttemptFolder) -> HostPool {
    let claims = ProcessLinks.current.withLock { $0.guardian }.flatMap { KeptDescriptors($0) }
    return HostPool(place: place, on: AttemptHost.machine, claims: claims)
  }
}

/// Notes a signal that ends a hold.
private final class HoldSignals: SignalTarget {
  let isStopped = Mutex(false)

  func receive(_ signal: Int32) {
    if signal != SignalNumber.user1 { isStopped.withLock { $0 = true } }
  }

  func freeze() {}
}

/// Stops the attempts of a pool for a signal.
private struct PoolSignals: SignalTarget {
  let pool: HostPool

  func receive(_ signal: Int32) {
    // The end of the connection, which ssh tells by SIGHUP, leaves time to connect again.
    if signal != SignalNumber.user1, signal != SignalNumber.hangUp { pool.stopAll() }
  }

  func freeze() {}
}

/// The requests to a pool on standard input.
private struct PoolInput: Sendable {
  let pool: HostPool

  /// Reads until the end of the input.
  func read() async {
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "reprise.pool").async {
        var rest: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
          guard let count = readBytes(standardInput, into: &buffer) else {
            waitUntilReadable(standardInput)
            continue
          }
          guard count > 0 else { break }
          rest += buffer[..<count]
          while let end = rest.firstIndex(of: 0x0A) {
            pool.receive(Array(rest[..<end]))
            rest.removeSubrange(...end)
          }
        }
        continuation.resume()
      }
    }
  }
}
