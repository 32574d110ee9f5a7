// Asks for something on a terminal before a run begins.

import Dispatch
import Platform
package import Reprise
import Synchronization

/// A prompt on standard error, whose keys are read from standard input.
package final class PromptDisplay: Sendable {
  private struct State {
    var prompt: any Prompt
    var screen = Screen()
    var isDone = false
  }

  private let style: Style
  private let device = TerminalDevice(descriptor: 2)
  private let keyboard = Keyboard(device: TerminalDevice(descriptor: 0))
  private let state = Mutex<State?>(nil)

  /// Creates a display; nil if there is no terminal on which something can be asked.
  ///
  /// - Parameter environment: The environment with `TERM`, `CI` and so on, and the locale.
  package init?(environment: [String: String]) {
    style = Style(environment: environment)
    let isAnimated = ProgressStyle.auto.resolved(output: 2, environment: environment) == .tree
    guard keyboard.isUsable, isAnimated else { return nil }
  }

  /// Asks for values; blocks the calling thread.
  ///
  /// - Parameters:
  ///   - question: What is shown above the values.
  ///   - purpose: What follows from Enter at the last value.
  ///   - fields: The values; at least one.
  ///   - check: Returns why a value is not possible; nil if it is.
  /// - Returns: The values that were given, by name; those that were not changed have their defaults. Nil
  ///   if the user has closed the form.
  package func values(
    _ question: TerminalSafe, for purpose: TerminalSafe, fields: [PlannedValue],
    check: @escaping @Sendable (_ name: String, _ value: String) -> TerminalSafe?
  ) -> [String: String]? {
    ask(ValueForm(question, for: purpose, fields: fields)) { form, values in
      for (name, value) in values.sorted(by: { $0.key < $1.key }) {
        guard let problem = check(name, value) else { continue }
        form.reject(name, because: problem)
        return false
      }
      return true
    }
  }

  /// Asks for one of several items; blocks the calling thread.
  ///
  /// - Parameters:
  ///   - question: What is shown above the items.
  ///   - items: The items, each with its description; at least one.
  /// - Returns: The name of the chosen item; nil if the user has closed the list.
  package func choice(
    _ question: TerminalSafe, of items: [(name: String, description: TerminalSafe)]
  ) -> String? {
    ask(ChoiceList(question, items)) { _, _ in true }
  }

  /// Restores the terminal, as before the process ends.
  package func leave() {
    keyboard.stop()
    clear()
    let answers = state.withLock { $0?.isDone == true ? $0?.prompt.answers : nil } ?? []
    write(answers.map { $0 + "\n" }.joined())
  }

  /// Shows a prompt until its user ends it.
  private func ask<Question: Prompt>(
    _ prompt: Question,
    accepts: @escaping @Sendable (inout Question, Question.Answer) -> Bool
  ) -> Question.Answer? {
    let isOver = DispatchSemaphore(value: 0)
    let answer = Mutex<Question.Answer?>(nil)
    state.withLock { $0 = State(prompt: prompt) }
    keyboard.start(
      onKey: { [self] key in
        let isEnded = state.withLock { state in
          guard var prompt = state?.prompt as? Question else { return true }
          defer { state?.prompt = prompt }
          switch prompt.press(key) {
          case .editing: return false
          case .closed: return true
          case .done(let given):
            guard accepts(&prompt, given) else { return false }
            answer.withLock { $0 = given }
            state?.isDone = true
            return true
          }
        }
        if isEnded { isOver.signal() } else { draw() }
      },
      beforeStop: { [self] in clear() }, afterStop: { [self] in draw() })
    draw()
    isOver.wait()
    leave()
    return answer.withLock { $0 }
  }

  private func draw() {
    let size = device.size
    let text = state.withLock { state in
      let rows = state?.prompt.rows(size, style) ?? []
      return state?.screen.update(to: rows.map { $0.cut(to: size.columns - 1) })
    }
    write(text ?? "")
  }

  private func clear() {
    write(
      state.withLock { state in (state?.screen.clear() ?? "") + (state?.screen.leave() ?? "") })
  }

  private func write(_ text: TerminalSafe) {
    if !text.isEmpty { _ = device.write(text) }
  }
}
