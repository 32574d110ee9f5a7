// The arguments of a call from values in Swift, for steps that are made from data.

extension CallArguments {
  /// Creates arguments, for steps that are made from data.
  ///
  /// - Parameter arguments: The values by name. As in a declaration, texts may contain expressions.
  /// - Throws: ``ArgumentError`` if an expression is not valid.
  package init(_ arguments: [String: TemplateValue]) throws(ArgumentError) {
    self.init()
    for (name, argument) in arguments { trees[name] = try Tree(argument.value, at: [name]) }
  }
}

extension CallArguments.Tree {
  /// Creates a tree from a value whose texts may contain expressions.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - path: Its path, for errors.
  /// - Throws: ``ArgumentError`` if an expression is not valid.
  init(_ value: Value, at path: [String]) throws(ArgumentError) {
    switch value {
    case .list(let values):
      var trees: [Self] = []
      for (index, value) in values.enumerated() {
        trees.append(try Self(value, at: path + ["\(index)"]))
      }
      self = .list(trees)
    case .map(let values):
      var trees: [String: Self] = [:]
      for (name, value) in values { trees[name] = try Self(value, at: path + [name]) }
      self = .map(trees)
    case .text(let text) where text.hasExpression:
      do throws(ExpressionError) {
        self = .template(try Template(parsing: text))
      } catch {
        throw ArgumentError(path, error.cause)
      }
    case .null, .boolean, .number, .digits, .text:
      self = .scalar(value, text: value.asText)
    }
  }
}
