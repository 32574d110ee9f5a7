// The protocol of `reprise engine`: reads requests, writes replies, and shuts down. `EngineRuns`
// starts and controls the runs.

import Dispatch
import Platform
import Reprise
import RepriseControl
package import RepriseTerminal

/// An engine that reads requests from an input and writes replies and events to an output.
package final class StdioEngine: SignalTarget {
  /// The reason why an engine ended.
  package enum Ending: Sendable, Equatable {
    /// The end of its input.
    case inputEnded
    /// A signal.
    case signal(Int32)
    /// The output has been closed.
    case outputClosed
  }

  /// The input and output of an engine.
  package struct Streams: Sendable {
    /// The descriptor to read requests from.
    package var input: Int32
    /// Writes replies and events; returns false if the output has been closed.
    package var write: @Sendable ([UInt8]) -> Bool
    /// Prints a message for people.
    package var say: @Sendable (TerminalSafe) -> Void

    /// Creates streams.
    package init(
      input: Int32, write: @escaping @Sendable ([UInt8]) -> Bool,
      say: @escaping @Sendable (TerminalSafe) -> Void = { _ in }
    ) {
      self.input = input
      self.write = write
      self.say = say
    }
  }

  /// The maximum length of a request in bytes; a request may contain a whole workflow.
  private static let requestBytesMax = 1 << 20
  /// The maximum number of requests without a written reply; reading pauses at this limit.
  private static let requestsMax = 64

  private let output: LineOutput
  private let runs: EngineRuns
  private let room = DispatchSemaphore(value: 0)
  private let input: Int32
  private let endings: AsyncStream<Ending>
  private let end: AsyncStream<Ending>.Continuation

  /// Creates an engine, which reads nothing until `run()`.
  ///
  /// - Parameters:
  ///   - host: The host of recorded runs; nil to record no runs.
  ///   - settings: The settings of engines for runs that are not recorded.
  ///   - streams: The input and output.
  package init(
    _ host: RunHost?, settings: EngineSettings = EngineSettings(), _ streams: Streams
  ) {
    input = streams.input
    let (endings, end) = AsyncStream.makeStream(of: Ending.self)
    (self.endings, self.end) = (endings, end)
    // Start the semaphore at 0: Dispatch traps if one is freed below its initial value, and replies
    // may never be read.
    for _ in 0..<Self.requestsMax { room.signal() }
    let output = LineOutput(streams.write, onClosed: { end.yield(.outputClosed) })
    self.output = output
    runs = EngineRuns(host, settings, say: streams.say) { event in
      // Output may be dropped for a slow reader; transitions may not.
      if event.isTransient {
        output.writeIfRead { safeLine(event) }
      } else {
        output.write(safeLine(event))
      }
    }
  }

  /// Performs requests until the end of the input or a signal, then cancels all runs.
  ///
  /// - Returns: The reason for the end, after all processes of all runs have ended.
  package func run() async -> Ending {
    // Use a separate thread, since reading blocks.
    DispatchQueue(label: "reprise.engine.input").async { [self] in
      read()
      end.yield(.inputEnded)
    }
    let starting = Task { await runs.handleStarts() }
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
      // Unlike the control socket, do not end the connection: it is the only one, and ending it
      // would cancel the runs of all other requests. The next request starts at the next line.
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

/// Encodes a message as a line of JSON that is safe to write to a terminal.
private func safeLine(_ message: some Encodable) -> [UInt8] {
  Array(TerminalSafe(json: String(decoding: line(message), as: UTF8.self)).string.utf8)
}
