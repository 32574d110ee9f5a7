// Speaks with the program that has started an engine: reads its requests, and takes care of the end. How
// runs come about is the business of EngineRuns.

import Dispatch
import Platform
import Reprise
import RepriseControl
import RepriseTerminal

/// An engine that is asked over standard input and answers over standard output.
package final class StdioEngine: SignalTarget {
  /// Why it ended.
  package enum Ending: Sendable, Equatable {
    /// Its input is over.
    case inputEnded
    /// A signal asked for it.
    case signal(Int32)
    /// Its output is not read any more.
    case outputClosed
  }

  /// Where it reads and writes.
  package struct Streams: Sendable {
    /// The descriptor of requests.
    package var input: Int32
    /// Writes bytes of replies and events; false when they are not read any more.
    package var write: @Sendable ([UInt8]) -> Bool

    /// Puts streams together.
    package init(input: Int32, write: @escaping @Sendable ([UInt8]) -> Bool) {
      self.input = input
      self.write = write
    }
  }

  /// How long a request may be, in bytes: a workflow comes as a text in one.
  private static let requestBytesMax = 1 << 20
  /// How many requests may be unanswered, or have answers that nobody has read: no more are read then.
  private static let requestsMax = 64

  private let output: LineOutput
  private let runs: EngineRuns
  private let room = DispatchSemaphore(value: 0)
  private let input: Int32
  private let endings: AsyncStream<Ending>
  private let end: AsyncStream<Ending>.Continuation

  /// Prepares an engine; nothing is read yet.
  ///
  /// - Parameters:
  ///   - host: What carries out recorded runs; nil where runs are not recorded.
  ///   - settings: How engines are made for runs that are not recorded.
  ///   - streams: Where it reads and writes.
  package init(
    _ host: RunHost?, settings: EngineSettings = EngineSettings(), _ streams: Streams
  ) {
    input = streams.input
    let (endings, end) = AsyncStream.makeStream(of: Ending.self)
    (self.endings, self.end) = (endings, end)
    // A semaphore must not be freed with less than it began with, and answers may never be read.
    for _ in 0..<Self.requestsMax { room.signal() }
    let output = LineOutput(streams.write, onClosed: { end.yield(.outputClosed) })
    self.output = output
    runs = EngineRuns(host, settings) { event in
      // What a step writes can be missed, what becomes of it cannot.
      if event.isTransient {
        output.writeIfRead { safeLine(event) }
      } else {
        output.write(safeLine(event))
      }
    }
  }

  /// Carries out requests until the input ends or a signal comes, then cancels all runs.
  ///
  /// - Returns: Why it ended, when nothing of any run is left.
  package func run() async -> Ending {
    // A thread of its own: it waits for input.
    DispatchQueue(label: "reprise.engine.input").async { [self] in
      read()
      end.yield(.inputEnded)
    }
    let starting = Task { await runs.takeStarts() }
    var iterator = endings.makeAsyncIterator()
    let ending = await iterator.next() ?? .inputEnded
    runs.end()
    await starting.value
    await runs.finish()
    return await output.finish() ? ending : .outputClosed
  }

  // MARK: Requests

  private func read() {
    var lines = LineReader(input, bytesMax: Self.requestBytesMax)
    while let line = lines.nextLine() {
      room.wait()
      switch line {
      case .text(let bytes): carryOut(NumberedRequest(in: bytes))
      case .tooLong:
        let megabytes = Self.requestBytesMax >> 20
        answer(.refused("a request of more than \(megabytes) MiB was skipped"), to: nil)
      }
    }
  }

  private func carryOut(_ received: NumberedRequest<EngineRequest>) {
    switch received.request {
    case .success(let request):
      runs.carryOut(request) { [self] in answer($0, to: received.id) }
    case .failure(let error):
      // The socket ends the connection here. This is the only connection that there is, and the runs of
      // all other requests hang on it: a mistake in one of them must not cancel those. Where the next
      // request begins is known, at the next line.
      answer(.refused(error.description), to: received.id)
    }
  }

  private func answer(_ reply: EngineReply, to id: RequestID?) {
    output.write(safeLine(NumberedReply(reply, to: id))) { [room] in room.signal() }
  }

  // MARK: Signals

  package func receive(_ signal: Int32) {
    // The first one cancels the runs, a second one kills them.
    runs.receive(signal)
    if signal != SignalNumber.user1 { end.yield(.signal(signal)) }
  }

  package func freeze() {
    runs.freeze()
  }
}

/// A message as a line of JSON; standard output may be a terminal.
private func safeLine(_ message: some Encodable) -> [UInt8] {
  Array(TerminalSafe(json: String(decoding: line(message), as: UTF8.self)).string.utf8)
}
