// The source of events for lines of standard input.

import CombineOperators
import Dispatch
import Reprise
import RepriseControl
import RepriseJournal

extension InputTrigger: TriggerSource {
  func start(in sources: WatchSources) {
    let (triggers, inbox) = (sources.triggers, sources.inbox)
    sources.readInput(format) {
      // At the end of standard input, end the watch if it has no other sources.
      if !triggers.canStartWithoutInput { inbox.close() }
    }
  }
}

extension WatchSources {
  /// The maximum number of lines of standard input that are not yet on disk.
  private static let linesMax = 1000

  /// Whether lines wait for a run: the writer of a pipe can wait, so nothing needs to be dropped.
  private var linesWait: Bool { triggers.whenBusy == .queue && !triggers.buffer.isPolicyChosen }

  fileprivate func readInput(_ format: InputFormat, onEnd: @escaping @Sendable () -> Void) {
    // The subject is not declared `Sendable`, but it is thread-safe; only the reading thread sends.
    let subject = UncheckedSendable(PassthroughSubject<WatchEvent, Never>())
    // The semaphore limits reading to the speed of the runs, or else of the disk.
    let room = DispatchSemaphore(value: 0)
    let waits = linesWait
    // Start it at 0: Dispatch traps if a semaphore is freed below its initial value.
    for _ in 0..<(waits ? triggers.buffer.size : Self.linesMax) { room.signal() }
    let put: @Sendable (WatchEvent) -> Void = { [inbox] event in
      guard waits else { return inbox.put(event, answer: { _ in room.signal() }) }
      inbox.put(
        event, answer: { if case .refused = $0 { room.signal() } }, onEnd: { _ in room.signal() })
    }
    // Called after the last line.
    let end = { @Sendable [inbox] in
      inbox.put(answer: { _ in onEnd() }, recording: { _ throws(JournalError) in [] })
    }
    let listening: AnyCancellable
    if let quiet = triggers.debounce, quiet > .zero {
      listening = subject.value.whenQuiet(for: quiet) { event, later in
        event.fold(later)
        // A folded line is not written separately, so release its slot.
        room.signal()
      }.sink(receiveCompletion: { _ in end() }, receiveValue: put)
    } else {
      listening = subject.value.sink(receiveCompletion: { _ in end() }, receiveValue: put)
    }
    keep(nil, listening)
    // Use a separate thread, since reading blocks.
    DispatchQueue(label: "reprise.watch.input").async { [self] in
      readEvents(format) { event in
        room.wait()
        subject.value.send(event)
      }
      subject.value.send(completion: .finished)
    }
  }

  private func readEvents(_ format: InputFormat, _ send: (WatchEvent) -> Void) {
    var number = 0
    var lines = LineReader(input, bytesMax: .max)
    while let bytes = lines.nextText() {
      number += 1
      guard let line = String(validating: bytes, as: UTF8.self) else {
        say("warning: skipped line \(number) of standard input: it is not UTF-8")
        continue
      }
      if let event = event(of: line, number, format) { send(event) }
    }
  }

  private func event(of line: String, _ number: Int, _ format: InputFormat) -> WatchEvent? {
    guard format == .json else { return WatchEvent(Trigger(.stdin(line: line), time: now)) }
    guard !line.isEmpty else { return nil }
    do {
      let data = try Value(json: line)
      return WatchEvent(Trigger(.stdin(line: line, data: data), time: now))
    } catch {
      say("warning: skipped line \(number) of standard input: it is not JSON: \(error)")
      return nil
    }
  }
}

extension LineReader {
  /// Returns the next line, including an unterminated last one, without a trailing carriage return.
  fileprivate mutating func nextText() -> [UInt8]? {
    guard case .text(let bytes)? = nextLine() else { return takeRest() }
    return bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes
  }
}
