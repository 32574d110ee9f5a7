// Lines of standard input as a source of events.

import CombineOperators
import Dispatch
import Reprise
import RepriseControl
import RepriseJournal

extension InputTrigger: TriggerSource {
  func start(in sources: WatchSources) {
    let (triggers, inbox) = (sources.triggers, sources.inbox)
    sources.readInput(format) {
      // Standard input is over; with it everything, where there is nothing else.
      if !triggers.goesOnWithoutInput { inbox.close() }
    }
  }
}

extension WatchSources {
  /// How many lines of standard input may be on their way to the disk.
  private static let linesMax = 1000

  fileprivate func readInput(_ format: InputFormat, onEnd: @escaping @Sendable () -> Void) {
    // Not Sendable as declared, though any thread may use it: only the reading thread sends.
    let subject = UncheckedSendable(PassthroughSubject<WatchEvent, Never>())
    // The disk decides how fast is read.
    let room = DispatchSemaphore(value: 0)
    // One that is freed with less than it began with ends the process: at the end nobody gives room back.
    for _ in 0..<Self.linesMax { room.signal() }
    let put = { [inbox] (event: WatchEvent) in inbox.put(event, answer: { _ in room.signal() }) }
    // Behind the last line.
    let end = { [inbox] in
      inbox.put(answer: { _ in onEnd() }, recording: { _ throws(JournalError) in [] })
    }
    let listening: AnyCancellable
    if let quiet = triggers.debounce, quiet > .zero {
      listening = subject.value.whenQuiet(for: quiet) { event, later in
        event.fold(later)
        // What is folded needs no room of its own.
        room.signal()
      }.sink(receiveCompletion: { _ in end() }, receiveValue: put)
    } else {
      listening = subject.value.sink(receiveCompletion: { _ in end() }, receiveValue: put)
    }
    keep(nil, listening)
    // A thread of its own: it waits for input.
    DispatchQueue(label: "reprise.watch.input").async { [self] in
      var number = 0
      var lines = LineReader(input, bytesMax: .max)
      while let bytes = lines.nextText() {
        number += 1
        guard let line = String(validating: bytes, as: UTF8.self) else {
          say("warning: line \(number) of standard input is left out: it is not UTF-8")
          continue
        }
        guard let event = event(of: line, number, format) else { continue }
        room.wait()
        subject.value.send(event)
      }
      subject.value.send(completion: .finished)
    }
  }

  private func event(of line: String, _ number: Int, _ format: InputFormat) -> WatchEvent? {
    guard format == .json else { return WatchEvent(Trigger(.stdin(line: line), time: now)) }
    guard !line.isEmpty else { return nil }
    do {
      let data = try Value(json: line)
      return WatchEvent(Trigger(.stdin(line: line, data: data), time: now))
    } catch {
      say("warning: line \(number) of standard input is left out: it is no JSON: \(error)")
      return nil
    }
  }
}

extension LineReader {
  /// The next line, also the last one where that did not end; without the carriage return of Windows.
  fileprivate mutating func nextText() -> [UInt8]? {
    guard case .text(let bytes)? = nextLine() else { return takeRest() }
    return bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes
  }
}
