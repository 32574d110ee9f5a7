// Steps on another machine, over ssh.

import ChildProcesses
import Paths
import Platform
package import Reprise

/// Steps on another machine, over one kept ssh connection for all of them.
///
/// The far side runs this program, which is copied there once for each version. When the
/// connection breaks, steps go on for `orphan-after` and are found again; then they are stopped
/// there, so that nothing is left when the engine has died.
package struct SSHRunner: RunnerKind {
  package static let name = "ssh"

  /// How the files of a step get there.
  enum Files: String, SettingChoice {
    /// Both machines see the same files under the same paths.
    case shared
    /// The directory of the step is copied there before it, and changed files back after it.
    case rsync
  }

  private enum CodingKeys: String, CodingKey {
    case host, user, port, options, files, program
    case orphanAfter = "orphan-after"
    case lostAfter = "lost-after"
  }

  let host: String
  var user: String?
  var port: Int?
  var options: [String]?
  var files: Files?
  /// The path of the program on the far side; by default it is copied there.
  var program: String?
  var orphanAfter: Duration?
  var lostAfter: Duration?

  package func makeExecutor(
    named name: String, in surroundings: RunnerSurroundings
  ) throws(FailureReason) -> any Executor {
    let far = try farSide(in: surroundings)
    let isSynced = files == .rsync
    let runner = PoolRunner(host, patience: orphanAfter ?? .seconds(30)) {
      () throws(RunnerFailure) in try await far.connect()
    }
    let executor = RunnerExecutor(
      runner, named: name, in: surroundings, lostAfter: lostAfter
    ) { spec, _ throws(FailureReason) in
      var far = spec
      let directory = try surroundings.absoluteDirectory(of: spec)
      far.directory = isSynced ? SyncingExecutor.farFolder(of: directory) : directory
      return far
    }
    guard isSynced else { return executor }
    return SyncingExecutor(executor, far: far, surroundings: surroundings)
  }

  package func problems(in surroundings: RunnerSurroundings) async -> [String] {
    do throws(FailureReason) {
      let far = try farSide(in: surroundings)
      do throws(RunnerFailure) {
        let test = try await answer(of: far.command("true"), in: surroundings.environment)
        return test.status == 0 ? [] : ["cannot log in to \(host): \(test.complaint)"]
      } catch {
        return [error.description]
      }
    } catch {
      return [error.description]
    }
  }

  private func farSide(in surroundings: RunnerSurroundings) throws(FailureReason) -> FarSide {
    guard let ssh = findProgram("ssh", in: surroundings.environment["PATH"]) else {
      throw .notStarted("the program \"ssh\" is not in PATH; install openssh-client")
    }
    var words = [ssh, "-o", "BatchMode=yes"]
    if let user { words += ["-l", user] }
    if let port { words += ["-p", String(port)] }
    words += options ?? []
    // The first setting counts for ssh. A lost connection, and a network that is back, are noticed
    // soon.
    words += ["-o", "ServerAliveInterval=5", "-o", "ConnectTimeout=10"]
    return FarSide(
      words: words, host: host, program: program, own: try surroundings.foundHostProgram(),
      environment: surroundings.environment)
  }
}

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
    // The mark keeps an engine that runs on the same machine from taking the steps for leftovers.
    do throws(Errno) {
      let errors = try OpenFile("/dev/null", .writeOnly)
      return try ConnectedProgram(
        command("REPRISE_HOST=pool exec \(path) host --pool"), errors: errors.descriptor)
    } catch {
      throw .refused("cannot start ssh: \(error)")
    }
  }

  /// The path of this program on the far side, which is named by its content.
  private func installedProgram() async throws(RunnerFailure) -> String {
    let hash: String
    do {
      hash = String((try contentHash(ofFile: own) ?? "").prefix(16))
    } catch {
      throw .refused("cannot read \(own): \(error)")
    }
    let folder = ".cache/reprise/\(hash)"
    let path = "\(folder)/reprise"
    let test = try await answer(of: command("test -x \(path)"), in: environment)
    if test.status == 0 { return path }
    guard test.status == 1 else { throw .cannotAsk("ssh \(host): \(test.complaint)") }
    // Under another name first: two engines may copy it at the same time.
    let copy =
      "mkdir -p \(folder) && cat > \(folder)/new.$$ && chmod 755 \(folder)/new.$$ && "
      + "mv \(folder)/new.$$ \(path)"
    let line = (words + ["--", host]).map(shellQuoted).joined(separator: " ")
    let copied = try await answer(
      of: ["/bin/sh", "-c", "\(line) \(shellQuoted(copy)) < \(shellQuoted(own))"],
      in: environment, within: .seconds(300))
    guard copied.status == 0 else {
      throw .cannotAsk("cannot copy \(own) to \(host): \(copied.complaint)")
    }
    return path
  }

  /// Copies a directory to the far side.
  func send(_ copy: FarCopy) async throws(FailureReason) {
    if let problem = await complaint(of: copy.sending(over: shell, to: host)) {
      throw .notStarted("its files cannot be copied to \(host): rsync: \(problem)")
    }
  }

  /// Copies back what a step has changed there.
  func fetch(_ copy: FarCopy) async throws(FailureReason) {
    if let problem = await complaint(of: copy.fetching(over: shell, from: host)) {
      throw .badOutputs("its files cannot be copied back from \(host): rsync: \(problem)")
    }
  }

  /// The command that connects, as a text for rsync.
  private var shell: String { words.map(shellQuoted).joined(separator: " ") }

  /// What a command complains of; nil if it succeeds.
  private func complaint(of command: [String]) async -> String? {
    do throws(RunnerFailure) {
      let answer = try await answer(of: command, in: environment, within: .seconds(3600))
      return answer.status == 0 ? nil : answer.complaint
    } catch {
      return error.description
    }
  }
}
