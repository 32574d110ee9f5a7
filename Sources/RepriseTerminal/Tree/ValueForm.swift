// The form for values: of an approval, or of the parameters of a run. Pure.

import Reprise

/// Some values while they are being typed and chosen.
struct ValueForm: Prompt, Equatable {
  private let question: TerminalSafe
  /// What follows from Enter at the last value.
  private let purpose: TerminalSafe
  private let fields: [PlannedValue]
  private var texts: [String]
  private var current = 0
  private var problem: TerminalSafe?

  /// Creates a form with the defaults.
  ///
  /// - Parameters:
  ///   - question: What is shown above the values; may have several lines.
  ///   - purpose: What follows from Enter at the last value, such as `approve`.
  ///   - fields: The values; at least one.
  init(_ question: TerminalSafe, for purpose: TerminalSafe, fields: [PlannedValue]) {
    self.question = question
    self.purpose = purpose
    self.fields = fields
    texts = fields.map { $0.default ?? "" }
  }

  /// Handles a key.
  mutating func press(_ key: Key) -> PromptOutcome<[String: String]> {
    problem = nil
    switch key {
    case .escape: return .closed
    case .up: move(-1)
    case .down, .tab: move(1)
    case .enter: return confirm()
    case .left: choose(by: -1)
    case .right: choose(by: 1)
    case .backspace: if options == nil { texts[current] = String(texts[current].dropLast()) }
    case .character(let character): type(character)
    default: break
    }
    return .editing
  }

  private var options: [String]? { Self.options(of: fields[current]) }

  private static func options(of field: PlannedValue) -> [String]? {
    field.type == "boolean" ? ["true", "false"] : field.options
  }

  private mutating func move(_ by: Int) {
    current = min(max(0, current + by), fields.count - 1)
  }

  private mutating func type(_ character: Character) {
    guard let options else { return texts[current].append(character) }
    if character == " " { return choose(by: 1) }
    guard let number = character.wholeNumberValue, options.indices.contains(number - 1) else {
      return
    }
    texts[current] = options[number - 1]
  }

  private mutating func choose(by step: Int) {
    guard let options, !options.isEmpty else { return }
    let chosen = options.firstIndex(of: texts[current]).map { $0 + step } ?? (step > 0 ? 0 : -1)
    texts[current] = options[(chosen + options.count) % options.count]
  }

  /// Goes to the next value, or ends with all of them.
  private mutating func confirm() -> PromptOutcome<[String: String]> {
    if current < fields.count - 1 {
      current += 1
      return .editing
    }
    if let open = fields.indices.first(where: { fields[$0].required && texts[$0].isEmpty }) {
      current = open
      problem = "\(fields[open].name) is required"
      return .editing
    }
    // What was not changed keeps its default, which may be empty.
    let given = fields.indices.filter {
      texts[$0] != fields[$0].default ?? "" || fields[$0].required
    }
    return .done(Dictionary(uniqueKeysWithValues: given.map { (fields[$0].name, texts[$0]) }))
  }

  /// Goes back to a value that is not possible.
  mutating func reject(_ name: String, because problem: TerminalSafe) {
    current = fields.firstIndex { $0.name == name } ?? current
    self.problem = problem
  }

  /// What has been given, in one line for each value.
  var answers: [TerminalSafe] {
    zip(fields, texts).map { "\($0.name): \($1)" }
  }

  func rows(_ size: WindowSize, _ style: Style) -> [TerminalSafe] { rows(style) }

  /// Returns the rows of the form, the current value marked.
  func rows(_ style: Style) -> [TerminalSafe] {
    let width = fields.map { TerminalSafe($0.name).width }.max() ?? 0
    let rows = fields.indices.map { index -> TerminalSafe in
      let mark: TerminalSafe =
        index == current ? (style.hasUnicode ? "❯ " : "> ") : "  "
      return mark + TerminalSafe(fields[index].name).padded(to: width) + "  " + value(index, style)
    }
    let dot: TerminalSafe = style.hasUnicode ? " · " : ", "
    let choosing: TerminalSafe = style.hasUnicode ? "← → or a number choose" : "a number chooses"
    let last = current == fields.count - 1
    let keys = [
      last ? "Enter \(purpose)" : "Enter next", options == nil ? nil : choosing, "Esc close",
    ]
    .compactMap { $0 as TerminalSafe? }
    return question.lines + rows + [problem ?? keys.joined(separator: dot)]
  }

  private func value(_ index: Int, _ style: Style) -> TerminalSafe {
    let (field, text) = (fields[index], texts[index])
    let about: TerminalSafe = field.description.map { "  (\($0))" } ?? ""
    if let options = Self.options(of: field) {
      return options.enumerated().map { number, option -> TerminalSafe in
        option == text ? "[\(number + 1) \(option)]" : " \(number + 1) \(option) "
      }.joined(separator: " ") + about
    }
    let cursor: TerminalSafe = index == current ? (style.hasUnicode ? "▏" : "_") : ""
    let needed: TerminalSafe = field.required && text.isEmpty ? "  (required)" : ""
    return TerminalSafe(text) + cursor + needed + about
  }
}
