// Steps on another machine, over ssh.

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
    /// The files that the step declares are copied to a folder of its own there, and back.
    case declared
  }

  /// When changed files come back.
  enum Fetch: String, SettingChoice {
    case success, always
  }

  private enum CodingKeys: String, CodingKey {
    case host, user, port, options, files, program, fetch
    case orphanAfter = "orphan-after"
    case lostAfter = "lost-after"
  }

  let host: String
  var user: String?
  var port: Int?
  var options: [String]?
  var files: Files?
  /// With `rsync` and `declared`: when files come back.
  var fetch: Fetch?
  /// The path of the program on the far side; by default it is copied there.
  var program: String?
  var orphanAfter: Duration?
  var lostAfter: Duration?

  package func makeExecutor(
    named name: String, in surroundings: RunnerSurroundings
  ) throws(FailureReason) -> any Executor {
    let far = try farSide(in: surroundings)
    let files = files ?? .shared
    let runner = PoolRunner(
      host, patience: orphanAfter ?? .seconds(30), failure: FarSide.failure
    ) { () throws(RunnerFailure) in try await far.connect() }
    let executor = RunnerExecutor(
      runner, named: name, in: surroundings, lostAfter: lostAfter
    ) { spec, _ throws(FailureReason) in
      var far = spec
      let directory = try surroundings.absoluteDirectory(of: spec)
      // Locks are for one machine: there, the paths belong to another project, if to any.
      far.heldLocks = nil
      switch files {
      case .shared: far.directory = directory
      case .rsync: far.directory = FarCopy.folder(of: directory)
      case .declared: far.directory = DeclaredFiles.folder(of: spec)
      }
      return far
    }
    guard files != .shared else { return executor }
    return SyncingExecutor(executor, far: far, fetchesAlways: fetch == .always) {
      context throws(FailureReason) -> any CopiedFiles in
      let spec = AttemptSpec(context)
      let directory = try surroundings.absoluteDirectory(of: spec)
      guard files == .declared else { return FarCopy(of: directory, for: context) }
      return try DeclaredFiles(
        of: context.step, spec, in: directory, temporary: surroundings.environment["TMPDIR"])
    }
  }

  package func problems(in surroundings: RunnerSurroundings) async -> [String] {
    do throws(FailureReason) {
      let far = try farSide(in: surroundings)
      do throws(RunnerFailure) {
        let test = try await answer(of: far.command("true"), in: surroundings.environment)
        guard test.status == 0 else {
          return ["cannot log in to \(host): \(FarSide.complaint(of: test))"]
        }
        // Also what only shows there: the program cannot be copied, or does not run.
        return try await far.problems()
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
