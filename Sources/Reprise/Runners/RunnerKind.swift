// `RunnerKind`: a kind of place where steps run, with its settings; and the registered kinds.

import Synchronization
import Workflows

/// A kind of place where steps run; its properties are the settings in `runners`.
///
///     struct Elsewhere: RunnerKind {
///       static let name = "elsewhere"
///       let queue: String?
///
///       func makeExecutor(named name: String, in surroundings: RunnerSurroundings)
///         throws(FailureReason) -> any Executor
///       {
///         RunnerExecutor(MyRunner(queue: queue), named: name, in: surroundings)
///       }
///     }
///
///     engine.register(Elsewhere.self)
///
/// The settings in a workflow file are checked when the file is read, so an error is reported with
/// its line and column before anything runs. Their names are those of the `CodingKeys`.
public protocol RunnerKind: Decodable, Sendable, SendableMetatype {
  /// The name of the kind in workflow files.
  static var name: String { get }

  /// The names of the settings by which steps ask for resources, which the record keeps for each attempt.
  static var resourceSettings: Set<String> { get }

  /// Creates the executor; called once for each runner of a run's engine.
  ///
  /// - Parameters:
  ///   - name: The name of the runner, for messages.
  ///   - surroundings: What it may use of its engine.
  /// - Returns: The executor.
  /// - Throws: ``FailureReason`` if it cannot work; the steps fail for this reason.
  func makeExecutor(
    named name: String, in surroundings: RunnerSurroundings
  ) throws(FailureReason) -> any Executor

  /// Returns what is missing for it, in sentences: on this machine and where steps would run.
  ///
  /// - Parameter surroundings: What it may use of its engine.
  /// - Returns: The problems; empty if it can be used.
  func problems(in surroundings: RunnerSurroundings) async -> [String]
}

extension RunnerKind {
  /// None.
  public static var resourceSettings: Set<String> { [] }

  /// No problems.
  public func problems(in surroundings: RunnerSurroundings) async -> [String] { [] }
}

/// What a runner may use of its engine.
public struct RunnerSurroundings: Sendable {
  /// The folder for the records of attempts that run elsewhere; nil if there is none.
  public var attempts: String?
  /// The program `reprise`, which serves attempts as `reprise host`; nil for the one in `PATH`.
  public var hostProgram: String?
  /// The variables that steps inherit.
  public package(set) var environment: [String: String] = [:]
  /// The directory that those of steps are relative to; nil for that of this process.
  public internal(set) var directory: String?
  /// The source of time.
  public var clock: any RunClock = SystemClock()
  /// What makes tokens unique.
  package var random: any RandomSource = SystemRandomSource()
  /// What the attempt asks for, by setting.
  package var asked: [String: String] = [:]
  /// What the executors of the runner share.
  package var share = RunnerShare()
  /// The folder with the locks of live runs; nil if there is none.
  package var locks: String?

  /// Returns the path of the lock that the hosts of a run hold: while it is held, steps of the run
  /// continue, with or without their engine.
  package static func hostsLock(of run: RunID, in locks: String) -> String {
    "\(locks)/\(run).hosts.lock"
  }

  /// The folder with the state of the project, which has that of the locks; nil if there is none.
  package var stateFolder: String? {
    locks.flatMap { locks in locks.lastIndex(of: "/").map { String(locks[..<$0]) } }
  }

  /// The lock that the hosts of a run hold, if any.
  package func hostsLocks(of run: RunID?) -> [String] {
    guard let locks, let run else { return [] }
    return [Self.hostsLock(of: run, in: locks)]
  }

  /// Creates surroundings.
  ///
  /// - Parameters:
  ///   - attempts: The folder for the records of attempts that run elsewhere.
  ///   - hostProgram: The program `reprise`, which serves attempts as `reprise host`.
  public init(attempts: String? = nil, hostProgram: String? = nil) {
    self.attempts = attempts
    self.hostProgram = hostProgram
  }
}

/// The kinds of runners of an engine, and the executors of those that were used.
struct RunnerRegistry: Sendable {
  typealias Make =
    @Sendable (RunnerChoice, RunnerSurroundings) -> Result<any Executor, FailureReason>

  private final class Made: Sendable {
    let executors = Mutex<[String: any Executor]>([:])
    let shares = Mutex<[String: RunnerShare]>([:])
  }

