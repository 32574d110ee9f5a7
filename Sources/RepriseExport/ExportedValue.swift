// The values of an exported workflow, computed before the run as far as possible.

import WorkflowFiles

/// A value that another engine computes from what is known during a run; or a constant.
indirect enum ExportedValue: Equatable {
  /// The functions of expressions that another engine may call.
  enum Function: Equatable {
    case contains, startsWith, endsWith, join, toJSON, fromJSON

    /// The function with a name in expressions; nil if no other engine has it.
    init?(_ function: Expression.Function) {
      switch function {
      case .contains: self = .contains
      case .startsWith: self = .startsWith
      case .endsWith: self = .endsWith
      case .join: self = .join
      case .toJSON: self = .toJSON
      case .fromJSON: self = .fromJSON
      case .matches, .format, .split, .replace, .trim, .lower, .upper, .length, .sort, .filter,
        .hashFiles, .glob, .toFile, .success, .failure, .always, .cancelled:
        return nil
      }
    }
  }

  case constant(Value)
  /// The id of the run.
  case runID
  /// `success` or `failure`: how the steps before those under `finally` have ended.
  case ending
  /// Whether one of several steps has failed, or was cancelled because of a failure.
  case failed([StepIndex])
  /// A secret, by the name under which the other engine keeps it.
  case secret(String)
  /// An output of a step, which is an error if the step has not set it.
  case output(StepIndex, String)
  /// An output of several steps, as a list.
  case outputList([StepIndex], String)
  /// All outputs of a step, as a map.
  case outputs(StepIndex)
  /// The result of a step.
  case result(StepIndex)
  /// What the step itself has printed.
  case stdout
  /// An output that the step itself has written.
  case written(String)
  /// Values as one text.
  case text([ExportedValue])
  case element(ExportedValue, ExportedValue)
  case not(ExportedValue)
  case binary(Expression.Operator, ExportedValue, ExportedValue)
  case call(Function, [ExportedValue])

  /// The value, if it is known before the run.
  var constant: Value? {
    if case .constant(let value) = self { value } else { nil }
  }

  /// Whether it is always a text.
  var isText: Bool {
    switch self {
    case .runID, .ending, .secret, .output, .result, .stdout, .written, .text: true
    case .constant(.text), .call(.join, _), .call(.toJSON, _): true
    case .binary(.or, let first, let second): first.isText && second.isText
    case .constant, .failed, .outputList, .outputs, .element, .not, .binary, .call: false
    }
  }

  /// Whether it is always true or false.
  var isBoolean: Bool {
    switch self {
    case .constant(.boolean), .not, .failed: true
    case .binary(.and, let first, let second), .binary(.or, let first, let second):
      first.isBoolean && second.isBoolean
    case .binary(let symbol, _, _): symbol == .equal || symbol == .notEqual || symbol.isOrder
    case .call(let function, _): [.contains, .startsWith, .endsWith].contains(function)
    case .constant, .runID, .ending, .secret, .output, .outputList, .outputs, .result, .stdout,
      .written, .text, .element:
      false
    }
  }

  /// Whether it reads an output, which a step may not have set.
  var canBeMissing: Bool {
    var canBeMissing = false
    visit { part in
      switch part {
      case .output, .outputList, .written: canBeMissing = true
      default: break
      }
    }
    return canBeMissing
  }

  /// Returns values as one text, with neighbouring constants together.
  static func text(of parts: [ExportedValue]) -> ExportedValue {
    var merged: [ExportedValue] = []
    for part in parts {
      let inner: [ExportedValue] = if case .text(let values) = part { values } else { [part] }
      for value in inner {
        if let last = merged.last?.constant, let next = value.constant {
          merged[merged.count - 1] = .constant(.text(last.asText + next.asText))
        } else if let text = value.constant?.asText {
          if !text.isEmpty { merged.append(.constant(.text(text))) }
        } else {
          merged.append(value)
        }
      }
    }
    guard let first = merged.first else { return .constant(.text("")) }
    return merged.count == 1 && first.isText ? first : .text(merged)
  }

  /// Calls a closure with this value and each of its parts.
  func visit(_ visitor: (ExportedValue) -> Void) {
    visitor(self)
    switch self {
    case .text(let parts), .call(_, let parts): for part in parts { part.visit(visitor) }
    case .not(let value): value.visit(visitor)
    case .element(let first, let second), .binary(_, let first, let second):
      first.visit(visitor)
      second.visit(visitor)
    case .constant, .runID, .ending, .failed, .secret, .output, .outputList, .outputs, .result,
      .stdout, .written:
      break
    }
  }
}
