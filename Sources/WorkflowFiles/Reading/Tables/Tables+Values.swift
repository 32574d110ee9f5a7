// The maps under `params`, `secrets` and `foreach`.

import WorkflowReading
import YAML

extension Tables {
  /// The keys of a parameter.
  struct ParameterKeys: Sendable {
    var type: String?
    var written: Node?
    var minimum: Double?
    var maximum: Double?
    var pattern: String?
    var isRequired: Bool?
    var description: String?
    var options: [String]?
  }

  static let parameter = Table(
    "a parameter", ParameterKeys(),
    [
      Field("type", \.type, .typeName, "the type of its values"),
      Field("default", \.written, .node, "the value if none is passed"),
      Field("min", \.minimum, .decimal(Reader.limits), "the least number or length"),
      Field("max", \.maximum, .decimal(Reader.limits), "the greatest number or length"),
      Field("pattern", \.pattern, .textPattern, "a regular expression that texts must match"),
      Field("required", \.isRequired, .boolean, "whether a value must be passed"),
      Field("description", \.description, .anyText, "the purpose of the parameter"),
      Field("options", \.options, .texts("an option"), "the values of a choice"),
    ])

  /// The keys of a secret.
  struct SecretKeys: Sendable {
    var environment: String?
    var file: String?
    var command: [String]?
    var isRequired = true

    init() {}

    init(_ source: SecretSource) {
      self.init()
      switch source {
      case .environment(let name): environment = name
      case .file(let path): file = path
      case .command(let words): command = words
      case .optional(let source):
        self = SecretKeys(source)
        isRequired = false
      }
    }

    /// The source; nil after an error.
    var source: SecretSource? {
      let source =
        environment.map(SecretSource.environment) ?? file.map(SecretSource.file)
        ?? command.map(SecretSource.command)
      return isRequired ? source : source.map(SecretSource.optional)
    }
  }

  static let secret = Table(
    "a secret", SecretKeys(), oneOf: ["env", "file", "command"],
    [
      Field("env", \.environment, .text, "the environment variable that contains the secret"),
      Field("file", \.file, .text, "the file that contains the secret"),
      Field(
        "command", \.command, .program("a word", example: "[pass, token]"),
        "the program that prints the secret"),
      Field(
        "required", \.isRequired, .boolean,
        "whether a missing variable or file is an error; if not, the secret is the empty text then"),
    ])

  static let itemFiles = KeyTable(
    place: "the files of foreach", example: "{ files: \"src/*.c\" }",
    keys: [
      Key("files", .someTexts, "patterns of the files that are the items", isRequired: true)
    ])
}

extension Form where Content == Node {
  /// Any value, which is read later.
  fileprivate static let node = Form(.anything, read: { node, _, _ in node })
}

extension Form where Content == String {
  fileprivate static let typeName = Form(
    .choice(Reader.parameterTypes), read: { $2.readers[$1.context.file].typeName($0) },
    write: { .text($0) })

  fileprivate static let textPattern = Form(
    .text,
    read: { node, site, reader in
      guard let pattern = reader.readers[site.context.file].text(node, site.what) else {
        return nil
      }
      do throws(PatternError) {
        _ = try TextPattern(pattern)
        return pattern
      } catch {
        reader.readers[site.context.file].report(.textPattern(error.message), at: node)
        return nil
      }
    }, write: { .text($0) })
}

extension Form where Content == [String] {
  /// A program with its arguments.
  static func program(_ item: String, example: String) -> Form {
    Form(
      .list(.text, minimum: 1),
      read: { node, site, reader in
        let file = site.context.file
        guard let words = reader.readers[file].texts(node, item) else { return nil }
        if words.first?.isEmpty == false { return words }
        reader.readers[file].report(.noProgram(site.what, example: example), at: node)
        return nil
      }, write: { .list($0.map(Value.text)) })
  }
}

extension Parameter {
  /// The declaration in a workflow file.
  var declaration: [String: Value] {
    var fields: [String: Value] = ["type": .text(kind.name)]
    if case .choice(let options) = kind { fields["options"] = .list(options.map(Value.text)) }
    fields["default"] = defaultValue
    if let description { fields["description"] = .text(description) }
    fields["min"] = limits.minimum.map(Value.number)
    fields["max"] = limits.maximum.map(Value.number)
    fields["pattern"] = limits.pattern.map(Value.text)
    return fields
  }
}

extension Form where Content == [Parameter] {
  /// Declarations of values, by name.
  static let parameters = Form(
    .named(
      .identifier,
      .either([.map(Tables.parameter.keys), .text, .list(.anything, minimum: 0)])),
    read: { node, site, reader in reader.readParameters(node, site.context) },
    write: { parameters in
      parameters.isEmpty
        ? nil
        : .map(
          Dictionary(parameters.map { ($0.name, .map($0.declaration)) }) { first, _ in first })
    })
}
