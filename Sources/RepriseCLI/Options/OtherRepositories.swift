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
/// Nothing of what it fetches is run. What git asks for cannot be answered: git and ssh have a session
/// of their own, without a terminal. It is used by one task, and ends soon after that is cancelled.
final class OtherRepositories {
  /// How long git may take, and how much of the disk it may fill.
  struct Limits {
    /// The time for one command.
    var time = Duration.seconds(120)
    /// The size of all clones, in bytes.
    var size = Int64(1) << 30
    /// The size of one file that is read, in bytes.
    var file = 4 << 20
  }

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

  /// No hook of a template runs, nothing tidies up in the background, and what is fetched is one file,
  /// whose size the system can limit.
  private static let settings = [
    "core.hooksPath=/dev/null", "gc.auto=0", "maintenance.auto=false", "fetch.unpackLimit=1",
  ]
  /// Variables that would make git work on another repository, for example within a hook, or not fetch.
  private static let otherPlaces = [
    "GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_INDEX_FILE",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE", "GIT_SHALLOW_FILE", "GIT_NO_LAZY_FETCH",
  ]
  /// What git says about a file that the system does not let grow.
  private static let tooLarge = "File too large"

  private let server: String
  private let limits: Limits
  private let environment: [String: String]
  private let folder: String
  private var clones: [Version: Result<Clone, Failure>] = [:]
  /// Why nothing more is asked.
  private var end: String?

  /// Creates a folder for the clones.
  ///
  /// - Parameters:
  ///   - server: The address before `/OWNER/NAME`.
  ///   - environment: The environment of git.
  ///   - limits: What git may take.
  /// - Throws: ``Problem`` if the folder cannot be created.
  init(
    server: String = "https://github.com",
    environment: [String: String] = inheritedEnvironment(), limits: Limits = Limits()
  ) throws(Problem) {
    self.server = server
    self.limits = limits
    var environment = environment
    for name in Self.otherPlaces { environment[name] = nil }
    // A question for a password would wait for ever.
    environment["GIT_TERMINAL_PROMPT"] = "0"
    environment["LC_ALL"] = "C"
    // The objects of GitHub, whatever new repositories of this user have.
    environment["GIT_DEFAULT_HASH"] = "sha1"
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
    if let end { return .failed(end) }
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
      _ = try await git(["init", "--quiet", "--bare", "--template=", folder], in: self.folder)
      let address = "\(server)/\(version.repository)"
      _ = try await git(["remote", "add", "origin", address], in: folder)
      _ = try await git(
        [
          "fetch", "--quiet", "--no-tags", "--depth=1", "--filter=blob:none",
          "--no-recurse-submodules", "origin", version.name,
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
    let list = try await git(
      ["ls-tree", "--full-tree", "--long", commit, "--"] + file.files, in: folder)
    // MODE TYPE ID SIZE, a tab and the path of each.
    let entries = list.split(separator: "\n").map { $0.split { $0 == " " || $0 == "\t" } }
    for path in file.files {
      guard let entry = entries.first(where: { $0.count == 5 && $0[4] == path }) else { continue }
      guard entry[0].hasPrefix("100") else { return .failed("\(path) is no file") }
      // Git would have the whole file in memory.
      guard let size = Int(entry[3]), size <= limits.file else {
        return .failed("\(path) is larger than \(limits.file) bytes")
      }
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
    let start = SystemClock().now
    do throws(RunnerFailure) {
      answer = try await RepriseRunners.answer(
        of: limited(["git", "-C", folder] + place + settings + arguments), in: environment,
        within: limits.time)
    } catch {
      throw Failure(reason: "git cannot be run: \(error)")
    }
    if answer.status == 0 { return answer.output }
    if answer.status == nil, SystemClock().now - start >= limits.time {
      // A server that does not answer would take as long for each version.
      let text = "git got no answer within \(limits.time.components.seconds) s"
      end = "not fetched, since \(text) before"
      throw Failure(reason: text)
    }
    guard !answer.errors.contains(Self.tooLarge) else {
      throw Failure(reason: "more than \(limits.size) bytes would be fetched")
    }
    guard answer.status != nil else { throw Failure(reason: "git was ended by a signal") }
    throw Failure(reason: "git: \(Self.complaint(answer.errors))")
  }

  /// Returns a command that may write no file which is larger than what is left for all clones.
  private func limited(_ command: [String]) -> [String] {
    let left = max(0, limits.size - Self.size(of: folder))
    // The unit of the shell is 512 bytes; a limit of this user that is lower stays. Without the signal,
    // git can say what has happened.
    let script = "trap '' XFSZ; ulimit -f \(left / 512) 2>/dev/null; exec \"$@\""
    return ["sh", "-c", script, "sh"] + command
  }

  /// Returns the size of all files in a folder, in bytes.
  private static func size(of folder: String) -> Int64 {
    FolderReader.names(in: folder).reduce(0) { sum, name in
      let path = "\(folder)/\(name)"
      guard let status = try? Stat(at: path, followsLink: false) else { return sum }
      return sum + (status.type == .directory ? size(of: path) : Int64(status.size))
    }
  }

  /// Returns the line of a message of git that says what has failed; git leaves out passwords.
  private static func complaint(_ errors: String) -> String {
    let lines = errors.split(whereSeparator: \.isNewline)
    let line = lines.first { $0.hasPrefix("fatal: ") } ?? lines.first ?? "it failed"
    return String(line.hasPrefix("fatal: ") ? line.dropFirst("fatal: ".count) : line)
  }
}
