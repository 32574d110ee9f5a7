// `FarSide`: another machine that ssh reaches, with this program on it.

import ChildProcesses
import Dispatch
import Paths
import Platform
import Reprise
import Synchronization

/// Another machine that ssh reaches.
struct FarSide: Sendable {
  let words: [String]
  let host: String
  let program: String?
  let own: String
  let environment: [String: String]

  /// Returns the command that runs a command line on the far side.
  func command(_ line: String) -> [String] { words + ["--", host, line] }

  /// Connects to a pool on the far side; copies the program there first, if it is not there.
  func connect() async throws(RunnerFailure) -> ConnectedProgram {
    let path: String
    if let program { path = program } else { path = try await installedProgram() }
    // The marks keep an engine that runs on the same machine from taking the steps for leftovers.
    do throws(Errno) {
      let marks = DetachedHost.entries(named: "pool").joined(separator: " ")
      return try await ConnectedProgram(command("\(marks) exec \(path) host --pool"))
    } catch {
      throw RunnerFailure(notStarting: "ssh", error)
    }
  }

  /// What ssh, or the shell there, says of settings that another try does not change.
  private static let refusals = [
    "Host key verification failed", "Permission denied", "Could not resolve hostname",
    "Too many authentication failures", "Unable to negotiate", "Bad configuration option",
    "Bad port", "no such identity", "usage: ssh", "unknown option", "not found",
    "No such file or directory", "cannot execute", "Exec format error",
    "account is not available", "administratively prohibited",
  ]

  /// What a connection that was not made means, by the last line of ssh.
  ///
  /// A network that is away comes back; a key or a name does not change by itself.
  static func failure(_ text: String) -> RunnerFailure {
    // The resolver of this machine cannot be reached.
    if text.contains("Temporary failure") { return .neverBegun(text) }
    guard refusals.contains(where: { text.contains($0) }) else { return .neverBegun(text) }
    guard text.contains("Host key verification failed") else { return .refused(text) }
    let plain = text.hasSuffix(".") ? String(text.dropLast()) : text
    return .refused(plain + "; log in once by hand, or add its key to known_hosts")
  }

  /// The line of an answer with the reason: ssh says it last, after warnings and greetings.
  static func complaint(of answer: ProgramAnswer) -> String {
    let lines = answer.errors.split(whereSeparator: \.isNewline)
    return lines.last { $0.contains { !$0.isWhitespace } }.map(String.init) ?? answer.complaint
  }

  /// The status of ssh for its own failures, and not for those of the command.
  private static let statusOfFailure = 255

  /// The failure of a command that has not succeeded there.
  private func failure(of answer: ProgramAnswer, _ what: String) -> RunnerFailure {
    let text = what + Self.complaint(of: answer)
    guard let status = answer.status else { return .neverBegun(text) }
    return status == Self.statusOfFailure ? Self.failure(text) : .refused(text)
  }

  /// What keeps this program from running there, in sentences.
  func problems() async throws(RunnerFailure) -> [String] {
    let path: String
    if let program { path = program } else { path = try await installedProgram() }
    let test = try await answer(of: command("\(path) --version"), in: environment)
    guard test.status != 0 else { return [] }
    return ["\(path) does not run on \(host): \(Self.complaint(of: test))"]
  }

  /// The path of this program on the far side, which is named by its content.
  private func installedProgram() async throws(RunnerFailure) -> String {
    let hash = try await ownHash()
    let folder = ".cache/reprise/\(hash)"
    let path = "\(folder)/reprise"
    let test = try await answer(of: command("test -x \(path)"), in: environment)
    if test.status == 0 { return path }
    guard test.status == 1 else { throw failure(of: test, "ssh \(host): ") }
    // Under another name first: two engines may copy it at the same time.
    let copy =
      "mkdir -p \(folder) && cat > \(folder)/new.$$ && chmod 755 \(folder)/new.$$ && "
      + "mv \(folder)/new.$$ \(path)"
    let line = (words + ["--", host]).map(shellQuoted).joined(separator: " ")
    let copied = try await answer(
      of: ["/bin/sh", "-c", "\(line) \(shellQuoted(copy)) < \(shellQuoted(own))"],
      in: environment, within: .seconds(300))
    guard copied.status == 0 else {
      throw failure(of: copied, "cannot copy \(own) to \(host): ")
    }
    return path
  }

  private static let hashing = DispatchQueue(label: "reprise.hash", qos: .userInitiated)
  /// The hashes of programs, by path; they do not change while this process runs.
  private static let hashes = Mutex<[String: String]>([:])

  /// A name for the content of this program, which takes a moment to read.
  private func ownHash() async throws(RunnerFailure) -> String {
    if let known = Self.hashes.withLock({ $0[own] }) { return known }
    let result: Result<String, any Error> = await withCheckedContinuation { continuation in
      Self.hashing.async { [own] in
        continuation.resume(returning: Result { try contentHash(ofFile: own) ?? "" })
      }
    }
    do {
      let hash = String(try result.get().prefix(16))
      Self.hashes.withLock { $0[own] = hash }
      return hash
    } catch {
      throw .refused("cannot read \(own): \(error)")
    }
  }

  /// Copies files to the far side, by words of rsync.
  func send(_ words: [String]) async throws(FailureReason) {
    if let problem = await complaint(of: ["rsync", "--rsh", shell] + words) {
      throw .notStarted("its files cannot be copied to \(host): rsync: \(problem)")
    }
  }

  /// Copies files back, by words of rsync.
  func fetch(_ words: [String]) async throws(FailureReason) {
    if let problem = await complaint(of: ["rsync", "--rsh", shell] + words) {
      throw .badOutputs("its files cannot be copied back from \(host): rsync: \(problem)")
    }
  }

  /// Returns what a command line prints on the far side.
  ///
  /// - Throws: ``RunnerFailure`` if it cannot be run, or fails.
  func output(of line: String) async throws(RunnerFailure) -> String {
    let answer = try await answer(of: command(line), in: environment, within: .seconds(3600))
    guard answer.status == 0 else { throw failure(of: answer, "") }
    return answer.output
  }

  /// The command that connects, as a text for rsync.
  private var shell: String { words.map(shellQuoted).joined(separator: " ") }

  /// What a command complains of; nil if it succeeds.
  private func complaint(of command: [String]) async -> String? {
    do throws(RunnerFailure) {
      let answer = try await answer(of: command, in: environment, within: .seconds(3600))
      if answer.status == 0 { return nil }
      // The last line of rsync is a summary.
      let lines = answer.errors.split(whereSeparator: \.isNewline).filter {
        !$0.hasPrefix("rsync error:")
      }
      return lines.last.map(String.init) ?? Self.complaint(of: answer)
    } catch {
      return error.description
    }
  }
}
