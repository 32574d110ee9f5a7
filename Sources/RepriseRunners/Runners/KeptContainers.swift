// One container for all steps of a run: `keep: true`.

import ChildProcesses
import Platform
import Reprise
import Synchronization

/// Containers that are kept: this program waits in the container, and serves a pool there.
///
/// The container sees this program and its libraries, loader included, so the image needs none of
/// them.
struct KeptContainers: KeptSite {
  /// Where the program is in a container.
  private static let folder = "/.reprise"

  private var kind: ContainerRunner { command.kind }
  private var program: String { command.program.path }

  let name = "the container"
  let isThisMachine = true
  let needsAcknowledgement = false

  let command: ContainerCommand
  let holders: FolderRunner
  let surroundings: RunnerSurroundings
  let host: String

  func holder(
    _ token: AttemptToken, _ folder: AttemptFolder, arguments hold: [String]
  ) async throws(RunnerFailure) -> AttemptSpec {
    guard let directory = surroundings.directory ?? workingFolder() else {
      throw .refused("the working directory no longer exists")
    }
    let parts = try await self.parts()
    var words: [String]
    do throws(FailureReason) {
      words = try command.words(token, directory)
    } catch {
      throw .refused(error.description)
    }
    for part in parts {
      words += ["--volume", "\(part.path):\(Self.folder)/\(part.name):ro"]
    }
    do throws(Errno) {
      try makeFolderTree(KeptPlace.poolPath(in: folder.path))
    } catch {
      throw .refused("cannot write to \(folder.path): \(error)")
    }
    words += ["--volume", "\(folder.path):\(folder.path)"]
    // So that an engine that resumes the run does not take its processes for leftovers.
    words += ["--env", "REPRISE_HOST"]
    // This program writes files of this user there, which the user of the image could not.
    words += ["--user", "0"]
    words += kind.options ?? []
    let inside = Self.words(parts, hold)
    words += ["--entrypoint", inside[0], kind.image] + inside.dropFirst()
    var spec = AttemptSpec(command: words, grace: .seconds(5))
    spec.directory = directory
    spec.heldLocks = surroundings.hostsLocks(of: token.run)
    spec.cleanup = [program, "rm", "--force", token.text]
    spec.starter = command.program.name
    return spec
  }

  func connect(
    to token: AttemptToken, arguments: [String]
  ) async throws(RunnerFailure) -> ConnectedProgram {
    let words = Self.words(try await parts(), arguments)
    do throws(Errno) {
      // Its monitor gets a mark as well, so that neither the engine nor its guardian ends it.
      return try await ConnectedProgram(
        [program, "exec", "--interactive", token.text] + words,
        variables: DetachedHost.variables(named: "pool"))
    } catch {
      throw RunnerFailure(notStarting: program, error)
    }
  }

  /// The command line in the container.
  private static func words(_ parts: [Part], _ arguments: [String]) -> [String] {
    let own = "\(folder)/reprise"
    guard let loader = parts.first(where: \.isLoader) else { return [own] + arguments }
    return ["\(folder)/\(loader.name)", "--library-path", folder, own] + arguments
  }

  /// A file of the program.
  struct Part: Sendable {
    var path: String
    var name: String
    var isLoader = false
  }

  private func parts() async throws(RunnerFailure) -> [Part] {
    try await Self.parts(of: host, in: surroundings.environment)
  }

  /// The program, and the libraries that it needs.
  static func parts(
    of host: String, in environment: [String: String]
  ) async throws(RunnerFailure) -> [Part] {
    var parts = [Part(path: host, name: "reprise")]
    let answer = try await answer(of: ["ldd", host], in: environment)
    // Otherwise it is linked statically.
    guard answer.status == 0 else { return parts }
    for line in answer.output.split(separator: "\n") {
      let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
      guard let path = words.first(where: { $0.hasPrefix("/") }), let real = realPath(path) else {
        continue
      }
      let name = words[0].split(separator: "/").last.map(String.init) ?? words[0]
      parts.append(Part(path: real, name: name, isLoader: words[0].hasPrefix("/")))
    }
    // The C library loads it when a thread ends, even if the program is not linked to it.
    let unwinder = "libgcc_s.so.1"
    if !parts.contains(where: { $0.name == unwinder }),
      let library = parts.first(where: { $0.name.hasPrefix("libc.so") }),
      let end = library.path.lastIndex(of: "/"),
      let real = realPath(library.path[...end] + unwinder)
    {
      parts.append(Part(path: real, name: unwinder))
    }
    return parts
  }
}
