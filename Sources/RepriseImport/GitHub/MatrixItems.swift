// The combinations of a matrix as items of a `foreach`, whose steps know their position.

import YAML

/// The combinations of a matrix, written out.
///
/// A step with a matrix has lists of outputs, and only a step with `foreach` knows its position in
/// them. So a job whose steps read the outputs of one another becomes a `foreach`.
struct MatrixItems {
  /// The maximum number of combinations, so that the workflow stays readable.
  private static let countMax = 64

  private var rows: [[Node.Pair]] = []

  /// Computes the combinations; nil if there are too many, or some depend on expressions.
  init?(_ matrix: Node) {
    let lists = matrix.pairs.filter { !["include", "exclude"].contains($0.key.text) }
    guard lists.allSatisfy({ $0.value.isList && !$0.value.elements.isEmpty }),
      !matrix.draft.lines().texts.contains(where: { $0.contains("${{") })
    else { return nil }
    rows = lists.isEmpty ? [] : [[]]
    for list in lists {
      rows = rows.flatMap { row in
        list.value.elements.map { row + [Node.Pair(key: list.key, value: $0)] }
      }
      guard rows.count <= Self.countMax else { return nil }
    }
    for exclusion in matrix["exclude"]?.elements ?? [] {
      rows.removeAll { row in
        exclusion.pairs.allSatisfy { pair in Self.matches(row, pair, isStrict: true) }
      }
    }
    let listed = rows
    for addition in matrix["include"]?.elements ?? [] where addition.isMap {
      let matching = listed.indices.filter { position in
        addition.pairs.allSatisfy { Self.matches(listed[position], $0, isStrict: false) }
      }
      for position in matching { rows[position] = Self.merged(rows[position], addition.pairs) }
      if matching.isEmpty { rows.append(addition.pairs) }
    }
    guard !rows.isEmpty, rows.count <= Self.countMax else { return nil }
  }

  /// Whether a combination has a value, or, unless strict, no value of that name.
  private static func matches(_ row: [Node.Pair], _ pair: Node.Pair, isStrict: Bool) -> Bool {
    guard let own = row.first(where: { $0.key.text == pair.key.text }) else { return !isStrict }
    return own.value.draft.lines().texts == pair.value.draft.lines().texts
      && own.value.text == pair.value.text
  }

  private static func merged(_ row: [Node.Pair], _ pairs: [Node.Pair]) -> [Node.Pair] {
    row.map { own in pairs.first { $0.key.text == own.key.text } ?? own }
      + pairs.filter { pair in !row.contains { $0.key.text == pair.key.text } }
  }

  /// The items, each with all names of the matrix.
  var draft: Draft {
    var names: [String] = []
    for pair in rows.joined() {
      if let name = pair.key.text, !names.contains(name) { names.append(name) }
    }
    return .list(
      rows.map { row in
        Draft.Item(
          "",
          .map(
            names.map { name in
              let value = row.first { $0.key.text == name }?.value.draft
              return Draft.Item(name, value ?? .word("null"))
            }))
      })
  }
}

extension GitHubJob {
  /// Whether the steps of the job read outputs of one another, or variables that they set.
  var passesValues: Bool {
    steps.contains { step in
      if !step.written.names.isEmpty || !step.written.folders.isEmpty { return true }
      return step.node.draft.lines().texts.contains { $0.contains("steps.") && $0.contains("${{") }
        || step.node["if"]?.text?.contains("steps.") == true
    }
  }
}
