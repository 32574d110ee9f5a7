// Lays the outline of a plan out as rows with guides. Pure; knows no states.

import Reprise

/// One row of the tree: a step and what stands before it.
struct TreeRow: Sendable, Equatable {
  /// The step, by its position.
  let step: Int
  /// The guides before the step, all of the same width for rows of one depth.
  let guide: String
  /// What the row is called; the id of its step when nil.
  var name: String?
  /// The steps of a group, in a row that stands for all of them.
  var members: [Int] = []
}

/// Lays out an outline in file order.
///
/// - Parameters:
///   - outline: The shape of the workflow.
///   - style: How guides look.
/// - Returns: One row per step and group. Linear in their number.
func treeRows(_ outline: Outline, _ style: Style) -> [TreeRow] {
  var rows: [TreeRow] = []
  append(outline, first: "", others: "", style, to: &rows)
  return rows
}

/// Recurses as deep as the file is nested, which is limited.
private func append(
  _ outline: Outline, first: String, others: String, _ style: Style, to rows: inout [TreeRow]
) {
  switch outline {
  case .step(let index):
    rows.append(TreeRow(step: index.position, guide: first))
  case .sequence(let items) where items.count > 1 && !others.isEmpty:
    appendBracketed(items, first: first, others: others, style, to: &rows)
  case .sequence(let items):
    for (number, item) in items.enumerated() {
      append(item, first: number == 0 ? first : others, others: others, style, to: &rows)
    }
  case .group(let name, let inner):
    rows.append(TreeRow(step: -1, guide: first, name: name, members: positions(in: inner)))
    switch inner {
    case .parallel:
      append(inner, first: others, others: others, style, to: &rows)
    case .sequence(let items) where items.count > 1:
      appendBracketed(items, first: others, others: others, style, to: &rows)
    case .step, .sequence, .group:
      let guides = style.guides(isLast: true)
      append(inner, first: others + guides.first, others: others + guides.others, style, to: &rows)
    }
  case .parallel(let branches):
    for (number, branch) in branches.enumerated() {
      let guides = style.guides(isLast: number == branches.count - 1)
      append(
        branch, first: (number == 0 ? first : others) + guides.first,
        others: others + guides.others, style, to: &rows)
    }
  }
}

/// A list of steps below something else, held together by a bracket: without it, only the first step would
/// look as if it belonged there.
private func appendBracketed(
  _ items: [Outline], first: String, others: String, _ style: Style, to rows: inout [TreeRow]
) {
  for (number, item) in items.enumerated() {
    let guides = style.bracket(isFirst: number == 0, isLast: number == items.count - 1)
    append(
      item, first: (number == 0 ? first : others) + guides.first, others: others + guides.others,
      style, to: &rows)
  }
}

/// The steps of an outline, in file order.
private func positions(in outline: Outline) -> [Int] {
  switch outline {
  case .step(let index): [index.position]
  case .sequence(let items), .parallel(let items): items.flatMap(positions)
  case .group(_, let inner): positions(in: inner)
  }
}
