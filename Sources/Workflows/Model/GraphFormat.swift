// Draws the dependency graph of a workflow as text, for users and for other tools.

/// The output format of a dependency graph.
public enum GraphFormat: String, Sendable, CaseIterable {
  /// Levels of steps, for a terminal.
  case text
  /// A flowchart for Mermaid.
  case mermaid
  /// A digraph for Graphviz.
  case dot
  /// A JSON object with the steps and their needs.
  case json
}

extension Workflow {
  /// Draws the dependency graph.
  ///
  /// Linear in steps and needs.
  ///
  /// - Parameter format: The output format.
  /// - Returns: The drawing, without a line feed at the end.
  public func rendered(as format: GraphFormat) -> String {
    switch format {
    case .text: textRendering
    case .mermaid: (["flowchart TD"] + mermaidLines).joined(separator: "\n")
    case .dot: (["digraph \(quoted(name)) {"] + dotLines + ["}"]).joined(separator: "\n")
    case .json: jsonRendering
    }
  }

  /// The steps by level, each with its needs; steps of one level can run in parallel.
  private var textRendering: String {
    var levels: [Int] = Array(repeating: 0, count: steps.count)
    for index in graph.topologicalOrder {
      levels[index.position] = graph.needs(of: index).map { levels[$0.position] + 1 }.max() ?? 0
    }
    var lines = ["\(printable(name)): \(steps.count) \(steps.count == 1 ? "step" : "steps")"]
    let width = steps.map(\.shownWithID.count).max() ?? 0
    var lastLevel = -1
    let main = graph.indices.dropLast(finallyCount)
    for index in main.sorted(by: { (levels[$0.position], $0) < (levels[$1.position], $1) }) {
      let step = steps[index.position]
      let level = levels[index.position]
      let number = level == lastLevel ? "    " : String("\(level + 1).   ".prefix(4))
      lastLevel = level
      let padding = String(repeating: " ", count: width - step.shownWithID.count)
      let needs =
        step.needs.isEmpty ? "" : padding + "  after " + step.shownNeeds.joined(separator: ", ")
      let mark = step.action.isService ? (needs.isEmpty ? padding : "") + "  (service)" : ""
      lines.append("  \(number)\(step.shownWithID)\(needs)\(mark)")
    }
    if finallyCount > 0 { lines.append("  finally") }
    for index in graph.indices.suffix(finallyCount) {
      lines.append("      \(steps[index.position].shownWithID)")
    }
    return lines.joined(separator: "\n")
  }

  private var mermaidLines: [String] {
    // Use s0, s1, … as ids, because words such as `end` are reserved in Mermaid.
    graph.indices.map { index in
      let step = steps[index.position]
      let label = step.shownName + (step.isFan ? "[*]" : "")
      let (left, right) = step.action.isService ? ("([", "])") : ("[", "]")
      return "  s\(index.position)\(left)\(quoted(label))\(right)"
    }
      + graph.indices.flatMap { index in
        graph.needs(of: index).map { "  s\($0.position) --> s\(index.position)" }
      }
  }

  private var dotLines: [String] {
    graph.indices.map { index in
      let step = steps[index.position]
      let attributes = [
        step.extrasIfAny?.name.map { "label=\(quoted($0))" },
        step.action.isService ? "shape=cylinder" : nil,
      ].compactMap(\.self)
      let list = attributes.isEmpty ? "" : " [\(attributes.joined(separator: ", "))]"
      return "  \(quoted(graph.id(of: index)))\(list);"
    }
      + graph.indices.flatMap { index in
        graph.needs(of: index).map {
          "  \(quoted(graph.id(of: $0))) -> \(quoted(graph.id(of: index)));"
        }
      }
  }

  private var jsonRendering: String {
    let rows = steps.map { step in
      "    {\"id\": \(quoted(step.id)), "
        + (step.extrasIfAny?.name.map { "\"name\": \(quoted($0)), " } ?? "") + "\"needs\": ["
        + step.needs.map(quoted).joined(separator: ", ") + "]"
        + (step.isFan ? ", \"expanded\": true" : "")
        + (step.action.isService ? ", \"service\": true" : "")
        + (step.extrasIfAny?.finally == nil ? "}" : ", \"finally\": true}")
    }
    return "{\n  \"workflow\": \(quoted(name)),\n  \"steps\": [\n" + rows.joined(separator: ",\n")
      + "\n  ]\n}"
  }

  /// Quotes text so that both JSON and Graphviz can read it.
  private func quoted(_ text: String) -> String { Value.quoted(text) }
}

extension Workflow.Step {
  /// The text by which displays refer to the step: its name, or else its id.
  package var shownName: String { extrasIfAny?.name ?? id }

  /// The name followed by the id, for displays whose readers need the id; or the id alone.
  ///
  /// The id ends with `[*]` if a run expands the step.
  package var shownWithID: String {
    let id = action.kind.isExpanded ? id + "[*]" : id
    return extrasIfAny?.name.map { "\(printable($0)) (\(id))" } ?? id
  }
}
