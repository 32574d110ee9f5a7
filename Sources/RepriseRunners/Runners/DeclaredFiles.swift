// `DeclaredFiles`: the files that a step declares are copied to another machine, and what it makes back.

import ChildProcesses
import Dispatch
import Paths
import Platform
import Reprise

/// The files under `cache` of a step, which it sees in a folder of its own on the far side.
///
/// Before an attempt, the files that match `inputs` are copied to an empty folder; links arrive as what they
/// point to. After its success, the files that match `makes` are copied back. Each attempt begins with an
/// empty folder. It is removed when its files are back, or with the records of the run.
struct DeclaredFiles: CopiedFiles {
  private static let disk = DispatchQueue(label: "reprise.declared", attributes: .concurrent)

  private let rule: CacheRule
  /// The directory of the step here.
  private let directory: String
  /// The folder there, below the user's home.
  private let folder: String
  /// The value of `TMPDIR`, if it is set.
  private let temporary: String?

  /// Reads what a step declares.
  ///
  /// - Parameters:
  ///   - step: The step.
  ///   - spec: An attempt of the step.
  ///   - directory: Its directory here.
  ///   - temporary: The value of `TMPDIR`, if it is set.
  /// - Throws: ``FailureReason`` if it does not say what it reads.
  init(
    of step: Workflow.Step, _ spec: AttemptSpec, in directory: String, temporary: String?
  ) throws(FailureReason) {
    rule = step.extrasIfAny?.cache ?? CacheRule()
    guard rule.learning == nil else {
      throw .notStarted(
        "its files are not declared: write \"inputs\" and \"makes\" in place of \"cache: auto\", or "
          + "use \"files: rsync\" of the runner")
    }
    self.directory = directory
    self.temporary = temporary
    folder = Self.folder(of: spec)
  }

  /// The folder on the far side for the step of an attempt, below the user's home there.
  ///
  /// It is beside the records of attempts, and removed with those of its run.
  static func folder(of spec: AttemptSpec) -> String {
    var hash = SHA256()
    hash.update((spec.environment["REPRISE_STEP_ID"] ?? "").utf8)
    let run = spec.environment["REPRISE_RUN_ID"] ?? "run"
    return ".cache/reprise/attempts/\(run).files-\(hash.hexadecimal.prefix(16))"
  }

  func send(to far: FarSide) async throws(FailureReason) {
    let result = await Self.disk.result {
      Result { try search(rule.inputs).contents(in: directory) }
    }
    let found: [FoundFile]
    switch result {
    case .success(let files): found = files
    case .failure(let error): throw .notStarted("its files cannot be listed: \(error)")
    }
    // There is nothing behind some links.
    let sent = found.map(\.path).filter { mayAccess(directory + "/" + $0, .existence) }
    let anew = "rm -rf \(folder) && mkdir -p \(folder)"
    guard !sent.isEmpty else {
      do throws(RunnerFailure) { _ = try await far.output(of: anew) } catch {
        throw .notStarted("its folder cannot be made on \(far.host): \(error)")
      }
      return
    }
    try await listed(sent) { list async throws(FailureReason) in
      try await far.send([
        "--archive", "--copy-links", "--compress", "--from0", "--files-from=\(list)",
        "--rsync-path",
        anew + " && rsync", directory + "/", "\(far.host):\(folder)/",
      ])
    }
  }

  func fetch(from far: FarSide, afterFailure hasFailed: Bool) async throws(FailureReason) {
    guard !rule.expected.isEmpty else { return }
    let there = try await files(on: far)
    let search: FileSearch
    do { search = try self.search(rule.expected) } catch {
      throw .badOutputs(String(describing: error))
    }
    if !hasFailed, let missing = search.unmatched(among: there).first {
      throw .badOutputs(
        "no file matches \"\(rule.expected[missing])\" under cache.makes on \(far.host)")
    }
    let made = there.filter(search.names)
    guard !made.isEmpty else { return }
    try await listed(made) { list async throws(FailureReason) in
      // Another attempt may have written a file of the same size within the same second.
      try await far.fetch([
        "--archive", "--compress", "--ignore-times", "--from0", "--files-from=\(list)",
        "--rsync-path",
        "sh -c 'rsync \"$@\" && rm -rf \(folder)' sh", "\(far.host):\(folder)/", directory + "/",
      ])
    }
  }

  /// The files, links and empty folders that are there now.
  private func files(on far: FarSide) async throws(FailureReason) -> [String] {
    // Line feeds and the ends of names change places, since lines are read.
    let list =
      "cd \(folder) && find . ! -name . \\( ! -type d -o -empty \\) -print0 | tr '\\n\\0' '\\0\\n'"
    let found: String
    do throws(RunnerFailure) { found = try await far.output(of: list + " && echo") } catch {
      throw .badOutputs("its files cannot be listed on \(far.host): \(error)")
    }
    guard found.hasSuffix("\n\n") || found == "\n" else {
      throw .badOutputs("its files cannot be listed on \(far.host): there are too many")
    }
    return found.split(separator: "\n").map { name in
      String(name.dropFirst(2)).replacing("\0", with: "\n")
    }
  }

  private func search(_ patterns: [String]) throws -> FileSearch { try FileSearch(patterns) }

  /// Calls a closure with the path of a file that lists names.
  private func listed(
    _ names: [String], _ use: (_ list: String) async throws(FailureReason) -> Void
  ) async throws(FailureReason) {
    let path: String
    do throws(Errno) {
      path = try makeTemporaryFolder(TemporaryFiles.prefix("output", temporary)) + "/files"
      try writeFile(Array(names.joined(separator: "\0").utf8), to: path, overwriting: true)
    } catch {
      throw .notStarted("cannot list its files: \(error)")
    }
    defer { TemporaryFiles.remove(String(path.dropLast("/files".count))) }
    try await use(path)
  }
}
