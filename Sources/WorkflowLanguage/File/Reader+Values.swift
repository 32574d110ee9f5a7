// Reads what gives a workflow its values: params, secrets, shells. Knows nothing of steps.

import YAML

extension Reader {
  /// How long the name of a workflow may be, in bytes: it is kept and shown with each of its runs.
  static let nameBytesMax = 256

  /// Reads the name of a workflow.
  mutating func name(_ node: Node) -> String? {
    guard let name = nonEmptyText(node, "name") else { return nil }
    guard name.utf8.count <= Self.nameBytesMax else {
      tell(
        "the name of a workflow has at most \(Self.nameBytesMax) bytes, not \(name.utf8.count)",
        at: node, hint: "say more in \"description\"")
      return nil
    }
    return name
  }

  /// Reads `params`.
  mutating func parameters(_ node: Node) -> [Parameter] {
    named(node, "params", .identifier).compactMap { name, _, value in parameter(name, value) }
  }

  private mutating func parameter(_ name: String, _ node: Node) -> Parameter? {
    if case .scalar = node.content {
      if node.isNull { return Parameter(name: name) }
      // A value alone is a default, and says of what type.
      guard text(node, "the default of \"\(name)\"") != nil else { return nil }
      let value = Value(node)
      let kind: Parameter.Kind =
        switch value {
        case .boolean: .boolean
        case .number(let number) where Value.number(number).asText == node.text: .number
        default: .string
        }
      return Parameter(
        name: name, kind: kind, defaultValue: kind == .string ? .text(node.text ?? "") : value)
    }
    guard let fields = fields(of: node, .parameter) else { return nil }
    guard let kind = parameterKind(name, fields) else { return nil }
    var parameter = Parameter(
      name: name, kind: kind,
      description: fields["description"].flatMap { text($0, "description") })
    let isRequired = fields["required"].flatMap { boolean($0, "required") }
    if let node = fields["default"], let written = text(node, "default") {
      if isRequired == true {
        tell(
          "a parameter that has to be given has no default", at: fields.key("default") ?? node,
          hint: "remove one of them")
      }
      do throws(ParameterError) {
        parameter.defaultValue = try parameter.value(of: written)
      } catch {
        tell(error.description, at: node)
      }
    } else if isRequired == false {
      if kind == .string {
        parameter.defaultValue = .text("")
      } else {
        tell(
          "the parameter \"\(name)\" need not be given and has no default",
          at: fields.key("required") ?? node, hint: "add a default")
      }
    }
    return parameter
  }

  private mutating func parameterKind(_ name: String, _ fields: Fields) -> Parameter.Kind? {
    let names = ["string", "number", "boolean", "choice"]
    let options = fields["options"].flatMap { texts($0, "an option") }
    let kind: String
    if let node = fields["type"] {
      guard let text = choice(node, "type", of: names) else { return nil }
      kind = text
    } else {
      kind = fields["options"] == nil ? "string" : "choice"
    }
    guard kind == "choice" else {
      if let key = fields.key("options") {
        tell("\"options\" belong to \"type: choice\"", at: key, hint: "change the type")
      }
      return kind == "number" ? .number : kind == "boolean" ? .boolean : .string
    }
    guard let node = fields["options"] else {
      guard fields.lacks("options") else { return nil }
      tell(
        "the choice \"\(name)\" needs \"options\"", at: fields.node,
        hint: "write them like: options: [staging, production]")
      return nil
    }
    guard let options else { return nil }
    guard !options.isEmpty else {
      tell("there is no option in this list", at: node)
      return nil
    }
    return .choice(options)
  }

  /// Reads `secrets`.
  mutating func secrets(_ node: Node) -> [String: SecretSource] {
    var secrets: [String: SecretSource] = [:]
    for (name, key, value) in named(node, "secrets", .identifier) {
      guard case .mapping = value.content else {
        tell(
          "the secret \"\(name)\" says where it comes from, never what it is", at: value,
          hint:
            "write it like: { env: \(name.uppercased()) }, { file: path } or { command: [pass, \(name)] }"
        )
        continue
      }
      guard let fields = fields(of: value, .secret) else { continue }
      let given = ["env", "file", "command"].filter { fields[$0] != nil }
      guard given.count == 1 else {
        guard !given.isEmpty || ["env", "file", "command"].allSatisfy(fields.lacks) else {
          continue
        }
        tell(
          "a secret comes from one of \"env\", \"file\" and \"command\"",
          at: given.isEmpty ? value : key,
          hint: "write it like: { env: \(name.uppercased()) }")
        continue
      }
      if let node = fields["env"] {
        secrets[name] = nonEmptyText(node, "env").map(SecretSource.environment)
      } else if let node = fields["file"] {
        secrets[name] = nonEmptyText(node, "file").map(SecretSource.file)
      } else if let node = fields["command"], let words = texts(node, "a word") {
        if words.first?.isEmpty != false {
          tell("command names no program", at: node, hint: "write it like: [pass, token]")
        } else {
          secrets[name] = .command(words)
        }
      }
    }
    return secrets
  }

  /// Reads `shell`.
  mutating func shell(_ node: Node) -> Shell? {
    if case .sequence = node.content {
      guard let words = texts(node, "a part of shell") else { return nil }
      guard let program = words.first, !program.isEmpty else {
        var place = node
        if case .sequence(let nodes) = node.content, let first = nodes.first { place = first }
        tell("shell names no program", at: place, hint: "write it like: [bash, -eu, -c]")
        return nil
      }
      return .arguments(words)
    }
    return nonEmptyText(node, "shell").map(Shell.named)
  }
}
