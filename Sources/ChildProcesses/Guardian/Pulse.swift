// The signs of life of an engine: its guardian asks for them, and notices when none comes.

import ChildProcessesShim
import Platform
import Synchronization

/// The guardian's side: when to ask for a sign of life, and what it means that none comes.
///
/// The answers come through a pipe of their own, because the guardian never reads the link: locks of
/// runs stay unread in it.
struct Pulse {
  /// What the guardian sends through the link to ask; no signal has this number.
  static let question: UInt8 = 0
  /// A sign of life.
  static let alive: UInt8 = 1
  /// The last answer of an engine that ends itself, because it can get no more threads.
  static let lacksThreads: UInt8 = 2

  /// The time between two questions.
  private static let interval = Duration.seconds(4)
  /// The number of questions without an answer after which the engine is killed: a minute.
  private static let questionsMax = 15

  /// The reading end of the pipe; nil if no answers can come.
  private let answers: Int32?
  private var nextQuestion = ContinuousClock.now + Self.interval
  private var unanswered = 0
  /// Whether the engine is stopped, and cannot answer.
  private var isStopped = false
  /// Why the engine had to end; nil if it need not.
  private(set) var problem: String?

  init(answers: Int32?) { self.answers = answers }

  /// The time until the next question.
  var timeLeft: Duration { answers == nil ? .seconds(3600) : nextQuestion - .now }

  /// Records that the engine was stopped or has been resumed.
  mutating func engineChanged(isStopped: Bool) {
    self.isStopped = isStopped
    unanswered = 0
  }

  /// Asks for a sign of life.
  ///
  /// - Returns: Whether the engine has given none for so long that it must be killed.
  mutating func isOver(of engine: Int32, _ link: Int32) -> Bool {
    guard answers != nil else { return false }
    nextQuestion = .now + Self.interval
    if !read().isEmpty { unanswered = 0 }
    guard !isStopped else { return false }
    guard unanswered < Self.questionsMax || ProcessTable.isTraced(engine) else {
      problem = "it gave no sign of life for a minute"
      return true
    }
    unanswered += 1
    writeOnce([Self.question], to: link)
    return false
  }

  /// Returns why the engine has ended itself or was killed, after its end.
  mutating func findProblem() -> String? {
    if problem == nil, read().contains(Self.lacksThreads) {
      problem = "it could get no more threads: \(adviceOnThreads)"
    }
    return problem
  }

  private func read() -> ArraySlice<UInt8> {
    var buffer = [UInt8](repeating: 0, count: 64)
    guard let answers, let count = readBytes(answers, into: &buffer) else { return [] }
    return buffer[..<count]
  }
}

/// The engine's side: answers the questions of its guardian, and ends this process if it can get no
/// more threads.
///
/// Dispatch waits forever for a thread that cannot be created: the thread that has given it work
/// sleeps, and tries again each second. Nothing else here sleeps in that way.
final class SignOfLife: Sendable {
  /// The number of questions during which a thread must have slept.
  private static let questionsMin = 3

  private let answers: Int32
  /// The threads that slept at the last question, with the number of questions since they do.
  private let sleeping = Mutex<[Int32: Int]>([:])

  init(to answers: Int32) { self.answers = answers }

  /// Answers a question, on the thread of the link, which exists from the start.
  func give() {
    let threads = ProcessTable.sleepingThreads()
    let questions = sleeping.withLock { sleeping in
      let before = sleeping
      sleeping = [:]
      for thread in threads { sleeping[thread] = (before[thread] ?? 0) + 1 }
      return sleeping.values.max() ?? 0
    }
    guard questions >= Self.questionsMin, reprise_lacks_threads(1, 1) != 0 else {
      writeOnce([Pulse.alive], to: answers)
      return
    }
    writeOnce([Pulse.lacksThreads], to: answers)
    sendSignal(SignalNumber.kill, to: processID)
  }
}
