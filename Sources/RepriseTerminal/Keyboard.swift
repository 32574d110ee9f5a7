// Reads single keys from a terminal and gives it back as it was. Knows nothing of what keys mean.

import Dispatch
import Platform
import Reprise
import Synchronization

/// The keys of a terminal, one by one.
///
/// Ctrl-C and the like stay signals. The modes of the terminal are given back when it is stopped, when
/// the process is stopped with Ctrl-Z, and when it is ended with Ctrl-\.
final class Keyboard: Sendable {
  private struct State {
    var modes: TerminalSettings?
    var sources: [EventSource] = []
  }

  /// Whether there are keys to be read: a terminal that this process may read from.
  let isUsable: Bool
  private let device: TerminalDevice
  private let queue = DispatchQueue(label: "reprise.keyboard")
  private let state = Mutex(State())

  init(device: TerminalDevice) {
    self.device = device
    isUsable = device.isTerminal && device.isInForeground
  }

  /// Begins to read keys, where there are any.
  ///
  /// - Parameters:
  ///   - onKey: Called with each key.
  ///   - beforeStop: Called before Ctrl-Z or Ctrl-\ take effect.
  ///   - afterStop: Called when the process goes on.
  func start(
    onKey: @escaping @Sendable (UInt8) -> Void, beforeStop: @escaping @Sendable () -> Void,
    afterStop: @escaping @Sendable () -> Void
  ) {
    guard isUsable else { return }
    let stopping = signalSource(SignalNumber.terminalStop) { [weak self] in
      self?.giveBack()
      beforeStop()
      // The real stop, which cannot be caught. This thread may run on for a moment, so what is to be
      // done afterwards waits for the word that the process goes on.
      sendSignal(SignalNumber.stop, to: processID)
    }
    let goingOn = signalSource(SignalNumber.resume) { [weak self] in
      self?.take()
      afterStop()
    }
    let quitting = signalSource(SignalNumber.quit) { [weak self] in
      self?.giveBack()
      beforeStop()
      raiseWithDefaultAction(SignalNumber.quit)
    }
    take()
    let reading = DispatchSource.makeReadSource(fileDescriptor: device.descriptor, queue: queue)
    let keys = EventSource(reading) { [weak self, device] in
      guard let pressed = device.readKeys() else {
        self?.stop()
        return
      }
      for key in pressed { onKey(key) }
    }
    state.withLock { $0.sources = [keys, stopping, goingOn, quitting] }
  }

  /// Ends the reading and gives the terminal back.
  ///
  /// Further calls change nothing.
  func stop() {
    let sources = state.withLock { state in
      defer { state.sources = [] }
      return state.sources
    }
    for source in sources { source.cancel() }
    giveBack()
  }

  private func take() {
    let isTaken = state.withLock { $0.modes != nil }
    guard !isTaken, device.isInForeground else { return }
    let modes = device.enterKeyMode()
    state.withLock { $0.modes = modes }
  }

  private func giveBack() {
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
