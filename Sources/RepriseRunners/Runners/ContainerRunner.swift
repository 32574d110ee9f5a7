// Steps in containers, which podman or docker runs on this machine.

import Platform
package import Reprise

/// Steps in containers of their own, by `podman run` or `docker run`.
///
/// The container is named as the attempt's token, so a second one of the attempt cannot be created.
/// A host outside of the container runs the client, so the step goes on when the engine dies, and
/// its result is written whether or not anyone is there to read it.
package struct ContainerRunner: RunnerKind {
  package static let name = "container"

  private enum CodingKeys: String, CodingKey {
    case image, mounts, network, user, pull, program, options, workdir, keep
    case readOnly = "read-only"
    case orphanAfter = "orphan-after"
  }

  let image: String
  var mounts: [String]?
  var network: String?
  var user: String?
  var pull: String?
  var program: String?
  var options: [String]?
  var workdir: String?
  var readOnly: Bool?
  /// Whether all steps of a run share one container.
  var keep: Bool?
  /// How long a kept container without steps waits for an engine.
  var orphanAfter: Duration?

  package func makeExecutor(
    named name: String, in surroundings: RunnerSurroundings
  ) throws(FailureReason) -> any Executor {
    let program = try foundProgram(in: surroundings)
    let attempts = try surroundings.foundAttempts()
    let site = ContainerSite(
      hosts: try ThisMachineSite(surroundings), program: program,
      environment: surroundings.environment)
    let runner = FolderRunner(site, attempts: attempts, clock: surroundings.clock)
    let (kind, place) = (self, surroundings)
    if keep == true {
      if user != nil { throw .notStarted(Self.keptUser) }
      let containers = KeptContainers(
        kind: kind, program: program, holders: runner, surroundings: surroundings,
        host: try surroundings.foundHostProgram())
      let kept = KeptRunner(
        containers, named: surroundings.placeName(for: name, [image] + settings),
        attempts: attempts, orphanAfter: orphanAfter ?? .seconds(60), clock: surroundings.clock)
      return RunnerExecutor(kept, named: name, in: surroundings) {
        spec, _ throws(FailureReason) in
        var inside = spec
        let directory = try place.absoluteDirectory(of: spec)
        inside.directory = kind.workdir ?? directory
        return inside
      }
    }
    return RunnerExecutor(runner, named: name, in: surroundings) {
      spec, token throws(FailureReason) in
      try kind.wrapped(spec, token, program, attempts: attempts, place)
    }
  }

  /// The variables that each attempt gets.
  ///
  /// With the last one, an engine that resumes the run does not take its processes for leftovers.
  private static let ownVariables = [
    "REPRISE_OUTPUT", "REPRISE_PROGRESS", "TMPDIR", "REPRISE_ENV", "REPRISE_HOST",
  ]

  /// Returns the attempt as a command that runs it in a container.
  private func wrapped(
    _ spec: AttemptSpec, _ token: AttemptToken, _ program: String, attempts: String,
    _ surroundings: RunnerSurroundings
  ) throws(FailureReason) -> AttemptSpec {
    let directory = try surroundings.absoluteDirectory(of: spec)
    var words = try command(program, token, directory)
    // By name only: the values stay in the environment of the client, and in the records of the program
    // that runs containers; so secrets go by a file.
    let secret = SecretVariables.names(in: spec)
    let variables = spec.environment.keys.sorted().filter { !secret.contains($0) }
    words += (variables + Self.ownVariables).flatMap { ["--env", $0] }
    // Its outputs and progress are written there.
    let folder = AttemptFolder(of: token, in: attempts)
    let temporary = folder.path + "/tmp"
    if let state = surroundings.stateFolder {
      let shown = [temporary, spec.runDirectory].compactMap(\.self)
      let cover = try Self.cover(of: state, showing: shown, in: folder)
      let covered = [state] + (try targets(of: state, directory))
      words += covered.flatMap { ["--volume", "\(cover):\($0):ro"] }
    }
    words += ["--volume", "\(temporary):\(temporary)"]
    if let folder = spec.runDirectory {
      // The user of the image writes there; the folder is below one that only this user can enter.
      try? changePermissions(of: folder, to: FilePermissions(rawValue: 0o777))
      words += ["--volume", "\(folder):\(folder)"]
    }
    words += options ?? []
    var inside =
      secret.isEmpty ? spec.command : SecretVariables.reading(spec.command, in: temporary)
    if spec.writesToTerminal == true {
      words.append("--tty")
    } else if spec.mergesStreams == true {
      inside = mergingStreams(of: inside)
    }
    var wrapped = spec
    wrapped.variablesInFile = secret
    // Not the entry point of the image, which would take the step for its arguments.
    wrapped.command = words + ["--entrypoint", inside[0], image] + inside.dropFirst()
    wrapped.directory = directory
    wrapped.temporaryFolder = temporary
    wrapped.cleanup = [program, "rm", "--force", token.text]
    wrapped.starter = lastComponent(of: program)
    return wrapped
  }

  /// Returns a command with one stream for its output, if it begins with a shell.
  ///
  /// The program that runs containers reads the two streams separately, and so loses their order.
  private func mergingStreams(of command: [String]) -> [String] {
    guard ["sh", "bash", "dash", "ash", "zsh", "ksh"].contains(lastComponent(of: command[0])) else {
      return command
    }
    return [command[0], "-c", #"exec "$0" "$@" 2>&1"#] + command
  }

  /// Makes a folder that covers the state of the project in a container, with mount points in it.
  ///
  /// In the working directory, the state is a folder that the user of an image may not enter.
  ///
  /// - Parameters:
  ///   - state: The folder with the state.
  ///   - paths: What is mounted in it.
  ///   - folder: The folder of the attempt.
  /// - Returns: Its path.
  /// - Throws: ``FailureReason`` if it cannot be made.
  private static func cover(
    of state: String, showing paths: [String], in folder: AttemptFolder
  ) throws(FailureReason) -> String {
    let cover = folder.path + "/state"
    do throws(Errno) {
      try makeFolderTree(cover)
      for path in paths where path.hasPrefix(state + "/") {
        var point = cover
        for name in [Substring()] + path.dropFirst(state.count).split(separator: "/") {
          if !name.isEmpty { point += "/" + name }
          try makeFolderTree(point)
          try changePermissions(of: point, to: FilePermissions(rawValue: 0o755))
        }
      }
    } catch {
      throw .notStarted("cannot write to \(folder.path): \(error)")
    }
    return cover
  }

  /// Returns the command that runs a container, without its image.
  ///
  /// - Parameters:
  ///   - program: The program that runs containers.
  ///   - token: The name of the container.
  ///   - directory: What relative mounts are relative to.
  /// - Returns: The words.
  /// - Throws: ``FailureReason`` if a folder to mount is not there.
  func command(
    _ program: String, _ token: AttemptToken, _ directory: String
  ) throws(FailureReason) -> [String] {
    // Output is recorded, masked, by the host; a second record would not be.
    var words = [
      program, "run", "--rm", "--name", token.text, "--label", "reprise=\(token)",
      "--log-driver", "none",
    ]
    words += settings
    for parts in try mountParts(directory) { words += ["--volume", parts.joined(separator: ":")] }
    return words + ["--workdir", workdir ?? directory]
  }

  /// The parts of the mounts: the path here, that in the container, and options.
  private func mountParts(_ directory: String) throws(FailureReason) -> [[String]] {
    var all: [[String]] = []
    for mount in mounts ?? ["."] {
      var parts = mount.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
      if !parts[0].hasPrefix("/") {
        guard let path = realPath(directory + "/" + parts[0]) else {
          throw .notStarted("there is no \(directory)/\(parts[0]) to mount in the container")
        }
        parts[0] = path
      }
      if parts.count == 1 { parts.append(parts[0]) }
      all.append(parts)
    }
    return all
  }

  /// The further paths at which mounts of its parents show a folder.
  private func targets(of folder: String, _ directory: String) throws(FailureReason) -> [String] {
    guard let real = realPath(folder) else { return [] }
    let mounts = try mountParts(directory)
    let taken = Set(mounts.map { $0[1] } + [folder])
    let shown: [String] = mounts.compactMap { parts in
      guard let source = realPath(parts[0]) else { return nil }
      let parent = source == "/" ? "" : source
      guard real.hasPrefix(parent + "/") else { return nil }
      let target = parts[1] == "/" ? "" : parts[1]
      return target + real.dropFirst(parent.count)
    }
    return Set(shown).subtracting(taken).sorted()
  }

  /// The options for the settings that are the same for all steps.
  private var settings: [String] {
    var words: [String] = []
    if let network { words += ["--network", network] }
    if let user { words += ["--user", user] }
    if let pull { words += ["--pull", pull] }
    if readOnly == true { words.append("--read-only") }
    return words
  }

  /// The name of a program, for messages.
  func lastComponent(of path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }

  private static let keptUser =
    "\"keep\" and \"user\" cannot be combined: in a kept container this program writes files of "
    + "yours; choose the user in the step, or omit \"keep\""

  private func foundProgram(in surroundings: RunnerSurroundings) throws(FailureReason) -> String {
    let names = program.map { [$0] } ?? ["podman", "docker"]
    for name in names {
      if let path = findProgram(name, in: surroundings.environment["PATH"]) { return path }
    }
    throw .notStarted(
      "the program \(names.map { "\"\($0)\"" }.joined(separator: " or ")) is not in PATH; install "
        + "podman (apt install podman crun)")
  }

  package func problems(in surroundings: RunnerSurroundings) async -> [String] {
    do throws(FailureReason) {
      let program = try foundProgram(in: surroundings)
      do throws(RunnerFailure) {
        let info = try await answer(of: [program, "info"], in: surroundings.environment)
        guard info.status == 0 else { return ["\(program) does not work: \(info.complaint)"] }
        let found = try await answer(
          of: [program, "image", "inspect", image], in: surroundings.environment)
        if keep == true, user != nil { return [Self.keptUser] }
        if found.status != 0, pull == "never" {
          return ["the image \(image) is not there, and \"pull\" is never: \(found.complaint)"]
        }
        return []
      } catch {
        return [error.description]
      }
    } catch {
      return [error.description]
    }
  }
}
