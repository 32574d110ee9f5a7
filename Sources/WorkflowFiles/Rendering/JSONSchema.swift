// The JSON Schema (draft 7) of workflow files for editors, generated from the key tables.
// The reader checks the rules that a schema cannot express, such as which names exist.

import WorkflowReading

extension Workflow {
  /// Returns the JSON Schema of workflow files, for editors.
  ///
  /// - Returns: Indented JSON.
  public static func jsonSchema() -> String {
    var schema = Tables.workflow.keys.schema
    schema["$schema"] = .text("http://json-schema.org/draft-07/schema#")
    schema["title"] = .text("Reprise workflow")
    schema["definitions"] = .map([
      "item": .map([
        "anyOf": .list([
          .map(KeyTable.step.schema), .map(KeyTable.parallel.schema),
          .map(KeyTable.sequence.schema),
        ])
      ]),
      "steps": .map([
        "type": .text("array"), "minItems": .number(1),
        "items": .map(["$ref": .text("#/definitions/item")]),
      ]),
    ])
    return Value.map(schema).indentedJSON
  }
}

extension KeyTable {
  /// The schema of a map with these keys.
  fileprivate var schema: [String: Value] {
    var properties: [String: Value] = [:]
    for key in keys {
      var schema = key.shape.schema
      schema["description"] = .text(key.summary)
      properties[key.name] = .map(schema)
      if let former = key.formerName {
        schema["description"] = .text("the former name of \(key.name)")
        schema["deprecated"] = .boolean(true)
        properties[former] = .map(schema)
      }
    }
    var schema: [String: Value] = [
      "type": .text("object"), "properties": .map(properties),
      "additionalProperties": .boolean(false),
    ]
    let required = keys.filter(\.isRequired).map { Value.text($0.name) }
    if !required.isEmpty { schema["required"] = .list(required) }
    if !oneOf.isEmpty {
      schema["anyOf"] = .list(oneOf.map { Self.having($0) })
    }
    let renamed = keys.compactMap { key in key.formerName.map { Self.having(key.name, $0) } }
    let pairs =
      renamed
      + notBoth.indices.flatMap { first in
        notBoth[(first + 1)...].map { Self.having(notBoth[first], $0) }
      }
    if !pairs.isEmpty { schema["not"] = .map(["anyOf": .list(pairs)]) }
    if has("service") {
      let keys = WorkflowReader.serviceKeys.map { ($0, Value.list([.text("service")])) }
      schema["dependencies"] = .map(Dictionary(uniqueKeysWithValues: keys))
    }
    return schema
  }

  private static func having(_ names: String...) -> Value {
    .map(["required": .list(names.map(Value.text))])
  }
}

extension Shape.Names {
  fileprivate var pattern: String {
    switch self {
    case .variable: "^(?!REPRISE_)[A-Za-z_][A-Za-z0-9_]*$"
    case .step: "^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$"
    case .identifier: "^[A-Za-z_][A-Za-z0-9_-]{0,63}$"
    }
  }
}

extension Shape {
  private static let scalar: [String: Value] = [
    "type": .list([.text("string"), .text("number"), .text("boolean")])
  ]
  private static let expression: [String: Value] = [
    "type": .text("string"), "pattern": .text("\\$\\{\\{"),
  ]

  /// The schema of a value of this shape.
  fileprivate var schema: [String: Value] {
    switch self {
    case .text:
      return Self.scalar.merging(["not": .map(Self.expression)]) { $1 }
    case .template, .condition:
      return Self.scalar
    case .script:
      return Self.scalar.merging(["not": .map(Self.expression), "pattern": .text("\\S")]) { $1 }
    case .stepID:
      return [
        "type": .list([.text("string"), .text("integer"), .text("boolean")]), "minimum": .number(0),
        "pattern": .text("^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$"),
      ]
    case .duration:
      return [
        "type": .list([.text("string"), .text("number")]), "minimum": .number(0),
        "pattern": .text("^([0-9.]+d)?([0-9.]+h)?([0-9.]+m)?([0-9.]+s)?([0-9.]+ms)?$|^[0-9.]+$"),
      ]
    case .size(let allowsZero):
      return [
        "type": .list([.text("string"), .text("number")]),
        "minimum": .number(allowsZero ? 0 : 1),
        "pattern": .text("^[0-9]+(\\.[0-9]+)?[kKmMgGtT]?$"),
      ]
    case .boolean: return ["type": .text("boolean")]
    case .whole(let range):
      return [
        "type": .text("integer"), "minimum": .number(Double(range.lowerBound)),
        "maximum": .number(Double(range.upperBound)),
      ]
    case .decimal(let range):
      return [
        "type": .text("number"), "minimum": .number(range.lowerBound),
        "maximum": .number(range.upperBound),
      ]
    case .choice(let options, let former):
      let words: [String: Value] = ["enum": .list(options.map(Value.text))]
      return former.isEmpty ? words : Shape.anyOf([words, Self.former(former)])
    case .list(let item, let minimum):
      return [
        "type": .text("array"), "items": .map(item.schema), "minItems": .number(Double(minimum)),
      ]
    case .map(let table): return table.schema
    case .named(let names, let value):
      return [
        "type": .text("object"), "propertyNames": .map(["pattern": .text(names.pattern)]),
        "additionalProperties": .map(value.schema),
      ]
    case .matrix:
      return [
        "type": .text("object"), "minProperties": .number(1),
        "propertyNames": .map(["pattern": .text(Shape.Names.identifier.pattern)]),
      ]
    case .needsByResult:
      let result = Shape.either([
        .choice(NeedRules.words), .list(.choice(NeedRules.results), minimum: 1),
      ])
      let any = Shape.either([result, .list(.stepID, minimum: 1)])
      return [
        "type": .text("object"), "propertyNames": .map(["pattern": .text(Names.step.pattern)]),
        "properties": .map(["any": .map(any.schema)]), "additionalProperties": .map(result.schema),
      ]
    case .runnerKind:
      return [
        "type": .text("object"), "minProperties": .number(1), "maxProperties": .number(1),
        "additionalProperties": .map(["type": .list([.text("object"), .text("null")])]),
      ]
    case .workflow: return ["$ref": .text("#")]
    case .steps: return ["$ref": .text("#/definitions/steps")]
    case .branches: return ["$ref": .text("#/definitions/steps")]
    case .computed(let shape): return Shape.anyOf([shape.schema, Self.expression])
    case .either(let shapes): return Shape.anyOf(shapes.map(\.schema))
    case .anything: return [:]
    }
  }

  private static func former(_ words: [String: String]) -> [String: Value] {
    ["enum": .list(words.keys.sorted().map(Value.text)), "deprecated": .boolean(true)]
  }

  private static func anyOf(_ schemas: [[String: Value]]) -> [String: Value] {
    ["anyOf": .list(schemas.map(Value.map))]
  }
}
