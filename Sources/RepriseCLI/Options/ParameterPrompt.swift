// Asks the user of a terminal for parameters that were not given.

import Platform
import Reprise
import RepriseHost
import RepriseTerminal
import Synchronization

/// The prompt for some parameters: a form, or a line for each one where keys cannot be read one by one.
struct ParameterPrompt {
  private let parameters: [Parameter]

  init(_ parameters: [Parameter]) {
    self.parameters = parameters
  }

  /// Asks for the values; blocks until they are given.
  ///
  /// - Returns: The values by name, as text; those that were not given are missing.
  func answers() -> [String: String] {
    let fields = parameters.map { PlannedValue($0) }
    guard let display = PromptDisplay(environment: inheritedEnvironment()) else { return lines() }
    return whileAsking(on: display) {
      display.values(
        parameters.count == 1 ? "A value is needed:" : "Some values are needed:", for: "run",
        fields: fields
      ) { [parameters] name, text in
        parameters.first { $0.name == name }.flatMap { Self.problem(with: text, of: $0) }
      }
    } ?? [:]
  }

  private static func problem(with text: String, of parameter: Parameter) -> TerminalSafe? {
    do throws(ParameterError) {
      _ = try parameter.value(of: text)
      return nil
    } catch {
      return "\(error)"
    }
  }

  /// Asks line by line, until each answer is valid or the input ends.
  private func lines() -> [String: String] {
    var answers: [String: String] = [:]
    for parameter in parameters { answers[parameter.name] = Self.line(for: parameter) }
    return answers
  }

  private static func line(for parameter: Parameter) -> String? {
    if let description = parameter.description { printError(TerminalSafe(lines: description)) }
    while true {
      let kind: TerminalSafe =
        switch parameter.kind {
        case .string: ""
        case .number: " (a number)"
        case .boolean: " (true or false)"
        case .integer: " (a whole number)"
        case .list: " (a list in JSON, like [\"a\", \"b\"])"
        case .map: " (a map in JSON, like {\"a\": 1})"
        case .choice(let options): " (\(options.joined(separator: ", ")))"
        }
      writeError("\(parameter.name)\(kind): ")
      guard let answer = readLine() else { return nil }
      guard let problem = problem(with: answer, of: parameter) else { return answer }
      printError(problem)
    }
  }
}

/// Asks something; a signal during the question restores the terminal and ends the process.
///
/// - Parameters:
///   - display: The display of the prompt.
///   - ask: Shows the prompt, and returns the answer.
/// - Returns: The answer.
func whileAsking<Answer>(on display: PromptDisplay, _ ask: () -> Answer) -> Answer {
  let signals = EndingSignals(display: display)
  let relay = ProcessLinks.current.withLock { $0.signals }
  let listener =
    relay == nil ? SignalListener(SignalListener.stopping) { signals.receive($0) } : nil
  relay?.passOn(to: signals)
  defer { listener?.cancel() }
  return ask()
}

/// Restores the terminal for a signal that ends the process while something is asked.
private struct EndingSignals: SignalTarget {
  let display: PromptDisplay

  func receive(_ signal: Int32) {
    guard signal != SignalNumber.user1 else { return }
    display.leave()
    endProcess(.stopped(by: signal))
  }

  func freeze() {}
}
