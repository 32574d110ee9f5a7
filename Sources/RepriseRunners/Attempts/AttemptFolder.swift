// `AttemptFolder`: the files of one attempt, through which an engine and a host know of each other.

package import Platform
package import Reprise

/// The folder of one attempt that runs apart from its engine.
///
/// Engine and host share no memory and may die at any time, each on its own machine. All that they
/// know of each other is here, in files that are complete or missing:
///
/// - `spec`: what to run. Only this user can read it, and the host removes it.
/// - `claim`: created exclusively, by the host that runs the attempt, or by the engine to keep any
///   host from running it. So an attempt never runs twice, even if it was submitted twice.
/// - `out.log`: the news, appended by the host; see ``AttemptRecord``.
/// - `lease`: touched by the host while the attempt is in progress, for the first time after an
///   interval.
/// - `stop`: the grace period, written by the engine to stop the attempt.
/// - `result.json`: the result, written by the host when nothing of the attempt is left.
package struct AttemptFolder: Sendable {
  /// The time between two renewals of the lease.
  package static let leaseInterval = Duration.seconds(2)

  /// The path.
  package let path: String

  /// Creates the value for a path.
  package init(path: String) { self.path = path }

  /// Creates the value for an attempt.
  ///
  /// - Parameters:
  ///   - token: The token of the attempt.
  ///   - root: The folder of all attempts.
  package init(of token: AttemptToken, in root: String) { path = root + "/" + token.text }

  var specPath: String { path + "/spec" }
  var claimPath: String { path + "/claim" }
  package var outputPath: String { path + "/out.log" }
  var leasePath: String { path + "/lease" }
  var stopPath: String { path + "/stop" }
  package var resultPath: String { path + "/result.json" }
  /// What the program that brought the host to life wrote, for messages.
  package var hostLogPath: String { path + "/host.log" }
  var submittedPath: String { path + "/submitted" }
  /// Beside the folder, which may be discarded before the next submission; no name of an attempt has a `~`.
  private var severalPath: String { path + "~several" }

  /// Whether the folder exists.
  package var exists: Bool { mayAccess(path, .existence) }
  /// Whether a submission has been answered.
  var isSubmitted: Bool { mayAccess(submittedPath, .existence) }

  /// Creates the folder, unless it exists.
  ///
  /// - Throws: The system error.
  package func make() throws(Errno) {
    do throws(Errno) {
      try makeFolder(path, permissions: .ownerReadWriteExecute)
    } catch {
      if error != .fileExists { throw error }
    }
  }

  /// Removes the folder with everything in it.
  package func remove() { TemporaryFolderTree.remove(path) }

  /// Removes the folder, whose claim is an engine's, so that no host begins in it from now on.
  ///
  /// - Throws: The system error.
  func discard() throws(Errno) {
    // At once: where files are created in the meantime, a folder cannot be removed.
    let discarded = AttemptFolder(path: path + "~discarded")
    discarded.remove()
    try renameFile(path, to: discarded.path)
    discarded.remove()
  }

  /// The attempts of a run that may have jobs of a runner, and that an engine has claimed, so that no host
  /// begins them.
  static func claimedByEngines(
    of run: RunID, in root: String, for runner: String?
  ) -> [AttemptToken] {
    FolderReader.names(in: root).filter { $0.hasPrefix("\(run).") }.compactMap { name in
      let folder = AttemptFolder(path: root + "/" + name)
      guard let claim = folder.claim, claim.host == nil, claim.runner == runner else { return nil }
      // What was refused has none.
      return folder.isSubmitted && folder.submissionNote.isEmpty ? nil : AttemptToken(name)
    }
  }

  /// Removes the folders of all attempts of a run, except those that a host of this machine holds.
  ///
  /// - Parameters:
  ///   - run: The run, whose results have been recorded.
  ///   - root: The folder of all attempts.
  /// - Returns: Whether none is left.
  @discardableResult
  package static func removeAll(of run: RunID, in root: String) -> Bool {
    var isNoneLeft = true
    for name in FolderReader.names(in: root) where name.hasPrefix("\(run).") {
      let folder = AttemptFolder(path: root + "/" + name)
      if folder.isHeld == true { isNoneLeft = false } else { folder.remove() }
    }
    return isNoneLeft
  }

  // MARK: The claim

  /// Who has the right to run the attempt.
  package struct Claim: Sendable, Equatable, Codable {
    /// The name of the machine of the host; nil if the engine has taken the claim.
    package var host: String?
    /// The process of the host, or of the engine.
    package var process: Int32
    /// The runner of the engine that has taken the claim: several may share a folder.
    package var runner: String?

    /// The claim as JSON; without the encoder, whose first use takes a host a tenth of its time.
    fileprivate var text: String {
      guard let host else { return json }
      let isPlain = host.allSatisfy {
        $0.isASCII && ($0.isLetter || $0.isNumber || "-._".contains($0))
      }
      return isPlain ? #"{"host":"\#(host)","process":\#(process)}"# : json
    }
  }

  /// Takes the claim.
  ///
  /// - Parameters:
  ///   - host: The name of this machine for a host; nil for an engine.
  ///   - runner: The name of the runner for an engine.
  /// - Returns: The file, which is locked until it is closed; nil if the claim was taken before.
  /// - Throws: The system error.
  package func takeClaim(
    host: String?, for runner: String? = nil
  ) throws(Errno) -> ClaimFile? {
    do throws(Errno) {
      let file = try OpenFile(
        claimPath, .readWrite, options: [.create, .exclusiveCreate, .noFollow],
        permissions: .ownerReadWrite)
      // Until the lock is taken, an engine could take this host for dead: it waits for the content.
      try? file.lock()
      let claim = Claim(host: host, process: processID, runner: runner)
      try writeBytes(Array(claim.text.utf8), to: file.descriptor)
      return ClaimFile(file)
    } catch {
      if error == .fileExists { return nil }
      throw error
    }
  }

  /// Takes the claim for an engine, unless a host has it.
  ///
  /// - Parameter runner: The name of the runner.
  /// - Returns: Whether it is an engine's now, so that the attempt never begins.
  /// - Throws: The system error.
  func claimForEngine(for runner: String? = nil) throws(Errno) -> Bool {
    if try takeClaim(host: nil, for: runner) != nil { return true }
    return claim.map { $0.host == nil } == true
  }

  /// The claim; nil if no one has taken it, or if it is being taken.
  package var claim: Claim? {
    fileContents(claimPath, upTo: 4096).flatMap { Claim(json: $0) }
  }

  /// Whether a process on this machine holds the claim; nil if no one has taken it.
  ///
  /// The guardian of the host holds it as well, until no process of the attempt is left.
  package var isHeld: Bool? {
    do throws(Errno) {
      // Not for writing, which a ``FolderAlarm`` would report.
      let file = try OpenFile(claimPath, options: [.noFollow])
      return try file.isLocked()
    } catch {
      return nil
    }
  }

  // MARK: The lease

  /// Renews the lease.
  func renewLease() { touch(leasePath) }

  /// The time of the last renewal, by the clock of the file system, in nanoseconds; 0 if none.
  var leaseTime: Int64 { (try? Stat(at: leasePath))?.modifiedNanoseconds ?? 0 }

  /// How long its host has run, at least: the time from the claim to the last renewal of the lease.
  ///
  /// Both are times of the same file system, so clocks are not compared.
  var age: Duration {
    guard let claimed = (try? Stat(at: claimPath))?.modifiedNanoseconds else { return .zero }
    return .nanoseconds(max(0, leaseTime - claimed))
  }

  /// Notes that an engine still wants the attempt, for a pool that has lost its connection.
  package func renewInterest() { touch(interestPath) }

  /// The time of the last note, in nanoseconds since 1970; 0 if there is none.
  var interestTime: Int64 { (try? Stat(at: interestPath))?.modifiedNanoseconds ?? 0 }

  private var interestPath: String { path + "/wanted" }

  private func touch(_ path: String) {
    do throws(Errno) {
      let file = try OpenFile(
        path, .writeOnly, options: [.create, .noFollow], permissions: .ownerReadWrite)
      file.replaceContents(with: Array("\(SystemClock().now)\n".utf8))
    } catch {}
  }

  // MARK: Stopping

  private struct StopNote: Codable {
    var grace: Duration
  }

  /// Asks the host to stop the attempt; a later request can only shorten the grace period.
  ///
  /// - Throws: The system error.
  package func requestStop(grace: Duration) throws(Errno) {
    let earlier = requestedGrace
    if let earlier, earlier <= grace { return }
    try write(StopNote(grace: grace).json, to: stopPath, isSynced: false)
  }

  /// The requested grace period; nil if no one has asked to stop the attempt.
  package var requestedGrace: Duration? {
    fileContents(stopPath, upTo: 4096).flatMap { StopNote(json: $0)?.grace }
  }

  // MARK: The specification and the result

  /// Writes what to run, for this user only.
  ///
  /// - Throws: The system error.
  package func write(_ spec: AttemptSpec) throws(Errno) {
    try write(spec.json, to: specPath, isSynced: false)
  }

  /// Writes the result, so that it is complete or missing.
  ///
  /// - Parameters:
  ///   - result: The result.
  ///   - outputs: What the attempt has written for its outputs, although it did not succeed.
  ///   - isSynced: Whether it must be on disk when this returns.
  /// - Throws: The system error.
  package func write(
    _ result: AttemptResult, written outputs: StepOutputs = [:], isSynced: Bool = true
  ) throws(Errno) {
    // Without the encoder, as above.
    let isPlain = result == .succeeded([:])
    let text = isPlain ? #"{"outputs":{},"state":"succeeded"}"# : CodedResult(result, outputs).json
    try write(text, to: resultPath, isSynced: isSynced)
  }

  /// Brings a result that is written to the disk, unless its folder has been removed.
  func syncResult() {
    do throws(Errno) {
      try OpenFile(resultPath, options: [.noFollow]).sync()
      try OpenFile(path).sync()
    } catch {}
  }

  /// The result; nil if there is none.
  package var result: AttemptResult? { storedResult?.result }

  /// The result, with the outputs that were written although the attempt did not succeed; nil if
  /// there is none.
  var storedResult: CodedResult? { fileContents(resultPath).flatMap { CodedResult(json: $0) } }

  /// Notes that a submission was answered, and how.
  func markSubmitted(as note: String) {
    try? write(note, to: submittedPath, isSynced: false)
  }

  /// What the site has noted of the submission; empty if there is nothing.
  var submissionNote: String {
    fileContents(submittedPath, upTo: 4096).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  /// Notes that a submission of the attempt was not answered, so that it may have several jobs.
  func markAsOneOfSeveral() { try? makeFolder(severalPath, permissions: .ownerReadWriteExecute) }

  /// Whether that was noted, perhaps by an engine before this one.
  var isOneOfSeveral: Bool { mayAccess(severalPath, .existence) }

  /// The error of writing a file here now, such as a full disk; nil if there is none.
  var writeProblem: Errno? {
    let path = path + "/probe"
    defer { try? removeFile(path) }
    do throws(Errno) {
      let file = try OpenFile(
        path, .writeOnly, options: [.create, .noFollow], permissions: .ownerReadWrite)
      try writeBytes([UInt8](repeating: 0, count: 4096), to: file.descriptor)
      return nil
    } catch {
      return error == .noSuchFileOrDirectory ? nil : error
    }
  }

  private func write(_ text: String, to path: String, isSynced: Bool) throws(Errno) {
    let temporary = path + ".new"
    let file = try OpenFile(
      temporary, .writeOnly, options: [.create, .truncate, .noFollow], permissions: .ownerReadWrite)
    try writeBytes(Array(text.utf8), to: file.descriptor)
    if isSynced { try file.sync() }
    try renameFile(temporary, to: path)
    if isSynced { try OpenFile(self.path).sync() }
  }
}

/// The claim of an attempt, held until this value is destroyed.
package struct ClaimFile: ~Copyable, Sendable {
  private let file: OpenFile

  /// The descriptor that holds the claim, as does each copy of it in another process.
  package var descriptor: Int32 { file.descriptor }

  init(_ file: consuming OpenFile) { self.file = file }
}

/// A result in the form in which it is stored.
struct CodedResult: Codable, Sendable {
  var state: String
  var outputs: StepOutputs?
  var reason: FailureReason?

  init(_ result: AttemptResult, _ written: StepOutputs = [:]) {
    if !written.isEmpty { outputs = written }
    switch result {
    case .succeeded(let outputs):
      (state, self.outputs) = ("succeeded", outputs)
    case .failed(let reason):
      (state, self.reason) = ("failed", reason)
    case .stopped:
      state = "stopped"
    }
  }

  /// The outputs that were written although the attempt did not succeed.
  var written: StepOutputs { state == "succeeded" ? [:] : outputs ?? [:] }

  var result: AttemptResult? {
    switch state {
    case "succeeded": .succeeded(outputs ?? [:])
    case "failed": reason.map(AttemptResult.failed)
    case "stopped": .stopped
    default: nil
    }
  }
}

/// Removes folders that only Reprise writes to.
enum TemporaryFolderTree {
  /// Removes a folder with the files in it; does not follow links.
  static func remove(_ path: String) {
    for name in FolderReader.names(in: path) {
      do throws(Errno) {
        try removeFile(path + "/" + name)
      } catch {
        if error == .isDirectory || error == .notPermitted { remove(path + "/" + name) }
      }
    }
    removeFolder(path)
  }
}
