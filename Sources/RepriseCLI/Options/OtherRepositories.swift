// Reads actions and workflows of other repositories with git, for `reprise import --fetch`.

import ChildProcesses
import Platform
import Reprise
import RepriseHost
import RepriseImport
import RepriseRunners
import RepriseTerminal

/// Reads files of other repositories with git, which asks for each version of a repository once.
///
/// Nothing of what it fetches is run. It is used by one task.
final class OtherRepositories {
  /// A version of a repository.
  private struct Version: Hashable {
    let repository: String
    let name: String
  }

  /// A clone of one commit.
  private struct Clone {
    let folder: String
    let commit: String
  }

  /// A message of git, or the reason why git could not be run.
  private struct Failure: Error {
    let reason: String
  }

  /// The time that git has for one command.
  private static let limit = Duration.seconds(120)
  /// No hook of a template runs, and nothing tidies up in the background.
  private static let settings = ["core.hooksPath=/dev/null", "gc.auto=0", "maintenance.auto=false"]
  /// Variables that would make git work on another repository, for example within a hook.
  private static let otherPlaces = [
    "GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
  ]

  private let server: String
  private let environment: [String: String]
  private let folder: String
  private var clones: [Version: Result<Clone, Failure>] = [:]

  /// Creates a folder for the clones.
  ///
  /// - Parameter server: The address before `/OWNER/NAME`.
  /// - Throws: ``Problem`` if the folder cannot be created.
  init(server: String = "https://github.com") throws(Problem) {
    self.server = server
    var environment = inheritedEnvironment()
    for name in Self.otherPlaces { environment[name] = nil }
    // A question for a password would wait for ever.
    environment["GIT_TERMINAL_PROMPT"] = "0"
    environment["LC_ALL"] = "C"
    self.environment = environment
    do throws(Errno) {
      folder = try makeTemporaryFolder(TemporaryFiles.prefix("output", environment["TMPDIR"]))
    } catch {
      throw Problem(
        "error: cannot create a folder for the files of other repositories: \(error)",
        cause: .internalFailure)
    }
  }

  /// Removes the clones.
  func remove() { TemporaryFiles.remove(folder) }

  /// Reads a file at its version.
  func read(_ file: OtherFile) async -> OtherFile.Answer {
    let version = Version(repository: file.repository, name: file.version)
    let clone: Result<Clone, Failure>
    if let known = clones[version] {
      clone = known
    } else {
      clone = await self.clone(version)
      clones[version] = clone
    }
    do throws(Failure) {
      return try await content(of: file, in: try clone.get())
    } catch {
      return .failed(error.reason)
    }
  }

  /// Fetches one commit without the contents of its files.
  private func clone(_ version: Version) async -> Result<Clone, Failure> {
    let folder = "\(self.folder)/\(clones.count)"
    do throws(Failure) {
      _ = try await git(["init", "--quiet", "--bare", folder], in: self.folder)
      let address = "\(server)/\(version.repository)"
      _ = try await git(["remote", "add", "origin", address], in: folder)
      _ = try await git(
        [
          "fetch", "--quiet", "--no-tags", "--depth=1", "--filter=blob:none", "origin",
          version.name,
        ],
        in: folder)
      let commit = try await git(["rev-parse", "--verify", "FETCH_HEAD^{commit}"], in: folder)
      return .success(Clone(folder: folder, commit: String(commit.prefix { !$0.isNewline })))
    } catch {
      return .failure(error)
    }
  }

  private func content(
    of file: OtherFile, in clone: Clone
  ) async throws(Failure) -> OtherFile.Answer {
    let (folder, commit) = (clone.folder, clone.commit)
    let list = try await git(["ls-tree", "--full-tree", commit, "--"] + file.files, in: folder)
    // MODE TYPE ID, a tab and the path of each.
    let entries = list.split(separator: "\n").map { $0.split { $0 == " " || $0 == "\t" } }
    for path in file.files {
      guard let entry = entries.first(where: { $0.count == 4 && $0[3] == path }) else { continue }
      guard entry[0].hasPrefix("100") else { return .failed("\(path) is no file") }
      let name = try await git(["unpack-file", String(entry[2])], in: folder)
      do throws(WorkflowError) {
        let bytes = try Workflow.bytes(of: "\(folder)/\(name.prefix { !$0.isNewline })")
        return .read(bytes, path: path, commit: commit)
      } catch {
        return .failed("\(path) cannot be read")
      }
    }
    return .failed("there is no \(file.files.joined(separator: " and no ")) at \(commit)")
  }

  /// Runs git and returns what it prints.
  private func git(_ arguments: [String], in folder: String) async throws(Failure) -> String {
    let settings = Self.settings.flatMap { ["-c", $0] }
    let place = arguments[0] == "init" ? [] : ["--git-dir=."]
    let answer: ProgramAnswer
    do throws(RunnerFailure) {
      answer = try await RepriseRunners.answer(
        of: ["git", "-C", folder] + place + settings + arguments, in: environment,
        within: Self.limit)
    } catch {
      throw Failure(reason: "git cannot be run: \(error)")
    }
    guard answer.status == 0 else {
      guard answer.status != nil else {
        throw Failure(reason: "git got no answer within \(Self.limit.components.seconds) s")
      }
      throw Failure(reason: "git: \(Self.complaint(answer.errors))")
    }
    return answer.output
  }

  /// Returns the line of a message of git that says what has failed; git leaves out passwords.
  private static func complaint(_ errors: String) -> String {
    let lines = errors.split(whereSeparator: \.isNewline)
    let line = lines.first { $0.hasPrefix("fatal: ") } ?? lines.first ?? "it failed"
    return String(line.hasPrefix("fatal: ") ? line.dropFirst("fatal: ".count) : line)
  }
}
