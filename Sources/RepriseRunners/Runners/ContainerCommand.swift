// `ContainerCommand`: turns the command of an attempt into one that runs it in a container.

import Platform
import Reprise

/// The command of a container, by the settings of its runner.
struct ContainerCommand: Sendable {
  let kind: ContainerRunner
  let program: ContainerProgram
  /// The folder for the records of attempts.
  let attempts: String
  let surroundings: RunnerSurroundings
  /// Whether containers run in jobs of a scheduler.
  var isInJob = false

  /// The variables that each attempt gets.
  ///
  /// With the last one, an engine that resumes the run does not take its processes for leftovers.
  private static let ownVariables = [
    "REPRISE_OUTPUT", "REPRISE_PROGRESS", "TMPDIR", "REPRISE_ENV", "REPRISE_HOST",
  ]

  /// Returns the attempt as a command that runs it in a container.
  func wrapped(_ spec: AttemptSpec, _ token: AttemptToken) throws(FailureReason) -> AttemptSpec {
    let directory = try surroundings.absoluteDirectory(of: spec)
    var words = try self.words(token, directory)
    // None of the engine, which could come before these, is passed on.
    var wrapped = spec
    wrapped.environment.merge(spec.weakEnvironment) { own, _ in own }
    wrapped.weakEnvironment = [:]
    // By name only: the values stay in the environment of the client, and in the records of the program
    // that runs containers; so secrets go by a file.
    let secret = SecretVariables.names(in: wrapped)
    if program.isNaming {
      let variables = wrapped.environment.keys.sorted().filter { !secret.contains($0) }
      words += (variables + Self.ownVariables).flatMap { ["--env", $0] }
    }
    // Its outputs and progress are written there.
    let folder = AttemptFolder(of: token, in: attempts)
    let temporary = folder.path + "/tmp"
    do throws(Errno) {
      try makeFolderTree(folder.path)
    } catch {
      throw .notStarted("cannot write to \(folder.path): \(error)")
    }
    if let state = surroundings.stateFolder {
      let shown = [temporary, spec.runDirectory].compactMap(\.self)
      let cover = try ContainerMounts.cover(of: state, showing: shown, in: folder)
      let covered = [state] + (try mounts(directory).targets(of: state))
      words += covered.flatMap { [program.mount, "\(cover):\($0):ro"] }
    }
    words += [program.mount, "\(temporary):\(temporary)"]
    if let folder = spec.runDirectory {
      // The user of the image writes there; the folder is below one that only this user can enter.
      try? changePermissions(of: folder, to: FilePermissions(rawValue: 0o777))
      words += [program.mount, "\(folder):\(folder)"]
    }
    words += kind.options ?? []
    var inside =
      secret.isEmpty ? spec.command : SecretVariables.reading(spec.command, in: temporary)
    if program.isNaming {
      if spec.writesToTerminal == true {
        words.append("--tty")
      } else if spec.mergesStreams == true {
        inside = mergingStreams(of: inside)
      }
    }
    wrapped.variablesInFile = secret
    wrapped.command = words + program.image(kind.image, inside)
    wrapped.directory = directory
    wrapped.temporaryFolder = temporary
    wrapped.cleanup = program.removing(token)
    wrapped.starter = program.name
    return wrapped
  }

  /// Returns a command with one stream for its output, if it begins with a shell.
  ///
  /// The program that runs containers reads the two streams separately, and so loses their order.
  private func mergingStreams(of command: [String]) -> [String] {
    let name = command[0].split(separator: "/").last.map(String.init) ?? ""
    guard ["sh", "bash", "dash", "ash", "zsh", "ksh"].contains(name) else { return command }
    return [command[0], "-c", #"exec "$0" "$@" 2>&1"#] + command
  }

  /// Returns the command that runs a container, without its image.
  ///
  /// - Parameters:
  ///   - token: The name of the container.
  ///   - directory: What relative mounts are relative to.
  /// - Returns: The words.
  /// - Throws: ``FailureReason`` if a folder to mount is not there.
  func words(_ token: AttemptToken, _ directory: String) throws(FailureReason) -> [String] {
    var words = program.running(token, isInJob: isInJob) + settings
    for parts in try mounts(directory).parts {
      words += [program.mount, parts.joined(separator: ":")]
    }
    return words + program.directory(kind.workdir ?? directory)
  }

  private func mounts(_ directory: String) throws(FailureReason) -> ContainerMounts {
    try ContainerMounts(kind.mounts ?? ["."], relativeTo: directory)
  }

  /// The options for the settings that are the same for all steps.
  var settings: [String] {
    var words = program.network(kind.network)
    if let user = kind.user { words += ["--user", user] }
    if let pull = kind.pull { words += ["--pull", pull] }
    if kind.readOnly == true, program.isNaming { words.append("--read-only") }
    return words
  }
}
