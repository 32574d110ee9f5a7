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
    let form = FormDisplay(
      parameters.count == 1 ? "A value is needed:" : "Some values are needed:", for: "run",
      fields: parameters.map { PlannedValue($0) }, environment: inheritedEnvironment()
    ) { [parameters] name, text in
      parameters.first { $0.name == name }.flatMap { Self.problem(with: text, of: $0) }
    }
    guard let form else { return lines() }
    let signals = EndingSignals(form: form)
    let relay = ProcessLinks.current.withLock { $0.signals }
    let listener =
      relay == nil
      ? SignalListener(SignalListener.stopping) { signals.receive($0) } : nil
    relay?.passOn(to: signals)
    defer { listener?.cancel() }
    return switch form.ask() {
    case .closed: [:]
    case .done(let values): values
    }
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

/// Restores the terminal for a signal that ends the process while a form is shown.
private struct EndingSignals: SignalTarget {
  let form: FormDisplay

  func receive(_ signal: Int32) {
    guard signal != SignalNumber.user1 else { return }
    form.leave()
    endProcess(.stopped(by: signal))
  }

  func freeze() {}
}
