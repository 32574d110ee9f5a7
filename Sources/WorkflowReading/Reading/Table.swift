// `Table`: the keys of one kind of map, each described once.

package import Workflows
package import YAML

/// A key of a map, and the property that has its value.
package struct Field<Root: Sendable>: Sendable {
  package let key: Key
  /// What messages call the value.
  private let what: String
  private let reading:
    @Sendable (Node, inout Root, WorkflowReader.Site, inout WorkflowReader) -> Void
  /// Returns the value as a file has it; nil for the absence of the key.
  package let write: @Sendable (Root) -> Value?

  /// Creates a key with a value for which there is a default.
  ///
  /// - Parameters:
  ///   - name: The key.
  ///   - path: The property; a path is made when its key is read first, because making those of all
  ///     keys took a fifth of the start of the command.
  ///   - form: The form of the value.
  ///   - summary: The description, for editors and the reference.
  ///   - isRequired: Whether a map without it is an error.
  ///   - what: What messages call the value; the name of the key if nil.
  ///   - formerName: The name of the key in earlier versions.
  package init<Content>(
    _ name: String,
    _ path: @autoclosure @escaping @Sendable () -> any WritableKeyPath<Root, Content> & Sendable,
    _ form: Form<Content>,
    _ summary: String, isRequired: Bool = false, called what: String? = nil,
    formerly formerName: String? = nil
  ) {
    key = Key(name, form.shape, summary, isRequired: isRequired, formerly: formerName)
    self.what = what ?? name
    reading = { node, root, site, reader in
      if let value = form.read(node, site, &reader) { root[keyPath: path()] = value }
    }
    write = { form.write($0[keyPath: path()]) }
  }

  /// Creates a key with a value that may be missing.
  package init<Content>(
    _ name: String,
    _ path: @autoclosure @escaping @Sendable () -> any WritableKeyPath<Root, Content?> & Sendable,
    _ form: Form<Content>,
    _ summary: String, isRequired: Bool = false, called what: String? = nil,
    formerly formerName: String? = nil
  ) {
    key = Key(name, form.shape, summary, isRequired: isRequired, formerly: formerName)
    self.what = what ?? name
    reading = { node, root, site, reader in
      if let value = form.read(node, site, &reader) { root[keyPath: path()] = value }
    }
    write = { $0[keyPath: path()].flatMap(form.write) }
  }

  /// Creates a key that is read in its own way.
  package init(
    _ key: Key,
    _ reading:
      @escaping @Sendable (
        Node, inout Root, WorkflowReader.Site, inout WorkflowReader
      ) -> Void
  ) {
    (self.key, self.reading) = (key, reading)
    what = key.name
    write = { _ in nil }
  }

  package func read(
    _ node: Node, _ root: inout Root, _ context: WorkflowReader.Context, _ draft: Int?,
    _ reader: inout WorkflowReader
  ) {
    reading(node, &root, WorkflowReader.Site(what: what, context: context, draft: draft), &reader)
  }
}

/// A kind of map: its keys, and the value that they make.
///
/// Reading, the JSON schema, the values of declarations in Swift, and the lines by which a change is detected
/// all come from it.
package struct Table<Root: Sendable>: Sendable {
  package let keys: KeyTable
  /// The value of a map without keys.
  private let blank: Root
  private let fields: [Field<Root>]
  /// The error if required keys are missing.
  private let missing: Diagnostic.Cause?
  /// Reports errors that concern several keys.
  private let check:
    @Sendable (Fields, inout Root, WorkflowReader.Context, inout WorkflowReader) -> Void

  package init(
    _ place: String, _ blank: Root, example: String? = nil, oneOf: [String] = [],
    notBoth: [String] = [], missing: Diagnostic.Cause? = nil, advice: [String: String] = [:],
    _ fields: [Field<Root>],
    check:
      @escaping @Sendable (Fields, inout Root, WorkflowReader.Context, inout WorkflowReader) ->
      Void = { _, _, _, _ in }
  ) {
    keys = KeyTable(
      place: place, example: example, oneOf: oneOf, notBoth: notBoth, advice: advice,
      keys: fields.map(\.key))
    (self.blank, self.fields, self.missing, self.check) = (blank, fields, missing, check)
  }

  /// Reads a map, and reports its errors.
  ///
  /// - Returns: The value; nil if it is no map, or a required key is missing.
  package func read(
    _ node: Node, _ reader: inout WorkflowReader, _ context: WorkflowReader.Context,
    _ draft: Int? = nil
  ) -> Root? {
    let file = context.file
    guard let found = reader.readers[file].fields(of: node, keys) else { return nil }
    let root = read(found, &reader, context, draft)
    let required = fields.filter(\.key.isRequired).map(\.key.name)
    let lacks =
      required.contains(where: found.lacks)
      || !keys.oneOf.isEmpty && keys.oneOf.allSatisfy(found.lacks)
    if lacks, let missing { reader.readers[file].report(missing, at: node) }
    let isComplete =
      required.allSatisfy { found[$0] != nil }
      && (keys.oneOf.isEmpty || keys.oneOf.contains { found[$0] != nil })
    return isComplete ? root : nil
  }

  /// Reads the keys of a map that are present.
  package func read(
    _ found: Fields, _ reader: inout WorkflowReader, _ context: WorkflowReader.Context,
    _ draft: Int? = nil
  ) -> Root {
    let file = context.file
    let both = keys.notBoth.filter { found[$0] != nil }
    if both.count > 1 {
      let later = both.compactMap(found.key).max { $0.mark < $1.mark }
      reader.readers[file].report(
        .exclusive(both[0], both[1], in: keys.place), at: later ?? found.node)
    }
    var root = blank
    for field in fields {
      if let node = found[field.key.name] { field.read(node, &root, context, draft, &reader) }
    }
    check(found, &root, context, &reader)
    return root
  }

  /// Returns what a file has for a value: what differs from a map without keys.
  package func write(_ root: Root) -> Value? {
    var values: [String: Value] = [:]
    for field in fields {
      guard let value = field.write(root), field.key.isRequired || value != field.write(blank)
      else { continue }
      values[field.key.name] = value
    }
    return .map(values)
  }

  /// Returns the lines by which a change is detected, such as `retry.limit: 3`.
  package func lines(_ name: String, _ root: Root) -> [String] {
    fields.compactMap { field in
      guard let value = field.write(root), field.key.isRequired || value != field.write(blank)
      else { return nil }
      return "\(name).\(field.key.name): \(value.asText)"
    }
  }
}
