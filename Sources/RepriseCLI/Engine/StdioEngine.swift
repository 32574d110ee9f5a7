// Speaks with the program that has started an engine: reads its requests, and takes care of the end. How
// runs come about is the business of EngineRuns.

import Dispatch
import Reprise
import RepriseControl
import RepriseJournal
import RepriseTerminal

/// An engine that is asked over standard input and answers over standard output.
final class StdioEngine: SignalTarget {
  /// How long a request may be, in bytes: a workflow comes as a text in one.
  private static let requestBytesMax = 1 << 20
  /// How many requests may be unanswered, or have answers that nobody has read: no more are read then.
  private static let requestsMax = 64

  private let output: LineOutput
  private let runs: EngineRuns
  private let room = DispatchSemaphore(value: 0)
  private let endings: AsyncStream<ExitStatus>
  private let end: AsyncStream<ExitStatus>.Continuation

  /// Prepares an engine; nothing is read yet.
  ///
  /// - Parameters:
  ///   - journal: Where runs are recorded, if they are.
  ///   - rerunsUpToDateSteps: Whether steps run even when they are up to date.
  init(_ journal: Journal?, rerunsUpToDateSteps: Bool) {
    let (endings, end) = AsyncStream.makeStream(of: ExitStatus.self)
    (self.endings, self.end) = (endings, end)
    // A semaphore must not be freed with less than it began with, and answers may never be read.
    for _ in 0..<Self.requestsMax { room.signal() }
    let output = LineOutput(to: standardOutput, onClosed: { end.yield(.outputClosed) })
    self.output = output
    runs = EngineRuns(journal, rerunsUpToDateSteps: rerunsUpToDateSteps) { event in
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
  /// - Returns: The exit status of the command, when nothing of any run is left.
  func run() async -> ExitStatus {
    hearSignals(self)
    // A thread of its own: it waits for input.
    DispatchQueue(label: "reprise.engine.input").async { [self] in
      read()
      end.yield(.succeeded)
    }
    let starting = Task { await runs.takeStarts() }
    var iterator = endings.makeAsyncIterator()
    let status = await iterator.next() ?? .succeeded
    runs.end()
    await starting.value
    await runs.finish()
    return await output.finish() ? status : .outputClosed
  }

  // MARK: Requests

  private func read() {
    var lines = LineReader(standardInput, bytesMax: Self.requestBytesMax)
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

  func receive(_ signal: Int32) {
    // The first one cancels the runs, a second one kills them.
    runs.receive(signal)
    if signal != SignalListener.restarting { end.yield(.stopped(by: signal)) }
  }

  func freeze() {
    runs.freeze()
  }
}

/// A message as a line of JSON; standard output may be a terminal.
private func safeLine(_ message: some Encodable) -> [UInt8] {
  Array(TerminalSafe(json: String(decoding: line(message), as: UTF8.self)).string.utf8)
}
