// Serves the Model Context Protocol on an input and an output: reads messages, performs requests at
// the same time, and writes their answers one after the other.

import Dispatch
package import Reprise
import RepriseControl
import RepriseTerminal
import Synchronization

/// A server of the Model Context Protocol on standard input and output.
///
/// Thread-safe.
package final class AgentServer: Sendable {
  /// The reason why a server ended.
  package enum Ending: Sendable, Equatable {
    case inputEnded
    case outputClosed
  }

  /// Performs a request; a cancelled task should end soon with what it knows.
  package typealias Perform =
    @Sendable (AgentRequest) async -> Result<Value, AgentFailure>

  private struct State {
    var tasks: [RequestID: Task<Void, Never>] = [:]
    var cancelled: Set<RequestID> = []
  }

  /// The maximum length of a message in bytes.
  private static let messageBytesMax = 1 << 20
  /// The maximum number of requests in progress.
  private static let requestsMax = 64

  private let rules: AgentProtocol
  private let perform: Perform
  private let output: LineOutput
  private let input: Int32
  private let state = Mutex(State())
  private let endings: AsyncStream<Ending>
  private let end: AsyncStream<Ending>.Continuation

  /// Creates a server, which reads nothing until ``run()``.
  ///
  /// - Parameters:
  ///   - rules: The rules by which it answers.
  ///   - streams: The input and output.
  ///   - perform: Performs requests; called from several tasks at once.
  package init(
    _ rules: AgentProtocol, _ streams: StdioEngine.Streams, perform: @escaping Perform
  ) {
    let (endings, end) = AsyncStream.makeStream(of: Ending.self)
    (self.endings, self.end) = (endings, end)
    self.rules = rules
    self.perform = perform
    input = streams.input
    output = LineOutput(streams.write, onClosed: { end.yield(.outputClosed) })
  }

  /// Answers messages until the end of the input, or until the output is closed.
  ///
  /// - Returns: The reason for the end; by then, requests in progress have been cancelled, and those
  ///   with a result answered.
  package func run() async -> Ending {
    // Use a separate thread, since reading blocks.
    DispatchQueue(label: "reprise.agents.input").async { [self] in
      read()
      end.yield(.inputEnded)
    }
    var iterator = endings.makeAsyncIterator()
    let ending = await iterator.next() ?? .inputEnded
    let tasks = state.withLock { Array($0.tasks.values) }
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
    return await output.finish() ? ending : .outputClosed
  }

  // MARK: Messages

  private func read() {
    var lines = LineReader(input, bytesMax: Self.messageBytesMax)
    while let line = lines.nextLine() {
      switch line {
      case .text(let bytes) where bytes.allSatisfy { [0x20, 0x09, 0x0D].contains($0) }: continue
      case .text(let bytes): react(to: bytes)
      case .tooLong:
        let text = "a message of more than \(Self.messageBytesMax >> 20) MiB was skipped"
        write(AgentProtocol.answer(to: nil, .failure(AgentFailure(.invalidRequest, text))))
      }
    }
  }

  private func react(to line: [UInt8]) {
    switch rules.reaction(to: line) {
    case .single(let reaction):
      react(reaction) { [self] answer in if let answer { write(answer) } }
    case .batch(let reactions):
      let answers = Batch(count: reactions.count) { [self] in write(.list($0)) }
      for reaction in reactions { react(reaction) { answers.add($0) } }
    }
  }

  /// Does what a message needs; the answer is nil if there is none.
  private func react(_ reaction: AgentReaction, _ answer: @escaping @Sendable (Value?) -> Void) {
    switch reaction {
    case .none: answer(nil)
    case .answer(let message): answer(message)
    case .perform(let id, let request): begin(id, request, answer)
    case .cancel(let id):
      let task = state.withLock { state in
        if state.tasks[id] != nil { state.cancelled.insert(id) }
        return state.tasks[id]
      }
      task?.cancel()
      answer(nil)
    }
  }

  private func begin(
    _ id: RequestID, _ request: AgentRequest, _ answer: @escaping @Sendable (Value?) -> Void
  ) {
    let refusal = state.withLock { state -> AgentFailure? in
      guard state.tasks[id] == nil else {
        return AgentFailure(.invalidRequest, "a request with this id is in progress")
      }
      guard state.tasks.count < Self.requestsMax else {
        return AgentFailure(.internalError, "\(Self.requestsMax) requests are in progress")
      }
      state.tasks[id] = Task { [self] in
        let result = await perform(request)
        answer(isWanted(id) ? AgentProtocol.answer(to: id, result) : nil)
      }
      return nil
    }
    if let refusal { answer(AgentProtocol.answer(to: id, .failure(refusal))) }
  }

  /// Notes that a request is no longer in progress; returns whether its answer is wanted.
  private func isWanted(_ id: RequestID) -> Bool {
    state.withLock { state in
      state.tasks[id] = nil
      return state.cancelled.remove(id) == nil
    }
  }

  private func write(_ message: Value) {
    output.write(Array(TerminalSafe(json: message.json).string.utf8) + [UInt8(ascii: "\n")])
  }
}

/// The answers to the messages of one line.
private final class Batch: Sendable {
  private let state: Mutex<(left: Int, answers: [Value])>
  private let write: @Sendable ([Value]) -> Void

  /// Creates the answers, which are written when all of them are known, if there are any.
  init(count: Int, write: @escaping @Sendable ([Value]) -> Void) {
    state = Mutex((count, []))
    self.write = write
  }

  func add(_ answer: Value?) {
    let answers = state.withLock { state -> [Value]? in
      if let answer { state.answers.append(answer) }
      state.left -= 1
      return state.left == 0 && !state.answers.isEmpty ? state.answers : nil
    }
    if let answers { write(answers) }
  }
}
