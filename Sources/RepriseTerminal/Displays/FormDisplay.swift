// Asks for values on a terminal before a run begins.

import Dispatch
import Platform
package import Reprise
import Synchronization

/// A form on standard error, whose keys are read from standard input.
package final class FormDisplay: Sendable {
  /// How a form ends.
  package enum Ending: Sendable, Equatable {
    case closed
    /// The values that were given, by name; those that were not changed have their defaults.
    case done([String: String])
  }

  private struct State {
    var form: ValueForm
    var screen = Screen()
    var ending: Ending?
  }

  private let check: @Sendable (_ name: String, _ value: String) -> TerminalSafe?
  private let style: Style
  private let device = TerminalDevice(descriptor: 2)
  private let keyboard = Keyboard(device: TerminalDevice(descriptor: 0))
  private let state: Mutex<State>
  private let isOver = DispatchSemaphore(value: 0)

  /// Creates a form; nil if there is no terminal on which it can be shown.
  ///
  /// - Parameters:
  ///   - question: What is shown above the values.
  ///   - purpose: What follows from Enter at the last value.
  ///   - fields: The values; at least one.
  ///   - environment: The environment with `TERM`, `CI` and so on, and the locale.
  ///   - check: Returns why a value is not possible; nil if it is.
  package init?(
    _ question: TerminalSafe, for purpose: TerminalSafe, fields: [PlannedValue],
    environment: [String: String],
    check: @escaping @Sendable (_ name: String, _ value: String) -> TerminalSafe?
  ) {
    self.check = check
    style = Style(environment: environment)
    state = Mutex(State(form: ValueForm(question, for: purpose, fields: fields)))
    let isAnimated = ProgressStyle.auto.resolved(output: 2, environment: environment) == .tree
    guard keyboard.isUsable, isAnimated else { return nil }
  }

  /// Shows the form until its user ends it; blocks the calling thread.
  package func ask() -> Ending {
    keyboard.start(
      onKey: { [self] in press($0) }, beforeStop: { [self] in clear() },
      afterStop: { [self] in draw() })
    draw()
    isOver.wait()
    leave()
    return state.withLock { $0.ending } ?? .closed
  }

  /// Restores the terminal, as before the process ends.
  package func leave() {
    keyboard.stop()
    clear()
    if state.withLock({ $0.ending != nil && $0.ending != .closed }) {
      write(state.withLock { $0.form.answers }.map { $0 + "\n" }.joined())
    }
  }

  private func clear() {
    write(state.withLock { $0.screen.clear() + $0.screen.leave() })
  }

  private func press(_ key: Key) {
    let ending = state.withLock { state -> Ending? in
      switch state.form.press(key) {
      case .editing: return nil
      case .closed: state.ending = .closed
      case .done(let values):
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
          if let problem = check(name, value) {
            state.form.reject(name, because: problem)
            return nil
          }
        }
        state.ending = .done(values)
      }
      return state.ending
    }
    if ending == nil { draw() } else { isOver.signal() }
  }

  private func draw() {
    let columns = device.size.columns - 1
    write(
      state.withLock { state in
        state.screen.update(to: state.form.rows(style).map { $0.cut(to: columns) })
      })
  }

  private func write(_ text: TerminalSafe) {
    if !text.isEmpty { _ = device.write(text) }
  }
}
