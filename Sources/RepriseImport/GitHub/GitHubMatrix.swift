// What the file tells about the values of a matrix, and of other expressions.

import YAML

extension GitHubJob {
  /// Returns the values in the file that a name of the matrix has.
  func matrixValues(_ name: String) -> [SourceNode] {
    guard let matrix = node["strategy"]?["matrix"], matrix.isMap else { return [] }
    let included = matrix["include"]?.elements ?? []
    let listed = ["include", "exclude"].contains(name) ? nil : matrix[name]?.elements
    return (listed ?? []) + included.compactMap { $0[name] }
  }

  /// Whether all of its machines have Windows.
  var isForWindows: Bool {
    (node["runs-on"]?.texts ?? []).contains { label in
      if label.withoutExpressions.lowercased().contains("windows") { return true }
      guard let match = label.firstMatch(of: /\$\{\{ *matrix\.([A-Za-z0-9_-]+) *\}\}/) else {
        return false
      }
      let name = String(match.1)
      let matrix = node["strategy"]?["matrix"]
      // A combination without the value has another machine.
      let isEverywhere =
        matrix?[name]?.isList == true
        || matrix?.pairs.count == 1
          && matrix?["include"]?.elements.allSatisfy { $0[name] != nil } == true
      let values = matrixValues(name)
      return isEverywhere && !values.isEmpty
        && values.allSatisfy { $0.text?.lowercased().contains("windows") == true }
    }
  }

  /// Whether some of the combinations of its matrix have Windows.
  var isPartlyForWindows: Bool {
    guard let strategy = node["strategy"], !isForWindows else { return false }
    return ["windows", "Windows", "WINDOWS"].contains { strategy.mentions($0) }
  }
}

extension GitHubNames {
  /// Returns a property of a value of the matrix; there, one of a text or a number is null.
  ///
  /// - Parameters:
  ///   - base: The value.
  ///   - name: Its name.
  ///   - accesses: The path of the property.
  ///   - translator: The translator of indexes in the path.
  /// - Returns: The property.
  /// - Throws: ``Untranslatable`` if an index has no equivalent.
  func property(
    of base: Translated, _ name: String, _ accesses: ArraySlice<GitHubExpression.Access>,
    _ translator: ExpressionTranslator
  ) throws(Untranslatable) -> Translated {
    var value = base
    var known: [SourceNode?] = job?.matrixValues(name) ?? []
    for access in accesses {
      if case .name(let key) = access, !known.isEmpty {
        let maps = known.compactMap { $0?.isMap == true ? $0 : nil }
        let areComputed = known.contains { $0?.text?.contains("${{") == true }
        if maps.isEmpty, !areComputed { return Translated(text: "null", kind: .null) }
        if maps.count < known.count {
          let json = "toJSON(\(value.text))"
          value = Translated(
            text: "fromJSON(startsWith(\(json), '{') && \(json) || '{}')", kind: .unknown)
        }
        known = areComputed ? [] : maps.map { $0[key] }
      } else {
        known = []
      }
      value = try translator.member(of: value, [access])
    }
    return value
  }

  /// Returns the texts in the file that an expression can have as its value, or as a part of it.
  func texts(of expression: GitHubExpression) -> [String] {
    switch expression {
    case .text(let text): return [text]
    case .call(_, let arguments, _): return arguments.flatMap(texts)
    case .binary("&&", let left, let right), .binary("||", let left, let right):
      return texts(of: left) + texts(of: right)
    case .path(let root, let accesses):
      let path = accesses.compactMap { if case .name(let name) = $0 { name } else { nil } }
      guard let name = path.first else { return [] }
      return texts(root.lowercased(), name, path.dropFirst())
    case .null, .boolean, .number, .not, .binary: return []
    }
  }

  private func texts(_ root: String, _ name: String, _ path: ArraySlice<String>) -> [String] {
    switch root {
    case "matrix":
      let values = (job?.matrixValues(name) ?? []).compactMap { node in
        path.reduce(Optional(node)) { $0?[$1] }
      }
      return values.compactMap(\.text)
    case "env":
      guard let variable = variables[name] else {
        return [file.root["env"]?[name]?.text].compactMap(\.self)
      }
      var outer = without(name, variable.node)
      outer.scope = variable.scope
      return outer.texts(in: variable.node.text ?? "")
    case "inputs":
      guard let scope else {
        let inputs = file.root["on"]?["workflow_dispatch"]?["inputs"]
        return [inputs?.member(name)?["default"]?.text].compactMap(\.self)
      }
      return outside(of: scope).texts(in: scope.input(name)?.text ?? "")
    default: return []
    }
  }

  /// Returns the texts that a text with expressions can have as its parts.
  private func texts(in text: String) -> [String] {
    guard text.contains("${{"), let parts = try? GitHubTemplate(text).parts else { return [text] }
    return parts.flatMap { part in
      switch part {
      case .text(let text): [text]
      case .expression(let expression): texts(of: expression)
      }
    }
  }
}

extension ShellQuotes {
  /// Whether a shell reads a text at this place in another way than the value of a variable.
  func reads(_ text: String) -> Bool {
    switch place {
    case .outside:
      text.trimmed.contains { "\"'`$\\;&|<>(){}#~".contains($0) || $0.isNewline }
        || text.prefixMatch(of: /[A-Za-z_][A-Za-z0-9_]*=/) != nil
    case .double: text.contains { "\"`$\\".contains($0) }
    case .document: text.contains { "`$\\".contains($0) }
    case .single: text.contains("'")
    }
  }
}
