// `ContainerProgram`: podman, docker or apptainer, and how their command lines differ.

import Reprise

/// A program that runs containers.
struct ContainerProgram: Sendable {
  /// Programs with the same command line.
  enum Family: Sendable {
    case podman, docker, apptainer
  }

  /// Its path, or its name where it runs.
  let path: String
  /// Whose command line it has, by its name.
  let family: Family

  init(_ path: String) {
    self.path = path
    let name = Self.name(of: path)
    family =
      ["apptainer", "singularity"].contains(where: name.hasPrefix)
      ? .apptainer : name.hasPrefix("docker") ? .docker : .podman
  }

  /// Its name, for messages.
  var name: String { Self.name(of: path) }

  /// Whether its containers have names, by which they are removed; others end with their program.
  var isNaming: Bool { family != .apptainer }

  /// The option that mounts a file or a folder.
  var mount: String { family == .apptainer ? "--bind" : "--volume" }

  /// Returns the words of its command, up to its options.
  ///
  /// - Parameters:
  ///   - token: The name of the container.
  ///   - isInJob: Whether it runs in a job of a scheduler.
  /// - Returns: The words.
  func running(_ token: AttemptToken, isInJob: Bool) -> [String] {
    guard isNaming else { return [path, "exec", "--contain"] }
    // Output is recorded, masked, by the host; a second record would not be.
    let words = [
      path, "run", "--rm", "--name", token.text, "--label", "reprise=\(token)", "--log-driver",
      "none",
    ]
    // In a control group of its own, it would escape the limits of the job, and its end.
    return isInJob && family == .podman ? words + ["--cgroups=disabled"] : words
  }

  /// Returns the option for the directory of a container.
  func directory(_ path: String) -> [String] {
    [family == .apptainer ? "--pwd" : "--workdir", path]
  }

  /// Returns the options for a network; nil for the usual one.
  func network(_ name: String?) -> [String] {
    guard let name else { return [] }
    guard family == .apptainer else { return ["--network", name] }
    return name == "host" ? [] : ["--net", "--network", name]
  }

  /// Returns the words after the options: the image, and the command in it.
  func image(_ image: String, _ command: [String]) -> [String] {
    guard family != .apptainer else { return [image] + command }
    // Not the entry point of the image, which would take the step for its arguments.
    return ["--entrypoint", command[0], image] + command.dropFirst()
  }

  /// Returns the command that removes a container; nil if it ends with its program.
  func removing(_ token: AttemptToken) -> [String]? {
    isNaming ? [path, "rm", "--force", token.text] : nil
  }

  private static func name(of path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }
}
