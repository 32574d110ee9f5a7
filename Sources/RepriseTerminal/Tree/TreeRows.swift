// Lays out the outline of a plan as rows with guides. Pure, and independent of step states.

import Reprise

/// One row of the tree: a step or a group, and its guides.
struct TreeRow: Sendable, Equatable {
  /// The position of the step; of a row for the items of a step, of that one.
  let step: Int
  /// The guides to the left of the step; equally wide in all rows of one depth.
  let guide: String
  /// The name of the row; nil for the id of its step.
  var name: String?
  /// The positions of the members, if the row shows a group.
  var members: [Int] = []
}

/// Lays out an outline in file order.
///
/// - Parameters:
///   - outline: The outline of the workflow.
///   - style: The style of the guides.
/// - Returns: One row per step and group. Linear in their number.
func treeRows(_ outline: Outline, _ style: Style) -> [TreeRow] {
  var rows: [TreeRow] = []
  append(outline, first: "", others: "", style, to: &rows)
  return rows
}

/// Appends the rows of an outline; recurses to the nesting depth of the file, which is limited.
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
  case .group(let name, let inner) where name.hasSuffix("[*]"):
    appendItems(of: inner, first: first, others: others, style, to: &rows)
  case .group(let name, let inner):
    let members = positions(in: inner)
    // A row without members is that of a step.
    guard !members.isEmpty else { return }
    rows.append(TreeRow(step: -1, guide: first, name: name, members: members))
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

/// Appends a step whose items are computed: one row for it and all of them, and theirs.
private func appendItems(
  of outline: Outline, first: String, others: String, _ style: Style, to rows: inout [TreeRow]
) {
  guard case .sequence(let parts) = outline, case .step(let fan)? = parts.first, parts.count > 1
  else {
    // Its items are not known yet.
    return append(outline, first: first, others: others, style, to: &rows)
  }
  let items = Outline.sequence(Array(parts.dropFirst()))
  rows.append(TreeRow(step: fan.position, guide: first, members: positions(in: items)))
  append(items, first: others, others: others, style, to: &rows)
}

/// Appends a nested list of steps, held together by a bracket.
///
/// Without the bracket, only the first step would look nested.
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

/// Returns the positions of the steps of an outline, in file order.
private func positions(in outline: Outline) -> [Int] {
  switch outline {
  case .step(let index): [index.position]
  case .sequence(let items), .parallel(let items): items.flatMap(positions)
  case .group(_, let inner): positions(in: inner)
  }
}