  var surroundings = RunnerSurroundings()
  private struct Kind: Sendable {
    let make: Make
    let resources: Set<String>
    let problems: @Sendable (RunnerChoice, RunnerSurroundings) async -> [String]
  }

  private var kinds: [String: Kind] = [:]
  /// A reference, so that all copies of an engine share connections.
  private let made = Made()

  mutating func register<R: RunnerKind>(_ kind: R.Type) {
    kinds[kind.name] = Kind(
      make: { choice, surroundings in Self.make(kind, choice, surroundings) },
      resources: kind.resourceSettings,
      problems: { choice, surroundings in
        guard let runner = try? R.decoded(from: choice.arguments) else { return [] }
        return await runner.problems(in: surroundings)
      })
  }

  /// Returns what is missing for a runner, in sentences.
  func problems(of choice: RunnerChoice, _ base: any Executor) async -> [String] {
    guard let kind = kinds[choice.kind] else {
      return ["there is no runner of the kind \"\(choice.kind)\""]
    }
    return await kind.problems(choice, surroundings(base))
  }

  private func surroundings(_ base: any Executor) -> RunnerSurroundings {
    var surroundings = surroundings
    surroundings.environment = base.environment
    surroundings.directory = (base as? LocalExecutor)?.directory
    return surroundings
  }

  private static func make<R: RunnerKind>(
    _ kind: R.Type, _ choice: RunnerChoice, _ surroundings: RunnerSurroundings
  ) -> Result<any Executor, FailureReason> {
    do throws(ArgumentError) {
      guard let runner = try R.decoded(from: choice.arguments) else {
        preconditionFailure("BUG: a known value was decoded as unknown")
      }
      do throws(FailureReason) {
        return .success(try runner.makeExecutor(named: choice.name, in: surroundings))
      } catch {
        return .failure(error)
      }
    } catch {
      return .failure(.badValue("runner \"\(choice.name)\": \(error)"))
    }
  }

  /// Returns the executor of a runner, which is created at its first use.
  ///
  /// - Throws: ``FailureReason`` if there is no such kind, or the runner cannot work.
  func executor(
    of choice: RunnerChoice, _ base: any Executor
  ) throws(FailureReason) -> any Executor {
    guard let kind = kinds[choice.kind] else {
      let names = kinds.keys.sorted().joined(separator: ", ")
      throw .notStarted(
        "there is no runner of the kind \"\(choice.kind)\"; "
          + (names.isEmpty
            ? "the program that runs the workflow has not registered any" : "there are: \(names)"))
    }
    let key = "\(choice.name) \(choice.kind) \(Value.map(choice.settings).json)"
    let result = made.executors.withLock { executors -> Result<any Executor, FailureReason> in
      if let known = executors[key] { return .success(known) }
      let result = kind.make(choice, surroundings(base, for: choice, kind))
      if case .success(let executor) = result { executors[key] = executor }
      return result
    }
    return try result.get()
  }

  /// Returns what the executor of a choice may use.
  private func surroundings(
    _ base: any Executor, for choice: RunnerChoice, _ kind: Kind
  ) -> RunnerSurroundings {
    var surroundings = surroundings(base)
    surroundings.asked = choice.settings.filter { kind.resources.contains($0.key) }.mapValues {
      guard case .list(let words) = $0 else { return $0.asText }
      return words.map(\.asText).joined(separator: " ")
    }
    surroundings.share = share(of: choice)
    return surroundings
  }

  /// Returns what the executors for all attempts of a choice share.
  private func share(of choice: RunnerChoice) -> RunnerShare {
    let settled = choice.settings.filter { choice.byAttempt[$0.key] == nil }
    let key = "\(choice.name) \(choice.kind) \(Value.map(settled).json)"
    return made.shares.withLock { shares in
      let share = shares[key] ?? RunnerShare()
      shares[key] = share
      return share
    }
  }

  /// Gives back what executors keep for the steps of a run.
  ///
  /// - Returns: What could not be given back, in sentences.
  func release(_ run: RunID) async -> [String] {
    let executors = made.executors.withLock { $0.values.compactMap { $0 as? any LastingExecutor } }
    return await withTaskGroup { group in
      for executor in executors { group.addTask { await executor.release(run) } }
      return await group.reduce(into: []) { left, notice in left += notice.map { [$0] } ?? [] }
    }
  }
}
