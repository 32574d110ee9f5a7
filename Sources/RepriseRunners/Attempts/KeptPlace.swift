// `KeptPlace`: a place that is kept for the steps of a run, such as an allocation or a container.

package import ChildProcesses
import Platform
package import Reprise
import Synchronization

/// How places are kept, and reached.
///
/// A place is held by an attempt of its own, whose program is `reprise host --hold`: it runs in the
/// place, and as long as it runs, the place is there. Steps run in a pool within the place.
package protocol KeptSite: Sendable {
  /// The name of a place in messages, such as `the container`.
  var name: String { get }
  /// Whether places are on this machine, so that locks tell what is alive there.
  var isThisMachine: Bool { get }
  /// Whether what connects holds back small pieces until the last one is acknowledged.
  var needsAcknowledgement: Bool { get }
  /// Whether a program starts this one in a place; otherwise what holds the place begins the attempts whose
  /// folders it finds there.
  var connects: Bool { get }
  /// Begins what holds a place, and finds it again.
  var holders: FolderRunner { get }

  /// Returns what holds a place.
  ///
  /// - Parameters:
  ///   - token: The token of the place.
  ///   - folder: Its folder, which exists there under the same path.
  ///   - hold: The arguments of this program that hold a place.
  /// - Returns: What to run.
  /// - Throws: ``RunnerFailure``.
  func holder(
    _ token: AttemptToken, _ folder: AttemptFolder, arguments hold: [String]
  ) async throws(RunnerFailure) -> AttemptSpec

  /// Starts this program in a place, with the connection as its standard input and output.
  ///
  /// - Parameters:
  ///   - token: The token of the place.
  ///   - arguments: The arguments of the program.
  /// - Returns: The connection.
  /// - Throws: ``RunnerFailure``.
  func connect(
    to token: AttemptToken, arguments: [String]
  ) async throws(RunnerFailure) -> ConnectedProgram
}

extension KeptSite {
  /// True.
  package var connects: Bool { true }
}

/// One place, from the request for it to its end.
final class KeptPlace: Sendable {
  /// What is known of the place.
  enum Status: Sendable, Equatable {
    /// It is not there yet, for this reason, which may be empty.
    case waiting(String)
    case ready
    /// It is gone, for this reason; nothing that ran in it is left.
    case over(String)
  }

  private struct State {
    var status = Status.waiting("")
    var wasReady: Bool
    /// When it was there, by the clock of this machine.
    var readySince: Timestamp?
    var handle: (any RunnerHandle)?
    var isReleased = false
    var listeners: [AttemptToken: @Sendable () -> Void] = [:]
    /// The last lines of what holds the place, for messages.
    var complaint: [String] = []
    var watch: Task<Void, Never>?
  }

  /// The time between two signs of life of the engine.
  private static let interval = Duration.seconds(3)
  /// The shortest wait for an engine: several of its signs of life.
  private static let orphanAfterMin = Duration.seconds(10)
  /// The longest pause until what cannot be asked for a place is asked again.
  private static let troubleMax = Duration.seconds(60)
  /// The time for which the end of a place is waited for.
  private static let endTimeMax = Duration.seconds(20)

  let token: AttemptToken
  let folder: AttemptFolder
  /// The attempts in the place.
  let pool: PoolRunner
  private let site: any KeptSite
  private let orphanAfter: Duration
  private let clock: any RunClock
  private let state: Mutex<State>

  /// Requests a place, or watches one that an earlier engine has requested.
  init(
    _ token: AttemptToken, isAdopted: Bool, in root: String, site: any KeptSite,
    orphanAfter: Duration, clock: any RunClock
  ) {
    self.token = token
    self.site = site
    self.orphanAfter = orphanAfter
    self.clock = clock
    let folder = AttemptFolder(of: token, in: root)
    self.folder = folder
    state = Mutex(State(wasReady: isAdopted))
    // What runs there goes on without the engine, as the place itself does.
    pool = PoolRunner(
      site.name, patience: .seconds(1 << 31), acknowledges: site.needsAcknowledgement
    ) { () throws(RunnerFailure) in
      try await site.connect(
        to: token, arguments: ["host", "--pool", "--folder", Self.poolPath(in: folder.path)])
    }
    let watch = Task { await self.watch(isAdopted: isAdopted) }
    state.withLock { $0.watch = watch }
    Task { await keepWanted() }
  }

  /// The folder of the attempts in a place.
  static func poolPath(in folder: String) -> String { folder + "/pool" }

  var poolPath: String { Self.poolPath(in: folder.path) }

  var status: Status { state.withLock { $0.status } }

  /// The number of the job that holds the place.
  var job: String? { state.withLock { $0.handle }?.job }

  /// Whether attempts are begun over a connection.
  var connects: Bool { site.connects }

  var isOver: Bool { if case .over = status { true } else { false } }

  /// Whether the place was there at any time; otherwise, its end is a failure to get one.
  var wasReady: Bool { state.withLock { $0.wasReady } }

