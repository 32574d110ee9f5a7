// What is known of a job before expressions are translated: its steps and the types of its matrix.

import YAML

extension GitHubJob {
  /// Decides what each step becomes, and gives it an id.
  func plan(in file: GitHubFile) {
    readMatrix()
    if let uses = node["uses"]?.text {
      let id = file.stepNames.id(for: self.id, otherwise: "job")
      steps = [GitHubStep(node, id: id, work: .missing("uses: \(uses)"))]
      return
    }
    let prefix = file.jobs.count > 1 ? "\(id)-" : ""
    for step in node["steps"]?.elements ?? [] {
      let work = ActionEquivalent(step)
      var id: String?
      switch work {
      case .nothing, .note: break
      case .script, .missing:
        let name = step["id"]?.text ?? step["name"]?.text ?? Self.command(of: step)
        id = file.stepNames.id(for: prefix + name.withoutExpressions, otherwise: "step")
      }
      steps.append(GitHubStep(step, id: id, work: work))
    }
    if let matrix = node["strategy"]?["matrix"], matrix.isMap, passesValues {
      items = MatrixItems(matrix)
    }
  }

  /// Returns the first words of the script of a step, or the name of its action.
  private static func command(of step: Node) -> String {
    if let run = step["run"]?.text {
      let line = run.split(whereSeparator: \.isNewline).first ?? "run"
      return line.split(separator: " ").prefix(3).joined(separator: " ")
    }
    let uses = step["uses"]?.text ?? "step"
    return String(uses.prefix { $0 != "@" }.split(separator: "/").last ?? "step")
  }

  private func readMatrix() {
    guard let matrix = node["strategy"]?["matrix"], matrix.isMap else { return }
    let lists = matrix.pairs.filter { !["include", "exclude"].contains($0.key.text) }
    let included = matrix["include"]?.elements ?? []
    var values: [String: [Node]] = [:]
    for pair in lists { values[pair.key.text ?? "", default: []] += pair.value.elements }
    for pair in included.flatMap(\.pairs) {
      values[pair.key.text ?? "", default: []].append(pair.value)
    }
    for (name, nodes) in values {
      let kinds = nodes.map(\.translatedKind)
      let isListed = lists.contains { $0.key.text == name && $0.value.isList }
      // A value of some combinations only can be null in the others.
      let isEverywhere = isListed || lists.isEmpty && nodes.count == included.count
      let first = kinds.first ?? .unknown
      matrixKinds[name] =
        isEverywhere && !kinds.contains { $0 != first } ? first : .unknown
    }
  }
}

extension Node {
  /// The type of the value of a matrix.
  fileprivate var translatedKind: Translated.Kind {
    switch content {
    case .scalar(let text, _):
      text.contains("${{") || isNull
        ? .unknown : boolean != nil ? .boolean : isNumber ? .number : .text
    case .sequence, .mapping: .unknown
    }
  }
}

extension String {
  /// The text without the expressions of GitHub Actions.
  var withoutExpressions: String {
    var result = ""
    var rest = self[...]
    while let start = rest.firstRange(of: "${{") {
      result += rest[..<start.lowerBound]
      guard let end = rest[start.upperBound...].firstRange(of: "}}") else { return result }
      rest = rest[end.upperBound...]
    }
    return result + rest
  }
}
