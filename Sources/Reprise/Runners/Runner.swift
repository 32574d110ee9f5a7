// `Runner`: the contract of places where attempts run that outlive a connection, or the engine.

/// A place where attempts of steps run: another process, a container, another machine, a cluster.
///
/// A runner begins attempts and finds them again, by tokens that the engine chooses. The attempt
/// itself, its output and its result belong to the place: a runner may be asked again at any time,
/// by this engine or, after its death, by the next one. ``RunnerExecutor`` makes an executor of it.
///
/// Every method may be called on any thread, and must return or throw soon after its task is
/// cancelled.
public protocol Runner: Sendable {
  /// Whether attempts go on when the engine has died, so that the next one adopts them.
  ///
  /// If false, they end soon after the engine.
  var survivesEngine: Bool { get }

  /// Begins an attempt.
  ///
  /// Idempotent: a second call with the same token begins nothing, and returns the first attempt.
  ///
  /// - Parameters:
  ///   - spec: What to run.
  ///   - token: The token of the attempt.
  /// - Returns: The attempt.
  /// - Throws: ``RunnerFailure/refused(_:)`` if nothing was begun and nothing will be;
  ///   ``RunnerFailure/neverBegun(_:)`` or ``RunnerFailure/full(_:)`` if nothing was begun, and
  ///   another call may succeed; after ``RunnerFailure/cannotAsk(_:)``, the attempt may have begun.
  func begin(
    _ spec: AttemptSpec, token: AttemptToken
  ) async throws(RunnerFailure) -> any RunnerHandle

  /// Finds an attempt that may have been begun, also by an earlier engine.
  ///
  /// - Parameter token: The token of the attempt.
  /// - Returns: The attempt; nil only if it is certain that there is none and that none will appear.
  /// - Throws: ``RunnerFailure/cannotAsk(_:)`` if this cannot be said now.
  func find(_ token: AttemptToken) async throws(RunnerFailure) -> (any RunnerHandle)?

  /// Makes sure that an attempt never begins, or finds it.
  ///
  /// For an attempt that may have been begun and must stop. A runner that can decide this alone need
  /// not ask where the attempt would run. The default is ``find(_:)``.
  ///
  /// - Parameter token: The token of the attempt.
  /// - Returns: The attempt if it may have begun; nil only if it is certain that it never will.
  /// - Throws: ``RunnerFailure/cannotAsk(_:)`` if this cannot be said now.
  func revoke(_ token: AttemptToken) async throws(RunnerFailure) -> (any RunnerHandle)?

  /// The time after which an attempt without an engine has been stopped where it ran; nil if it goes
  /// on for as long as it takes.
  ///
  /// A stop that reaches nothing waits for this time, and for the grace period.
  var orphanAfter: Duration? { get }

  /// Says what is known of many attempts at once.
  ///
  /// - Parameter tokens: The tokens of the attempts.
  /// - Returns: What is known, by token.
  /// - Throws: ``RunnerFailure/cannotAsk(_:)`` if nothing can be said now.
  func look(
    _ tokens: [AttemptToken]
  ) async throws(RunnerFailure) -> [AttemptToken: AttemptSight]

  /// Says why an attempt is gone without a result, as far as that is known.
  ///
  /// Asked for the message of its step, once it is certain that the attempt is gone. The default
  /// knows nothing.
  ///
  /// - Parameter token: The token of the attempt.
  /// - Returns: The end, such as `Slurm ended its job: NODE_FAIL`; nil if it is not known.
  func reasonForLoss(of token: AttemptToken) async -> AttemptEnd?

  /// Says what ended an attempt from outside, such as a limit of its job, as far as that is known.
  ///
  /// Asked for the message of its step, when the attempt was stopped without a request, or was ended
  /// by a signal. May wait for some seconds. The default knows nothing.
  ///
  /// - Parameter token: The token of the attempt.
  /// - Returns: The end, such as `Slurm ended its job: TIMEOUT`; nil if nothing is known. With a cause, it
  ///   is the reason of the failure; without one, it is only shown.
  func reasonForEnd(of token: AttemptToken) async -> AttemptEnd?

  /// Gives back what is kept for the steps of a run, which has no step in progress any more.
  ///
  /// Called once at the end of each run that has used the runner, before the end is recorded. Must
  /// return within some seconds, even if nothing can be given back now. The default does nothing.
  ///
  /// - Parameter run: The run.
  /// - Returns: What could not be given back, in a sentence for the user; nil if nothing is left.
  func release(_ run: RunID) async -> String?
}

