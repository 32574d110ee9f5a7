// Reads `params` and `secrets`.

import YAML

extension WorkflowReader {
  /// Reads `params`.
  mutating func readParameters(_ node: Node, _ context: Context) -> [Parameter] {
    let declarations = readers[context.file].named(node, "params", .identifier)
    return declarations.compactMap { name, _, value in
      switch value.content {
      case .scalar: readers[context.file].scalarParameter(name, value)
      case .sequence:
        readers[context.file].structure(value).map {
          Parameter(name: name, kind: .list, defaultValue: $0)
        }
      case .mapping: readParameter(name, value, context)
      }
    }
  }

  private mutating func readParameter(
    _ name: String, _ node: Node, _ context: Context
  ) -> Parameter? {
    let file = context.file
    guard let fields = readers[file].fields(of: node, Tables.parameter.keys) else { return nil }
    let keys = Tables.parameter.read(fields, &self, context)
    guard let kind = kind(of: name, keys, fields, file) else { return nil }
    var parameter = Parameter(name: name, kind: kind, description: keys.description)
    parameter.limits = limits(of: name, kind, keys, fields, file)
    if let node = keys.written, let written = readers[file].defaultText(node, kind) {
      if keys.isRequired == true {
        readers[file].report(.requiredWithDefault, at: fields.key("default") ?? node)
      }
      do throws(ParameterError) {
        parameter.defaultValue = try parameter.value(of: written)
      } catch {
        readers[file].report(error.cause, at: node)
      }
    } else if keys.isRequired == false {
      if kind == .string {
        parameter.defaultValue = .text("")
      } else {
        readers[file].report(.optionalWithoutDefault(name), at: fields.key("required") ?? node)
      }
    }
    return parameter
  }

  private mutating func kind(
    of name: String, _ keys: Tables.ParameterKeys, _ fields: Fields, _ file: Int
  ) -> Parameter.Kind? {
    if fields["type"] != nil, keys.type == nil { return nil }
    let type = keys.type ?? (fields["options"] == nil ? "string" : "choice")
    guard type == "choice" else {
      if let key = fields.key("options") { readers[file].report(.optionsWithoutChoice, at: key) }
      let kinds: [Parameter.Kind] = [.string, .number, .boolean, .integer, .list, .map]
      return kinds.first { $0.name == type } ?? .string
    }
    guard let node = fields["options"] else {
      guard fields.lacks("options") else { return nil }
      readers[file].report(.missingOptions(of: name), at: fields.node)
      return nil
    }
    guard let options = keys.options else { return nil }
    guard !options.isEmpty else {
      readers[file].report(.emptyList(of: "option", .unsearched), at: node)
      return nil
    }
    return .choice(options)
  }

  private mutating func limits(
    of name: String, _ kind: Parameter.Kind, _ keys: Tables.ParameterKeys, _ fields: Fields,
    _ file: Int
  ) -> Parameter.Limits {
    for key in ["min", "max", "pattern"] {
      guard let place = fields.key(key) else { continue }
      let isValid =
        switch kind {
        case .string: true
        case .number, .integer, .list, .map: key != "pattern"
        case .boolean, .choice: false
        }
      if !isValid { readers[file].report(.limit(key, ofType: kind.name), at: place) }
    }
    if let minimum = keys.minimum, let maximum = keys.maximum, minimum > maximum {
      readers[file].report(.emptyLimits(name), at: fields.key("max") ?? fields.node)
      return Parameter.Limits()
    }
    var limits = Parameter.Limits()
    (limits.minimum, limits.maximum, limits.pattern) = (keys.minimum, keys.maximum, keys.pattern)
    return limits
  }

  /// Reads `secrets`.
  mutating func readSecrets(_ node: Node, _ context: Context) -> [String: SecretSource] {
    let file = context.file
    var secrets: [String: SecretSource] = [:]
    for (name, key, value) in readers[file].named(node, "secrets", .identifier) {
      guard case .mapping = value.content else {
        readers[file].report(.secretValue(name), at: value)
        continue
      }
      let table = Tables.secret
      guard let fields = readers[file].fields(of: value, table.keys) else { continue }
      let keys = table.read(fields, &self, context)
      let given = table.keys.oneOf.filter { fields[$0] != nil }
      if given.count == 1 {
        if given == ["command"], let key = fields.key("required") {
          readers[file].report(.requiredOfCommand, at: key)
        }
        secrets[name] = keys.source
      } else if !given.isEmpty || table.keys.oneOf.allSatisfy(fields.lacks) {
        readers[file].report(.secretSource(name), at: given.isEmpty ? value : key)
      }
    }
    return secrets
  }
}
