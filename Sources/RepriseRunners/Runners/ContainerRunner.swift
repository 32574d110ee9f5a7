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
    if let text = refusal(of: program) { throw .notStarted(text) }
    let attempts = try surroundings.foundAttempts()
    let hosts = try ThisMachineSite(surroundings)
    let site: any AttemptSite =
      program.isNaming
      ? ContainerSite(hosts: hosts, program: program.path, environment: surroundings.environment)
      : hosts
    let runner = FolderRunner(site, attempts: attempts, clock: surroundings.clock)
    let (kind, place) = (self, surroundings)
    let command = ContainerCommand(
      kind: kind, program: program, attempts: attempts, surroundings: surroundings)
    if keep == true {
      let containers = KeptContainers(
        command: command, holders: runner, surroundings: surroundings,
        host: try surroundings.foundHostProgram())
      let kept = KeptRunner(
        containers, named: surroundings.placeName(for: name, [image] + command.settings),
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
      spec, token throws(FailureReason) in try command.wrapped(spec, token)
    }
  }

  private static let keptUser =
    "\"keep\" and \"user\" cannot be combined: in a kept container this program writes files of "
    + "yours; choose the user in the step, or omit \"keep\""

  /// Returns why a program cannot run containers with these settings; nil if it can.
  func refusal(of program: ContainerProgram) -> String? {
    if keep == true, user != nil { return Self.keptUser }
    let others = ["keep": keep == true, "user": user != nil, "pull": pull != nil]
    guard program.family == .apptainer, let name = others.filter(\.value).keys.min() else {
      return nil
    }
    return "\(program.name) does not know \"\(name)\" of a container; omit it, or use podman"
  }

  private func foundProgram(
    in surroundings: RunnerSurroundings
  ) throws(FailureReason) -> ContainerProgram {
    let names = program.map { [$0] } ?? ["podman", "docker"]
    for name in names {
      if let path = findProgram(name, in: surroundings.environment["PATH"]) {
        return ContainerProgram(path)
      }
    }
    throw .notStarted(
      "the program \(names.map { "\"\($0)\"" }.joined(separator: " or ")) is not in PATH; install "
        + "podman (apt install podman crun)")
  }

  package func problems(in surroundings: RunnerSurroundings) async -> [String] {
    do throws(FailureReason) {
      let program = try foundProgram(in: surroundings)
      if let text = refusal(of: program) { return [text] }
      do throws(RunnerFailure) {
        let info = try await answer(
          of: [program.path, program.family == .apptainer ? "version" : "info"],
          in: surroundings.environment)
        guard info.status == 0 else { return ["\(program.path) does not work: \(info.complaint)"] }
        if program.family == .apptainer { return [] }
        let found = try await answer(
          of: [program.path, "image", "inspect", image], in: surroundings.environment)
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
