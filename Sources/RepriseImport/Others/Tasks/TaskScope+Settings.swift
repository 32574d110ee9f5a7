// The settings of a task of a Taskfile, its loops, and whether it runs on this machine.

import YAML

extension TaskScope {
  private static let roundsMax = 1000

  /// The folder of the commands; nil for that of the file.
  func folder() throws(Untranslatable) -> String? {
    let given = try own["dir"].map { node throws(Untranslatable) in
      MakePattern.relative(try text(node.text ?? "", known: true))
    }
    if let given, given.first == "/" { return given }
    let parts = [task.folder, given].compactMap(\.self).filter { !$0.isEmpty && $0 != "." }
    return parts.isEmpty ? nil : parts.joined(separator: "/")
  }

  /// The environment of the workflow; that of the process takes precedence.
  func environment() throws(Untranslatable) -> [Draft.Item] {
    var items: [Draft.Item] = []
    let ownPairs = own["env"]?.pairs.map { ($0.key.text ?? "", $0.value) } ?? []
    for (name, node) in context.environment + ownPairs where StepNames.identifier(name) == name {
      items.removeAll { $0.key == name }
      guard !node.isNull else { continue }
      let text = try value(of: node, name: name).printed
      if let known = text.known, !known.contains(MakeVariables.here) {
        let literal = "'\(known.replacing("'", with: "''"))'"
        items.append(Draft.Item(name, .text("${{ env.\(name) || \(literal) }}")))
      } else {
        throw Untranslatable("the variable \(name) of the environment is computed")
      }
    }
    return items
  }

  func dotenv() throws(Untranslatable) -> [String] {
    var files: [String] = []
    let ownNames = own["env"]?.pairs.compactMap(\.key.text) ?? []
    let names = Set(ownNames + context.environment.map(\.name))
    for node in [own["dotenv"], context.root["dotenv"]].compactMap(\.self) {
      for file in node.texts {
        let path = MakePattern.relative(try text(file, known: true))
        files.append(path)
        try checkDotenv(path, node.mark.line, names)
      }
    }
    // There, the first file that sets a variable counts, here the last one.
    return files.reversed()
  }

  /// Checks that a file of variables means the same here.
  private func checkDotenv(
    _ path: String, _ line: Int, _ environment: Set<String>
  ) throws(Untranslatable) {
    guard let bytes = context.folder.read(path), let text = String(validating: bytes, as: UTF8.self)
    else {
      note(line, "\(path): its values are texts, without other variables in them")
      if !environment.isEmpty { note(line, "\(path): it takes precedence over env") }
      return
    }
    for entry in text.split(whereSeparator: \.isNewline) where !entry.trimmed.hasPrefix("#") {
      guard !entry.contains("$") || entry.contains("='") else {
        throw Untranslatable("a variable in a value of \(path)")
      }
      let name = entry.prefix { $0 != "=" }.trimmed.words.last ?? ""
      guard !environment.contains(name) else {
        throw Untranslatable("\(name) is in env and in \(path)")
      }
    }
  }

  var shellOptions: [String] {
    let names = (context.root["set"]?.texts ?? []) + (own["set"]?.texts ?? [])
    let options = names.filter { $0 != "errexit" && $0 != "e" }.flatMap { ["-o", $0] }
    let more = (context.root["shopt"]?.texts ?? []) + (own["shopt"]?.texts ?? [])
    return more.flatMap { ["-O", $0] } + options
  }

  func patterns(_ node: SourceNode?) throws(Untranslatable) -> [String] {
    var patterns: [String] = []
    for element in node?.oneOrMore ?? [] {
      guard let pattern = element.text ?? element["exclude"]?.text else { continue }
      let path = MakePattern.relative(try text(pattern, known: true))
      patterns.append(element.isMap ? "!" + path : path)
    }
    return patterns
  }

  // MARK: Systems and loops

  /// Whether the task runs on this machine.
  var isHere: Bool { own["platforms"].map { isHere($0.texts) } ?? true }

  func isHere(_ platforms: [String]) -> Bool {
    let own = machine
    return platforms.contains { platform in
      platform == own.system || platform == own.architecture
        || platform == "\(own.system)/\(own.architecture)"
    }
  }

  /// The words of a loop that only a shell knows; nil for another one.
  func shellLoop(_ node: SourceNode?) throws(Untranslatable) -> (name: String, words: String)? {
    guard let node, let variable = node["var"]?.text else { return nil }
    let name = node["as"]?.text ?? "ITEM"
    guard case .text(let text) = try value(variable, mustBeKnown: false, isOptional: false),
      text.known == nil, node["split"] == nil
    else { return nil }
    return (name, try text.script())
  }

  /// Returns the variables of each round of a loop; one without any if there is no loop.
  func loop(_ node: SourceNode?) throws(Untranslatable) -> [[String: TaskValue]] {
    guard let node else { return [[:]] }
    if node.isList {
      var rounds: [[String: TaskValue]] = []
      for element in node.elements { rounds.append(["ITEM": try value(of: element)]) }
      return rounds
    }
    let name = node["as"]?.text ?? "ITEM"
    if let matrix = node["matrix"] {
      var rounds: [[String: TaskValue]] = [[:]]
      for pair in matrix.pairs {
        let key = pair.key.text ?? ""
        guard rounds.count * pair.value.elements.count <= Self.roundsMax else {
          throw Untranslatable("a loop with more than \(Self.roundsMax) rounds")
        }
        rounds = rounds.flatMap { round in
          pair.value.elements.map { element in
            var round = round
            round[key] = TaskValue(element)
            return round
          }
        }
      }
      return rounds.map { [name: .map($0)] }
    }
    guard let variable = node["var"]?.text else {
      throw Untranslatable("a loop of this kind: \(node.text ?? "for")")
    }
    switch try value(variable, mustBeKnown: true, isOptional: false) {
    case .list(let values): return values.map { [name: $0] }
    case .map(let values):
      return values.sorted { $0.key < $1.key }.map { [name: $1, "KEY": TaskValue($0)] }
    case let other:
      let text = try other.known("a loop")
      let words =
        node["split"]?.text.map {
          text.split(separator: $0, omittingEmptySubsequences: false).map(String.init)
        } ?? text.words
      return words.map { [name: TaskValue($0)] }
    }
  }
}