extension Runner {
  /// Finds the attempt.
  public func revoke(_ token: AttemptToken) async throws(RunnerFailure) -> (any RunnerHandle)? {
    try await find(token)
  }

  /// Nil: attempts go on.
  public var orphanAfter: Duration? { nil }

  /// Returns nil: no reason is known.
  public func reasonForLoss(of token: AttemptToken) async -> AttemptEnd? { nil }

  /// Returns nil: no reason is known.
  public func reasonForEnd(of token: AttemptToken) async -> AttemptEnd? { nil }

  /// Does nothing: nothing is kept.
  public func release(_ run: RunID) async -> String? { nil }
}

/// An attempt that a runner has begun.
public protocol RunnerHandle: Sendable {
  /// The number of its job where it runs, by which a user finds it there; nil if it has none.
  var job: String? { get }

  /// The news of the attempt from a mark on; the last one is its end.
  ///
  /// The sequence is read by one task at a time. It may throw ``RunnerFailure/cannotAsk(_:)`` at
  /// any time; nothing is lost then, and another call with the last mark goes on. It ends without
  /// ``AttemptNews/ended(_:)`` if the attempt is gone and there is no result.
  ///
  /// - Parameter mark: The mark after the last news that the caller has.
  /// - Returns: The news, each with the mark after it.
  func news(from mark: OutputMark) -> AsyncThrowingStream<MarkedNews, any Error>

  /// Asks the attempt to stop; if it has not begun to run, it never will.
  ///
  /// Returns before it has stopped. Further calls can only shorten the grace period.
  ///
  /// - Parameter grace: The time after which what is left of it is killed.
  /// - Throws: ``RunnerFailure/cannotAsk(_:)`` if it cannot be asked now.
  func stop(grace: Duration) async throws(RunnerFailure)

  /// Returns whether it is certain that nothing of the attempt is left and nothing will start.
  ///
  /// - Throws: ``RunnerFailure/cannotAsk(_:)`` if this cannot be said now.
  func isGone() async throws(RunnerFailure) -> Bool

  /// Gives the attempt up: from now on it can neither start nor write a result.
  ///
  /// For an attempt that stays out of sight for longer than the workflow accepts.
  func abandon() async throws(RunnerFailure)
}

extension RunnerHandle {
  /// Nil: it has none.
  public var job: String? { nil }
}

/// A position in the record of an attempt.
public struct OutputMark: Sendable, Hashable, Codable {
  /// The position, in bytes.
  public var offset: Int64

  /// Creates a mark; 0 is the beginning.
  public init(offset: Int64 = 0) { self.offset = offset }
}

/// A piece of news, with the position after it.
public struct MarkedNews: Sendable, Equatable {
  /// The news.
  public var news: AttemptNews
  /// The mark from which the next news follows.
  public var next: OutputMark

  /// Creates a marked piece of news.
  public init(_ news: AttemptNews, next: OutputMark) {
    self.news = news
    self.next = next
  }
}

/// What is known of an attempt at one moment.
public enum AttemptSight: Sendable, Equatable {
  /// It waits where it runs, for this reason, which may be empty.
  case queued(String)
  /// It runs on this machine.
  case running(host: String)
  /// It has ended, and its result can be read.
  case ended
  /// It is certain that nothing of it runs or will run, and that there is no result.
  case gone
  /// Nothing can be said, for this reason.
  case unknown(String)
}

/// The reason that a runner did not do what it was asked.
public enum RunnerFailure: Error, Sendable, Equatable, CustomStringConvertible {
  /// It refuses, and asking again does not help; the text says why and what to do.
  case refused(String)
  /// It has certainly not begun the attempt, for this reason; another call may succeed.
  case neverBegun(String)
  /// It has no room for the attempt now, for this reason, and has not begun it; it waits as in a
  /// queue.
  case full(String)
  /// It cannot be asked now, for this reason; ask again later.
  case cannotAsk(String)

  /// Whether the attempt was certainly not begun, although another call may succeed.
  package var isNeverBegun: Bool {
    switch self {
    case .neverBegun, .full: true
    case .refused, .cannotAsk: false
    }
  }

  /// The reason.
  public var description: String {
    switch self {
    case .refused(let text), .neverBegun(let text), .full(let text), .cannotAsk(let text): text
    }
  }
}
