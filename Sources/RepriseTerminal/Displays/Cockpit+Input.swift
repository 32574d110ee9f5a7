// What is typed in a display: the name of a step to find, and the values of an approval. Pure.

import Reprise

extension Cockpit {
  // MARK: Finding steps

  /// Takes a key while the name of a step is being typed; the first match is chosen at once.
  mutating func type(_ key: Key, _ context: Context) {
    guard let search else { return }
    let before = search.before
    var text = search.text
    switch key {
    case .character(let character): text.append(character)
    case .backspace: text = String(text.dropLast())
    case .escape:
      (self.search, chosen) = (nil, before)
      return
    case .enter:
      (self.search, pattern) = (nil, text)
      return
    default: return
    }
    self.search = (text, before)
    guard !text.isEmpty else {
      chosen = before
      return
    }
    if let row = context.rows.first(where: { matches($0, text, context) }) {
      chosen = context.name(of: row)
    } else {
      notice = "/\(text)  no step has this in its name"
    }
  }

  /// What is shown while the name of a step is being typed.
  var searchText: TerminalSafe? { search.map { "/\($0.text)" } }

  /// Chooses the next step that is found, or the one before; goes on at the other end.
  mutating func find(_ step: Int, _ context: Context) {
    guard !pattern.isEmpty else {
      notice = "type / and a part of a name"
      return
    }
    let found = context.rows.indices.filter { matches(context.rows[$0], pattern, context) }
    guard let first = found.first, let last = found.last else {
      notice = "no step has \"\(pattern)\" in its name"
      return
    }
    let current = context.rows.firstIndex { context.name(of: $0) == chosen } ?? -1
    let next =
      step > 0
      ? found.first { $0 > current } ?? first : found.last { $0 < current } ?? last
    chosen = context.name(of: context.rows[next])
    notice = "\((found.firstIndex(of: next) ?? 0) + 1) of \(found.count)"
  }

  /// Whether a row has a text in its name or id; a text in small letters also finds capitals.
  private func matches(_ row: TreeRow, _ text: String, _ context: Context) -> Bool {
    let id = context.name(of: row)
    let names = [id, row.name == nil ? context.run.title(of: id) : id]
    let ignoresCase = text == text.lowercased()
    return names.contains { ($0.isEmpty ? "" : ignoresCase ? $0.lowercased() : $0).contains(text) }
  }

  // MARK: Values of approvals

  /// Takes a key while the values of an approval are being given.
  mutating func fill(_ key: Key) -> Effect? {
    guard let outcome = form?.values.press(key), let step = form?.step else { return nil }
    switch outcome {
    case .editing: return nil
    case .closed: notice = "nothing was done"
    case .done(let values):
      let words = values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" as TerminalSafe }
      let with: TerminalSafe = words.isEmpty ? "" : " with \(words.joined(separator: ", "))"
      ask(
        "approve \(step)\(with)?",
        .request(.approve(step: step, isApproved: true, values: values), key: "a"))
    }
    form = nil
    return nil
  }
}
