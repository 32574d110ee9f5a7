// Reads keys from a terminal, and restores its modes.

import Dispatch
import Platform
import Reprise
import Synchronization

/// Reads the keys of a terminal one by one.
///
/// Keys such as Ctrl-C still send signals. The modes of the terminal are restored by `stop()`, when
/// the process is suspended with Ctrl-Z, and when it is terminated with Ctrl-\.
final class Keyboard: Sendable {
  private struct State {
    var modes: TerminalSettings?
    var sources: [EventSource] = []
    /// Whether the first source, that of the keys, is suspended.
    var isPaused = false
    var decoder = KeyDecoder()
    /// Counts the reads, so that a lone Escape is recognised by the silence after it.
    var readCount = 0
  }

  /// The time after which an Escape is a key and not the beginning of a sequence.
  private static let escapeTime: DispatchTimeInterval = .milliseconds(50)

  /// Whether the device is a terminal that this process may read from.
  let isUsable: Bool
  private let device: TerminalDevice
  private let queue = DispatchQueue(label: "reprise.keyboard")
  private let state = Mutex(State())

  init(device: TerminalDevice) {
    self.device = device
    isUsable = device.isTerminal && device.isInForeground
  }

  /// Starts reading keys, if the device is usable.
  ///
  /// - Parameters:
  ///   - onKey: Called with each key.
  ///   - beforeStop: Called before Ctrl-Z or Ctrl-\ takes effect.
  ///   - afterStop: Called when a suspended process continues.
  func start(
    onKey: @escaping @Sendable (Key) -> Void, beforeStop: @escaping @Sendable () -> Void,
    afterStop: @escaping @Sendable () -> Void
  ) {
    guard isUsable else { return }
    let stopping = signalSource(SignalNumber.terminalStop) { [weak self] in
      self?.restoreModes()
      beforeStop()
      // SIGSTOP, which cannot be caught, suspends the process. This thread may still run for a
      // moment, so the modes are set again only on SIGCONT.
      sendSignal(SignalNumber.stop, to: processID)
    }
    let continuing = signalSource(SignalNumber.resume) { [weak self] in
      self?.enterKeyMode()
      afterStop()
    }
    let quitting = signalSource(SignalNumber.quit) { [weak self] in
      self?.restoreModes()
      beforeStop()
      raiseWithDefaultAction(SignalNumber.quit)
    }
    enterKeyMode()
    let reading = DispatchSource.makeReadSource(fileDescriptor: device.descriptor, queue: queue)
    let keys = EventSource(reading) { [weak self, device] in
      guard let bytes = device.readKeys() else {
        self?.stop()
        return
      }
      self?.handle(bytes, onKey)
    }
    state.withLock { $0.sources = [keys, stopping, continuing, quitting] }
  }

  private func handle(_ bytes: [UInt8], _ onKey: @escaping @Sendable (Key) -> Void) {
    let (keys, unfinished) = state.withLock { state -> ([Key], Int?) in
      let keys = state.decoder.decode(bytes)
      state.readCount += 1
      return (keys, state.decoder.isWaiting ? state.readCount : nil)
    }
    for key in keys { onKey(key) }
    guard let unfinished else { return }
    queue.asyncAfter(deadline: .now() + Self.escapeTime) { [weak self] in
      let keys = self?.state.withLock { state in
        state.readCount == unfinished ? state.decoder.finish() : []
      }
      for key in keys ?? [] { onKey(key) }
    }
  }

  /// Lets another program use the terminal until ``continueReading()``.
  func pauseReading() {
    let keys = state.withLock { state in
      defer { state.isPaused = true }
      return state.isPaused ? nil : state.sources.first
    }
    keys?.suspend()
    restoreModes()
  }

  /// Reads keys again after ``pauseReading()``, unless ``stop()`` was called since.
  func continueReading() {
    let keys = state.withLock { state in
      defer { state.isPaused = false }
      return state.isPaused ? state.sources.first : nil
    }
    guard let keys else { return }
    enterKeyMode()
    keys.resume()
  }

  /// Stops reading and restores the modes of the terminal.
  ///
  /// Idempotent.
  func stop() {
    let (sources, isPaused) = state.withLock { state in
      defer { (state.sources, state.isPaused) = ([], false) }
      return (state.sources, state.isPaused)
    }
    for source in sources { source.cancel() }
    // Dispatch ends the process if it has to release a source that is suspended.
    if isPaused { sources.first?.resume() }
    restoreModes()
  }

  private func enterKeyMode() {
    let isInKeyMode = state.withLock { $0.modes != nil }
    guard !isInKeyMode, device.isInForeground else { return }
    let modes = device.enterKeyMode()
    state.withLock { $0.modes = modes }
  }

  private func restoreModes() {
    let modes = state.withLock { state in
      defer { state.modes = nil }
      return state.modes
    }
    if let modes { device.restore(modes) }
  }

  private func signalSource(
    _ number: Int32, _ handler: @escaping @Sendable () -> Void
  ) -> EventSource {
    catchSignal(number)
    return EventSource(
      DispatchSource.makeSignalSource(signal: number, queue: queue), handler: handler)
  }
}
