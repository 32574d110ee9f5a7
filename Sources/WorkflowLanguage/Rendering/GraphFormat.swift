// Draws the graph of a workflow as text, for people and for other tools. Pure.

/// How a graph can be drawn.
public enum GraphFormat: String, Sendable, CaseIterable {
  /// Levels of steps, for people.
  case text
  /// A flowchart for Mermaid.
  case mermaid
  /// A digraph for Graphviz.
  case dot
  /// Steps with their needs, for programs.
  case json
}

extension Workflow {
  /// Draws the steps and what they need.
  ///
  /// - Parameter format: How.
  /// - Returns: The drawing, without a line feed at the end. Linear in steps and needs.
  public func rendered(as format: GraphFormat) -> String {
    switch format {
    case .text: textRendering
    case .mermaid: (["flowchart TD"] + mermaidLines).joined(separator: "\n")
    case .dot: (["digraph \(quoted(name)) {"] + dotLines + ["}"]).joined(separator: "\n")
    case .json: jsonRendering
    }
  }

  /// Steps of one level can run side by side; each is followed by what it needs.
  private var textRendering: String {
    var levels: [Int] = Array(repeating: 0, count: steps.count)
    for index in graph.topologicalOrder {
      levels[index.position] = graph.needs(of: index).map { levels[$0.position] + 1 }.max() ?? 0
    }
    var lines = ["\(printable(name)): \(steps.count) \(steps.count == 1 ? "step" : "steps")"]
    let width = steps.map(\.id.count).max() ?? 0
    var lastLevel = -1
    let main = graph.indices.dropLast(finallyCount)
    for index in main.sorted(by: { (levels[$0.position], $0) < (levels[$1.position], $1) }) {
      let step = steps[index.position]
      let level = levels[index.position]
      let number = level == lastLevel ? "    " : String("\(level + 1).   ".prefix(4))
      lastLevel = level
      let padding = String(repeating: " ", count: width - step.id.count)
      let needs =
        step.needs.isEmpty ? "" : padding + "  after " + step.needs.joined(separator: ", ")
      lines.append("  \(number)\(step.id)\(needs)")
    }
    if finallyCount > 0 { lines.append("  finally") }
    for index in graph.indices.suffix(finallyCount) {
      lines.append("      \(graph.id(of: index))")
    }
    return lines.joined(separator: "\n")
  }

  private var mermaidLines: [String] {
    // Ids become s0, s1, …: words such as `end` mean something to Mermaid.
    graph.indices.map { "  s\($0.position)[\(quoted(graph.id(of: $0)))]" }
      + graph.indices.flatMap { index in
        graph.needs(of: index).map { "  s\($0.position) --> s\(index.position)" }
      }
  }

  private var dotLines: [String] {
    graph.indices.map { "  \(quoted(graph.id(of: $0)));" }
      + graph.indices.flatMap { index in
        graph.needs(of: index).map {
          "  \(quoted(graph.id(of: $0))) -> \(quoted(graph.id(of: index)));"
        }
      }
  }

  private var jsonRendering: String {
    let rows = steps.map { step in
      "    {\"id\": \(quoted(step.id)), \"needs\": ["
        + step.needs.map(quoted).joined(separator: ", ") + "]"
        + (step.extrasIfAny?.finally == nil ? "}" : ", \"finally\": true}")
    }
    return "{\n  \"workflow\": \(quoted(name)),\n  \"steps\": [\n" + rows.joined(separator: ",\n")
      + "\n  ]\n}"
  }

  /// A text in double quotes, as JSON and Graphviz both read it.
  private func quoted(_ text: String) -> String { Value.quoted(text) }
}
