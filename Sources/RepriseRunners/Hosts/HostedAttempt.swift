// `HostedAttempt`: runs one attempt in its folder, apart from its engine. The host's side.

import ChildProcesses
import Dispatch
import Masking
package import Platform
package import Reprise
import Synchronization

/// One attempt that this process runs for an engine, which may be far away or dead.
package final class HostedAttempt: Sendable {
  /// Why an attempt does not run here.
  package enum Refusal: Error, Sendable, Equatable {
    /// Another host or the engine has claimed it.
    case claimed
    /// Its files cannot be read or written, for this reason.
    case unreadable(String)
  }

  /// The exit status of a host whose attempt was claimed before.
  package static let statusOfClaimed: Int32 = 75

  private struct State: ~Copyable {
    /// The record; opened for the first news in it, as many short attempts have none.
    var output: OpenFile?
    var offset: Int64 = 0
    var problem: Errno?
    var process: AttemptProcess?
    var grace: Duration?
    var isTimedOut = false
    /// The last lines of its standard error, if another program starts the command.
    var complaint: [String] = []
    /// What it has written to the file for its outputs, if it did not succeed.
    var written: StepOutputs = [:]
    /// The number of looks so far.
    var lookCount = 0
  }

  /// The time between two looks of an attempt at what others want of it.
  static let lookInterval = Duration.milliseconds(100)

  private static let disk = DispatchQueue(label: "reprise.results", attributes: .concurrent)

  /// The folder of the attempt.
  package let folder: AttemptFolder
  /// Notices that no engine has asked for the attempt for some time.
  let interest = LeaseWatch()
  private let spec: AttemptSpec
  private let claim: ClaimFile
  private let locks: [SharedLock]
  private let state = Mutex(State())
  private let onNews: @Sendable (AttemptNews, OutputMark) -> Void
  private let late: LateSync?
  /// Whether all processes of this one are those of the attempt, so that it can say what they have used.
  private let isAlone: Bool

  /// The descriptor of the claim, for the guardian of this process.
  package var claimDescriptor: Int32 { claim.descriptor }
  /// The descriptors of the other locks that the attempt holds.
  package var lockDescriptors: [Int32] { locks.map(\.descriptor) }

  /// Claims an attempt and reads what to run.
  ///
  /// - Parameters:
  ///   - folder: The folder of the attempt.
  ///   - host: The name of this machine.
  ///   - spec: What to run; nil to read it from the folder.
  ///   - isAlone: Whether this process serves no other attempt.
  ///   - late: Where the result waits for the disk, if the news have reached an engine by then.
  ///   - onNews: Called with each piece of news and the mark after it, on any thread; must not
  ///     block.
  /// - Throws: ``Refusal``.
  init(
    _ folder: AttemptFolder, on host: String, spec: AttemptSpec? = nil, isAlone: Bool = false,
    late: LateSync?,
    onNews: @escaping @Sendable (AttemptNews, OutputMark) -> Void
  ) throws(Refusal) {
    self.folder = folder
    self.onNews = onNews
    self.late = late
    self.isAlone = isAlone
    do throws(Errno) {
      guard let claim = try folder.takeClaim(host: host) else { throw Errno.fileExists }
      self.claim = claim
    } catch {
      throw error == .fileExists ? .claimed : .unreadable("\(folder.path): \(error)")
    }
    if let spec {
      self.spec = spec
    } else {
      guard let read = fileContents(folder.specPath).flatMap({ AttemptSpec(json: $0) }) else {
        throw .unreadable("\(folder.specPath) cannot be read")
      }
      self.spec = read
      // It contains secrets, and no one else needs it.
      try? removeFile(folder.specPath)
    }
    // Where the engine's files cannot be seen, such as on another machine, there is nothing to hold.
    locks = (self.spec.heldLocks ?? []).compactMap { SharedLock($0) }
  }

  /// Claims an attempt of an engine that looks at its folder, and reads what to run.
  ///
  /// - Parameters:
  ///   - folder: The folder of the attempt.
  ///   - host: The name of this machine.
  /// - Throws: ``Refusal``.
  package convenience init(_ folder: AttemptFolder, on host: String) throws(Refusal) {
    try self.init(folder, on: host, isAlone: true, late: nil) { _, _ in }
  }

  /// Asks the attempt to stop; a later request can only shorten the grace period.
  ///
  /// - Parameter grace: The grace period; nil for that of the attempt.
  package func stop(grace: Duration? = nil) {
    let grace = grace ?? spec.grace
    let process = state.withLock { state -> AttemptProcess? in
      if let earlier = state.grace, earlier <= grace { return nil }
      state.grace = grace
      return state.process
    }
    process?.terminate(grace: grace)
  }

  /// Runs the attempt to its end and writes the result.
  ///
  /// - Returns: The result, which is on the disk, unless that failed: see ``problem``.
  package func run() async -> AttemptResult {
    let watch = Task {
      while !Task.isCancelled {
        lookAround()
        try? await SystemClock().sleep(for: Self.lookInterval)
      }
    }
    let result = await run { false }
    watch.cancel()
    await watch.value
    return result
  }

  /// Runs the attempt to its end and writes the result; ``lookAround(isWanted:)`` must be called
  /// while it runs.
  ///
  /// - Parameter isHeard: Returns whether news reach an engine.
  /// - Returns: The result, which is written, unless that failed: see ``problem``. It is on the disk,
  ///   or will be soon if an engine has heard of it.
  func run(isHeard: @Sendable () -> Bool) async -> AttemptResult {
    let result = await performed()
    let written = state.withLock { $0.written }
    if !written.isEmpty { tell(.written(written)) }
    if isAlone { tell(.used(Self.useOfChildren)) }
    // First, as an engine that listens need not wait for the disk; one that does not finds the file.
    tell(.ended(result))
    let late = isHeard() ? late : nil
    // Not on a thread of the concurrency pool: the disk takes milliseconds, and the next attempts of a pool
    // need the few threads that there are.
    let problem = await Self.disk.result { [folder] in
      do throws(Errno) {
        try folder.write(result, written: written, isSynced: late == nil)
        late?.add(folder)
        return Errno?.none
      } catch {
        return error
      }
    }
    if let problem { state.withLock { $0.problem = problem } }
    return result
  }

  private static var useOfChildren: ResourceUse {
    let (time, bytes) = resourcesOfChildren()
    return ResourceUse(processorTime: time, peakBytes: bytes)
  }

  /// The first error of writing the record or the result; nil if there was none.
  package var problem: Errno? { state.withLock { $0.problem } }

  private func performed() async -> AttemptResult {
    var spec = spec
    var environment = inheritedEnvironment()
    defer { if let folder = spec.temporaryFolder { TemporaryFolderTree.remove(folder) } }
    if let folder = spec.temporaryFolder {
      // It may be mounted elsewhere, where other users write to it.
      try? makeFolder(folder, permissions: FilePermissions(rawValue: 0o777))
      try? changePermissions(of: folder, to: FilePermissions(rawValue: 0o777))
      environment["TMPDIR"] = folder
      do throws(Errno) {
        try SecretVariables.move(from: &spec, to: folder)
      } catch {
        return .failed(.notStarted("cannot write to \(folder): \(error)"))
      }
    }
    let process: AttemptProcess
    do throws(FailureReason) {
      process = try await AttemptProcess(
        spec, inheriting: environment, in: nil, masker: Masker(secrets: spec.secrets),
        roomForOutput: {}, report: { self.tell($0) })
    } catch {
      return .failed(error)
    }
    defer { process.removeFile() }
    let grace = state.withLock { state in
      state.process = process
      return state.grace
    }
    if let grace { process.terminate(grace: grace) }
    let timer = spec.timeLimit.map { limit in
      Task {
        guard (try? await SystemClock().sleep(for: limit)) != nil else { return }
        self.state.withLock { $0.isTimedOut = $0.grace == nil }
        self.stop()
      }
    }
    let result = await process.result()
    timer?.cancel()
    return await finished(process, result, spec, environment)
  }

  /// Cleans up after the process of the attempt, and returns how the attempt ended.
  private func finished(
    _ process: AttemptProcess, _ result: AttemptResult, _ spec: AttemptSpec,
    _ environment: [String: String]
  ) async -> AttemptResult {
    let (isStopped, isTimedOut, problem) = state.withLock {
      ($0.grace != nil, $0.isTimedOut, $0.problem)
    }
    if isStopped || !result.isSuccess {
      let outputs = process.writtenOutputs
      state.withLock { $0.written = outputs }
    }
    if let cleanup = spec.cleanup, isStopped || !result.isByItself {
      await cleanUp(cleanup, environment)
    }
    if isTimedOut { return .failed(.timedOut(after: spec.timeLimit ?? .zero)) }
    if isStopped { return .stopped }
    if let starter = spec.starter, case .failed(.exited(let status)) = result,
      let text = StarterComplaint(status, state.withLock { $0.complaint })?.text
    {
      return .failed(.notStarted("\(starter) could not start the container: \(text)"))
    }
    if let problem { return .failed(.badOutputs("the output cannot be written there: \(problem)")) }
    return result
  }

  /// Runs the program that ends what the command has started outside of its process tree.
  private func cleanUp(_ command: [String], _ environment: [String: String]) async {
    let words = Command(
      executable: command[0], arguments: Array(command.dropFirst()), environment: environment)
    guard let child = try? await ChildProcess.spawn(words, onOutput: { _ in true }) else { return }
    _ = await child.end()
  }

  /// Writes a piece of news to the record, and passes it on.
  @discardableResult
  private func tell(_ news: AttemptNews) -> Bool {
    let bytes = AttemptRecord.lines(of: news, at: SystemClock().now)
    state.withLock { state in
      // Of either stream: usually both share a pipe.
      if spec.starter != nil, case .output(_, let text, _) = news {
        StarterComplaint.note(text, in: &state.complaint)
      }
      if !bytes.isEmpty, state.problem == nil {
        do throws(Errno) {
          if state.output == nil {
            state.output = try OpenFile(
              folder.outputPath, .writeOnly, options: [.append, .create, .noFollow],
              permissions: .ownerReadWrite)
          }
          if let descriptor = state.output?.descriptor {
            try writeBytes(bytes, to: descriptor)
          }
          state.offset += Int64(bytes.count)
        } catch {
          state.problem = error
        }
      }
      // Under the lock, so that news and marks are in the same order everywhere.
      onNews(news, OutputMark(offset: state.offset))
    }
    return true
  }

  /// Renews the lease from time to time, and stops the attempt when the engine asks for it or no
  /// engine wants it any more.
  ///
  /// - Parameter isWanted: Returns whether the attempt is still wanted; asked each second.
  func lookAround(isWanted: () -> Bool = { true }) {
    let count = state.withLock { state in
      state.lookCount += 1
      return state.lookCount
    }
    // Most attempts are over by the first time, and need no further file.
    if count % 20 == 0 { folder.renewLease() }
    if let grace = folder.requestedGrace { stop(grace: grace) }
    if count % 10 == 0, !isWanted() { stop() }
  }
}

/// A lock that an attempt holds together with its engine, until this value is destroyed.
private final class SharedLock: Sendable {
  private let file: OpenFile

  var descriptor: Int32 { file.descriptor }

  /// Takes the lock; nil if it cannot be taken.
  init?(_ path: String) {
    do throws(Errno) {
      file = try OpenFile(
        path, .readWrite, options: [.create, .noFollow], permissions: .ownerReadWrite)
      try file.lockTogether()
    } catch {
      return nil
    }
  }
}

extension AttemptResult {
  fileprivate var isSuccess: Bool { if case .succeeded = self { true } else { false } }

  /// Whether the program ended by itself, and not by a signal or a failure of what runs it.
  fileprivate var isByItself: Bool {
    switch self {
    case .failed(.exited(let status)): status < 125
    case .failed(.signalled), .stopped: false
    case .succeeded, .failed: true
    }
  }
}
