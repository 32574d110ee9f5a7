// Lends the terminal of this process to one program at a time; the displays step aside.

import Platform
import Reprise
import Synchronization

/// The terminal of this process, which one program at a time may use.
///
/// Thread-safe.
package final class LentTerminal: StepTerminal {
  /// The terminal on standard input and output.
  package static let shared = LentTerminal(input: 0, output: 1)

  /// A display on the terminal.
  struct Display: Sendable {
    let name: ObjectIdentifier
    /// Restores the terminal and writes nothing until `comeBack`.
    let stepAside: @Sendable () -> Void
    let comeBack: @Sendable () -> Void
  }

  private struct State {
    var isHeld = false
    var waiting: [Ticket<Void>] = []
    var displays: [Display] = []
    /// The displays that have stepped aside for the program that uses the terminal.
    var aside: [Display] = []
    var settings: TerminalSettings?
  }

  private let input: Int32
  private let output: Int32
  private let state = Mutex(State())

  /// Creates the terminal on two descriptors, which may not be a terminal.
  init(input: Int32, output: Int32) {
    self.input = input
    self.output = output
  }

  /// Adds a display, if it writes to this terminal.
  func add(_ display: Display, on descriptor: Int32) {
    guard descriptor == output else { return }
    state.withLock { $0.displays.append(display) }
  }

  /// Removes a display.
  func remove(_ name: ObjectIdentifier) {
    state.withLock { state in state.displays.removeAll { $0.name == name } }
  }

  /// The number of callers that wait for their turn.
  var waiterCount: Int { state.withLock { $0.waiting.count } }

  /// Waits for the turn of a caller; the displays stay.
  ///
  /// - Returns: Whether the caller now holds the terminal; false if the task was cancelled.
  func hold() async -> Bool {
    let ticket = Ticket<Void>()
    state.withLock { state in
      guard state.isHeld else {
        state.isHeld = true
        ticket.answer(())
        return
      }
      state.waiting.append(ticket)
    }
    return await ticket.value() != nil
  }

  /// Keeps steps from the terminal until a closure has returned.
  ///
  /// A run that starts before its display must not get the terminal first: the display would change
  /// the modes of the terminal while a step uses it.
  ///
  /// - Parameter body: Starts a run and creates its display.
  /// - Returns: What the closure returns.
  package func keepFromSteps<Value>(until body: () async throws -> Value) async rethrows -> Value {
    let isHeld = await hold()
    defer { if isHeld { release() } }
    return try await body()
  }

  /// Holds the terminal, if no other program uses it.
  func holdIfFree() -> Bool {
    state.withLock { state in
      defer { state.isHeld = true }
      return !state.isHeld
    }
  }

  /// Passes the terminal to the next caller that waits for it.
  func release() {
    state.withLock { state in
      state.isHeld = false
      while !state.waiting.isEmpty, !state.isHeld {
        // A cancelled waiter does not take its turn.
        state.isHeld = state.waiting.removeFirst().answer(())
      }
    }
  }

  package func lend() async -> Int32? {
    guard isTerminal(input), isTerminal(output), isInForeground(ofTerminal: input),
      await hold()
    else { return nil }
    let displays = state.withLock { $0.displays }
    for display in displays { display.stepAside() }
    let settings = TerminalSettings(of: input)
    state.withLock { ($0.aside, $0.settings) = (displays, settings) }
    return input
  }

  package func takeBack() {
    let (displays, settings) = state.withLock { state in
      defer { (state.aside, state.settings) = ([], nil) }
      return (state.aside, state.settings)
    }
    // The program may have been killed while it read keys one by one.
    settings?.apply(to: input)
    for display in displays { display.comeBack() }
    release()
  }
}
