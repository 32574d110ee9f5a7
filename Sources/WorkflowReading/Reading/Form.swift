// `Form`: how a value is read from a file, written in one, and described to editors.

package import Workflows
package import YAML

extension WorkflowReader {
  /// A value that is read: what messages call it, and what is known at its place.
  package struct Site {
    package let what: String
    package let context: Context
    /// The position of the step that it belongs to, whose needs must include the steps that it names.
    package let draft: Int?

    package init(what: String, context: Context, draft: Int?) {
      (self.what, self.context, self.draft) = (what, context, draft)
    }
  }
}

/// The form of a value in files.
package struct Form<Content>: Sendable {
  package typealias Site = WorkflowReader.Site

  package let shape: Shape
  /// Reads a value, or reports an error and returns nil.
  package let read: @Sendable (Node, Site, inout WorkflowReader) -> Content?
  /// Returns the value as a file has it; nil if it cannot be written, or is the absence of the key.
  package let write: @Sendable (Content) -> Value?

  package init(
    _ shape: Shape, read: @escaping @Sendable (Node, Site, inout WorkflowReader) -> Content?,
    write: @escaping @Sendable (Content) -> Value? = { _ in nil }
  ) {
    (self.shape, self.read, self.write) = (shape, read, write)
  }

  /// The value, or an expression that is evaluated while the file is read.
  package var computed: Form {
    Form(
      .computed(shape),
      read: { [read] node, site, reader in
        reader.settled(node, site.what, site.context).flatMap { read($0, site, &reader) }
      }, write: write)
  }

  /// The same in files, with another type.
  package func map<Other>(
    _ make: @escaping @Sendable (Content) -> Other?,
    _ back: @escaping @Sendable (Other) -> Content? = { _ in nil }
  ) -> Form<Other> {
    Form<Other>(
      shape, read: { [read] in read($0, $1, &$2).flatMap(make) },
      write: { [write] in back($0).flatMap(write) })
  }

  /// A scalar of this form, or a map.
  package func or(_ other: Form) -> Form {
    Form(
      .either([shape, other.shape]),
      read: { [read] node, site, reader in
        if case .scalar = node.content { return read(node, site, &reader) }
        return other.read(node, site, &reader)
      }, write: { [write] in write($0) ?? other.write($0) })
  }

  /// The map of a table.
  package static func map(_ table: Table<Content>) -> Form where Content: Sendable {
    Form(
      .map(table.keys), read: { table.read($0, &$2, $1.context, $1.draft) }, write: table.write)
  }
}

// MARK: Scalars

extension Form where Content == Int {
  package static func whole(_ range: ClosedRange<Int>) -> Form {
    Form(
      .whole(range),
      read: { node, site, reader in
        reader.readers[site.context.file].number(
          node, site.what, from: range.lowerBound, upTo: range.upperBound)
      }, write: { .number(Double($0)) })
  }

  /// A number that counts something, from 1.
  package static let count = whole(1...Int(Int32.max))
}

extension Form where Content == Double {
  package static func decimal(_ range: ClosedRange<Double>) -> Form {
    Form(
      .decimal(range), read: { $2.readers[$1.context.file].decimal($0, $1.what, range) },
      write: { .number($0) })
  }
}

extension Form where Content == Bool {
  package static let boolean = Form(
    .boolean, read: { $2.readers[$1.context.file].boolean($0, $1.what) }, write: { .boolean($0) })
}

extension Form where Content == Duration {
  private static func duration(allowsZero: Bool) -> Form {
    Form(
      .duration,
      read: { node, site, reader in
        let file = site.context.file
        return reader.readers[file].text(node, site.what).flatMap {
          reader.readers[file].duration($0, node, site.what, allowsZero: allowsZero)
        }
      }, write: { .text($0.workflowText) })
  }

  /// A duration of at least 1 ms.
  package static let duration = duration(allowsZero: false)
  /// A duration, or 0.
  package static let delay = duration(allowsZero: true)
}

extension Form where Content == Int64 {
  /// A number of bytes.
  ///
  /// - Parameters:
  ///   - minimum: The least number.
  ///   - text: The least number as a file has it.
  /// - Returns: The form.
  package static func size(from minimum: Int64, _ text: String) -> Form {
    Form(
      .size(allowsZero: minimum == 0),
      read: { node, site, reader in
        let file = site.context.file
        guard let written = reader.readers[file].text(node, site.what) else { return nil }
        guard let size = bytes(inWorkflowText: written), size >= minimum else {
          reader.readers[file].report(.notASize(site.what, written, minimum: text), at: node)
          return nil
        }
        return size
      }, write: { .text(String($0)) })
  }
}

extension Form where Content == String {
  /// Text that is not empty, without expressions.
  package static let text = Form(
    .text, read: { $2.readers[$1.context.file].nonEmptyText($0, $1.what) }, write: { .text($0) })
  /// Text, which may be empty, without expressions.
  package static let anyText = Form(
    .text, read: { $2.readers[$1.context.file].text($0, $1.what) }, write: { .text($0) })
  /// Text with expressions that are evaluated while the file is read.
  package static let settledText = Form(
    .template, read: { $2.text($0, $1.what, $1.context) }, write: { .text($0) })
  /// A script.
  package static let script = Form(
    .script, read: { $2.readers[$1.context.file].nonEmptyText($0, $1.what) },
    write: { .text($0) })

  /// One of some words.
  package static func word(of words: [String]) -> Form {
    Form(
      .choice(words), read: { $2.readers[$1.context.file].choice($0, $1.what, of: words) },
      write: { .text($0) })
  }
}

extension Form
where Content: RawRepresentable & CaseIterable & Sendable, Content.RawValue == String {
  /// One of the words of a type.
  package static var choice: Form {
    Form<String>.word(of: Content.allCases.map(\.rawValue)).map(Content.init) { $0.rawValue }
  }
}

extension Form where Content == Template {
  /// Text with expressions that are evaluated during the run.
  ///
  /// - Parameters:
  ///   - place: What they can refer to.
  ///   - isExpression: Whether the text is an expression, with or without its brackets.
  /// - Returns: The form.
  package static func template(_ place: ExpressionPlace, isExpression: Bool = false) -> Form {
    Form(
      isExpression ? .condition : .template,
      read: { node, site, reader in
        reader.template(
          node, site.what, place, site.context, draft: site.draft, isExpression: isExpression)
      }, write: { .text($0.source) })
  }
}

// MARK: Lists

extension Form where Content == [String] {
  /// A list of texts without expressions.
  ///
  /// - Parameters:
  ///   - item: What one of them is called.
  ///   - minimum: The least number, which is not checked here.
  /// - Returns: The form.
  package static func texts(_ item: String, minimum: Int = 1) -> Form {
    Form(
      .list(.text, minimum: minimum),
      read: { node, site, reader in
        reader.readers[site.context.file].texts(node, item)
      }, write: { .list($0.map(Value.text)) })
  }

  /// Patterns of paths.
  package static let patterns = Form(
    .texts, read: { $2.patterns($0, $1.what, $1.context) },
    write: { $0.isEmpty ? nil : .list($0.map(Value.text)) })
}