  /// When the place was there; nil until then.
  var readySince: Timestamp? { state.withLock { $0.readySince } }

  /// Calls a closure whenever the status changes, until ``unlisten(_:)``.
  func listen(_ token: AttemptToken, _ onChange: @escaping @Sendable () -> Void) {
    state.withLock { $0.listeners[token] = onChange }
  }

  func unlisten(_ token: AttemptToken) { state.withLock { $0.listeners[token] = nil } }

  /// Gives the place back, and waits until it is gone, but not for ever: what cannot be reached now
  /// gives itself back when no engine wants it.
  func release() async {
    let (handle, watch) = state.withLock { state in
      state.isReleased = true
      return (state.handle, state.watch)
    }
    if handle == nil {
      // It may be about to be requested, or cannot be: its claim decides that it never begins.
      watch?.cancel()
      await watch?.value
      do throws(RunnerFailure) {
        guard let found = try await site.holders.revoke(token) else {
          return set(.over("\(site.name) was given back"))
        }
        state.withLock { $0.handle = found }
      } catch {}
    }
    let start = clock.now
    while clock.now - start < Self.endTimeMax {
      if let handle = state.withLock({ $0.handle }) {
        try? await handle.stop(grace: .seconds(5))
        // Its end may have been reported already: something of it may still be ending.
        if (try? await handle.isGone()) == true { return }
      } else if isOver {
        return
      }
      try? await clock.sleep(for: .milliseconds(20))
    }
  }

  private func set(_ status: Status) {
    // One that an earlier engine has requested has been there for a while.
    let since = status == .ready ? clock.now.advanced(by: .zero - folder.age) : nil
    let listeners = state.withLock { state -> [@Sendable () -> Void] in
      guard status != state.status else { return [] }
      if case .over = state.status { return [] }
      state.status = status
      if let since {
        state.wasReady = true
        state.readySince = since
      }
      return Array(state.listeners.values)
    }
    for listener in listeners { listener() }
  }

  /// Follows what holds the place, from its begin to its end.
  private func watch(isAdopted: Bool) async {
    var mark = OutputMark()
    var trouble = GrowingDelay(from: .seconds(1))
    while !isOver, !Task.isCancelled {
      var pause = Duration.milliseconds(500)
      do {
        let handle = try await self.handle(isAdopted: isAdopted)
        guard let handle else { return set(.over("\(site.name) is gone")) }
        for try await item in handle.news(from: mark) {
          mark = item.next
          take(item.news)
        }
        if case .gone? = try await site.holders.look([token])[token] {
          set(.over("\(site.name) is gone"))
        }
      } catch RunnerFailure.refused(let text) {
        set(.over(text))
      } catch {
        if !wasReady { set(.waiting("\(error)")) }
        pause = trouble.next(upTo: Self.troubleMax)
      }
      if !isOver { try? await clock.sleep(for: pause) }
    }
  }

  private func handle(isAdopted: Bool) async throws -> (any RunnerHandle)? {
    if let known = state.withLock({ $0.handle }) { return known }
    let handle: (any RunnerHandle)?
    if isAdopted {
      handle = try await site.holders.find(token)
    } else {
      var arguments = [
        "host", "--hold", "--folder", folder.path, "--orphan-after",
        String(max(orphanAfter, Self.orphanAfterMin).components.seconds),
      ]
      if !site.connects { arguments.append("--serve") }
      var spec = try await site.holder(token, folder, arguments: arguments)
      spec.environment["REPRISE_RUN_ID"] = token.run?.description
      handle = try await site.holders.begin(spec, token: token)
    }
    state.withLock { $0.handle = handle }
    return handle
  }

  private func take(_ news: AttemptNews) {
    switch news {
    case .queued(let reason): set(.waiting(reason))
    case .output(.standardOutput, let text, _):
      // `reprise host --hold` says so when the place is there.
      if text.split(separator: "\n").contains("ready") { set(.ready) }
    case .output(.standardError, let text, _):
      state.withLock { StarterComplaint.note(text, in: &$0.complaint) }
    case .ended(let result):
      let complaint = StarterComplaint.last(of: state.withLock { $0.complaint })
      set(.over(Self.reason(of: result, complaint, site.name)))
    case .started, .progress, .ready, .written, .leftBehind, .used, .outOfSight: break
    }
  }

  private static func reason(
    of result: AttemptResult, _ complaint: String, _ name: String
  ) -> String {
    switch result {
    case .stopped, .succeeded: "\(name) has ended"
    case .failed(.notStarted(let text)): text
    case .failed(let reason):
      "\(name) could not be had: \(complaint.isEmpty ? reason.description : complaint)"
    }
  }

  /// Says from time to time that an engine wants the place.
  private func keepWanted() async {
    while !isOver, !state.withLock({ $0.isReleased }) {
      if folder.exists { folder.renewInterest() }
      try? await clock.sleep(for: Self.interval)
    }
  }
}
