// Values as Python code.

import WorkflowFiles

/// Returns a text as a string literal of Python.
func pythonText(_ text: String) -> String {
  let escaped = text.unicodeScalars.reduce(into: "") { result, scalar in
    switch scalar {
    case "\"": result += "\\\""
    case "\\": result += "\\\\"
    case "\n": result += "\\n"
    case "\r": result += "\\r"
    case "\t": result += "\\t"
    case _ where scalar.isTerminalControl:
      let digits = String(scalar.value, radix: 16)
      result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    default: result.unicodeScalars.append(scalar)
    }
  }
  return "\"\(escaped)\""
}

/// Returns a duration in Python.
func pythonDuration(_ duration: Duration) -> String {
  let (seconds, attoseconds) = duration.components
  let microseconds = attoseconds / 1_000_000_000_000
  return "timedelta(seconds=\(seconds)"
    + (microseconds == 0 ? ")" : ", microseconds=\(microseconds))")
}

/// Writes values as Python code for an exported file.
struct PythonValues {
  /// The ids of the tasks, by position of the step.
  let names: [String]

  /// Returns a value, or a function of the run that returns it.
  func argument(_ value: ExportedValue) -> String {
    value.constant.map(literal) ?? function(value)
  }

  /// Returns a function of the run that returns a value.
  func function(_ value: ExportedValue) -> String { "lambda run: " + code(value) }

  /// Returns conditions, all of which must be true, as a function of the run.
  func condition(_ values: [ExportedValue]) -> String {
    let codes = values.map { value in
      let code = value.isBoolean ? code(value) : "truthy(\(code(value)))"
      return values.count > 1 && value.isBoolean ? operand(value) : code
    }
    return "lambda run: " + codes.joined(separator: " and ")
  }

  private func step(_ index: StepIndex) -> String { pythonText(names[index.position]) }

  private func code(_ value: ExportedValue) -> String {
    switch value {
    case .constant(let value): return literal(value)
    case .runID: return "run.id"
    case .ending: return "run.ending()"
    case .failed(let indices):
      return "run.failed([\(indices.map(step).joined(separator: ", "))])"
    case .secret(let name): return "run.secret(\(pythonText(name)))"
    case .output(let index, let name): return "run.output(\(step(index)), \(pythonText(name)))"
    case .outputList(let indices, let name):
      let steps = indices.map(step).joined(separator: ", ")
      return "run.output_list([\(steps)], \(pythonText(name)))"
    case .outputs(let index): return "run.outputs(\(step(index)))"
    case .result(let index): return "run.result(\(step(index)))"
    case .stdout: return "run.stdout"
    case .written(let name): return "run.own_output(\(pythonText(name)))"
    case .text(let parts):
      return parts.map { $0.isText ? operand($0) : "as_text(\(code($0)))" }
        .joined(separator: " + ")
    case .element(let base, let key): return "member(\(code(base)), \(code(key)))"
    case .not(let value):
      return value.isBoolean ? "not \(operand(value))" : "not truthy(\(code(value)))"
    case .binary(let symbol, let first, let second): return binary(symbol, first, second)
    case .call(let function, let values): return call(function, values)
    }
  }

  private func operand(_ value: ExportedValue) -> String {
    switch value {
    case .binary(.and, _, _), .binary(.or, _, _), .binary(.equal, _, _), .binary(.notEqual, _, _),
      .binary(.less, _, _), .binary(.lessOrEqual, _, _), .binary(.greater, _, _),
      .binary(.greaterOrEqual, _, _), .not, .text:
      "(\(code(value)))"
    default: code(value)
    }
  }

  private func binary(
    _ symbol: Expression.Operator, _ first: ExportedValue, _ second: ExportedValue
  ) -> String {
    switch symbol {
    case .or:
      if first.isBoolean, !first.canBeMissing { return "\(operand(first)) or \(operand(second))" }
      return "either(lambda: \(code(first)), lambda: \(code(second)))"
    case .and:
      if first.isBoolean { return "\(operand(first)) and \(operand(second))" }
      return "both(lambda: \(code(first)), lambda: \(code(second)))"
    case .equal, .notEqual:
      if first.isText, second.isText {
        return "\(operand(first)) \(symbol.rawValue) \(operand(second))"
      }
      return (symbol == .equal ? "" : "not ") + "equal(\(code(first)), \(code(second)))"
    case .less, .lessOrEqual, .greater, .greaterOrEqual, .add, .subtract, .multiply, .divide,
      .remainder:
      return "\(number(first)) \(symbol.rawValue) \(number(second))"
    }
  }

  private func number(_ value: ExportedValue) -> String {
    if case .constant(.number) = value { return code(value) }
    return "as_number(\(code(value)))"
  }

  private func text(_ value: ExportedValue) -> String {
    value.isText ? operand(value) : "as_text(\(code(value)))"
  }

  private func call(_ function: ExportedValue.Function, _ values: [ExportedValue]) -> String {
    switch function {
    case .contains: "contains(\(code(values[0])), \(code(values[1])))"
    case .startsWith: "\(text(values[0])).startswith(\(text(values[1])))"
    case .endsWith: "\(text(values[0])).endswith(\(text(values[1])))"
    case .join:
      "join_all(\(([code(values[0])] + values.dropFirst().map(text)).joined(separator: ", ")))"
    case .toJSON: "to_json(\(code(values[0])))"
    case .fromJSON: "from_json(\(code(values[0])))"
    }
  }

  private func literal(_ value: Value) -> String {
    switch value {
    case .null: "None"
    case .boolean(let boolean): boolean ? "True" : "False"
    case .number, .digits: value.asText
    case .text(let text): pythonText(text)
    case .list(let values): "[\(values.map(literal).joined(separator: ", "))]"
    case .map(let values):
      "{"
        + values.sorted { $0.key < $1.key }
        .map { "\(pythonText($0.key)): \(literal($0.value))" }.joined(separator: ", ") + "}"
    }
  }
}
