// Steps in a sandbox of this machine: no network unless asked for, and a read-only root.

import ChildProcesses
import Platform
package import Reprise

/// Steps in a sandbox that bubblewrap makes (`bwrap`): namespaces of their own, no image.
///
/// The step sees this machine's files. It can write in its working directory and below `mounts`, and
/// in the folder of the run, and in a folder for temporary files of its own; the rest is read-only.
/// Without `network: host`, it has no network but its own loopback.
package struct SandboxRunner: RunnerKind {
  package static let name = "sandbox"

  /// The network that the step sees.
  enum Network: String, SettingChoice {
    case none, host
  }

  private enum CodingKeys: String, CodingKey {
    case network, mounts
    case readOnly = "read-only"
  }

  var network: Network?
  var mounts: [String]?
  var readOnly: Bool?

  package func makeExecutor(
    named name: String, in surroundings: RunnerSurroundings
  ) throws(FailureReason) -> any Executor {
    let path = surroundings.environment["PATH"]
    guard let program = findProgram("bwrap", in: path) else { throw .notStarted(Self.missing) }
    let (network, mounts, readOnly) = (network ?? .none, mounts ?? [], readOnly ?? false)
    return WrappingExecutor(surroundings) { spec, directory, temporary in
      var words = [
        program, "--unshare-all", "--die-with-parent", "--new-session", "--ro-bind", "/", "/",
        "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp",
      ]
      if network == .host { words.append("--share-net") }
      // An own folder for temporary files, which may be below /tmp.
      words += ["--bind", temporary, temporary]
      words += [readOnly ? "--ro-bind" : "--bind", directory, directory]
      if let folder = spec.runDirectory { words += ["--bind", folder, folder] }
      for mount in mounts {
        let parts = mount.split(separator: ":", maxSplits: 1).map(String.init)
        let path = parts[0].hasPrefix("/") ? parts[0] : directory + "/" + parts[0]
        words += [parts.count > 1 && parts[1] == "ro" ? "--ro-bind" : "--bind", path, path]
      }
      var wrapped = spec
      wrapped.command = words + ["--chdir", directory, "--"] + spec.command
      wrapped.directory = directory
      return wrapped
    }
  }

  package func problems(in surroundings: RunnerSurroundings) async -> [String] {
    guard let program = findProgram("bwrap", in: surroundings.environment["PATH"]) else {
      return [Self.missing]
    }
    do throws(RunnerFailure) {
      let test = [program, "--unshare-all", "--ro-bind", "/", "/", "true"]
      let answer = try await answer(of: test, in: surroundings.environment)
      return answer.status == 0
        ? [] : ["bwrap cannot make a sandbox here: \(answer.complaint)"]
    } catch {
      return [error.description]
    }
  }

  private static let missing =
    "the program \"bwrap\" is not in PATH; install bubblewrap (apt install bubblewrap)"
}
