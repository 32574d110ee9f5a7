// Reads values of settings: those known before a run, and templates.

package import Workflows
package import YAML

extension WorkflowReader {
  /// Evaluates the expressions of a node.
  ///
  /// - Returns: A scalar without expressions; nil if an expression is invalid or its value is not
  ///   known yet.
  package mutating func settled(_ node: Node, _ what: String, _ context: Context) -> Node? {
    guard case .scalar(let text, _) = node.content, text.hasExpression else { return node }
    guard let template = readers[context.file].template(node, what),
      let value = staticValue(template, node, what, context)
    else { return nil }
    var settled = node
    if case .text = value {
      // Plain, so that the text may be read as a number, as if it were written in the file.
      settled.content = .scalar(value.asText, isPlain: true)
    } else if case .scalar = node.content {
      settled.content = .scalar(value.asText, isPlain: true)
    }
    return settled
  }

  /// Evaluates a template that may only use values known before the run starts.
  package mutating func staticValue(
    _ template: Template, _ node: Node, _ what: String, _ context: Context
  ) -> Value? {
    staticResult(template, node, what, context) { source throws(EvaluationError) in
      try template.value(from: source)
    }
  }

  /// Evaluates a template of a setting of a runner as far as its values are known before the run starts; the
  /// number of the attempt is left open.
  package mutating func settledTemplate(
    _ template: Template, _ node: Node, _ what: String, _ context: Context
  ) -> Template? {
    staticResult(template, node, what, context, in: .runner(what)) {
      source throws(EvaluationError) in
      try template.settled(from: source, leaving: .attempt)
    }
  }

  /// Returns the path pattern of a node, in which each inserted value matches itself.
  ///
  /// - Returns: The pattern; nil if it is invalid or a value is not known yet.
  mutating func patternText(_ node: Node, _ what: String, _ context: Context) -> String? {
    guard case .scalar(let text, _) = node.content, text.hasExpression else {
      return self.text(node, what, context)
    }
    guard let template = readers[context.file].template(node, what),
      let pattern = staticResult(
        template, node, what, context,
        { source throws(EvaluationError) in try template.pattern(from: source) })
    else { return nil }
    return readers[context.file].checkedNonEmpty(pattern, node, what)
  }

  /// Evaluates a template, which may only use values known before the run starts.
  private mutating func staticResult<Result>(
    _ template: Template, _ node: Node, _ what: String, _ context: Context,
    in place: ExpressionPlace? = nil,
    _ evaluate: (StaticValues) throws(EvaluationError) -> Result
  ) -> Result? {
    let place = place ?? (context.isOfTriggers ? .triggers : .settled(what))
    let scope = expressionScope(of: place, scope: context.scope, context.bindings)
    do throws(ExpressionError) {
      _ = try template.types(in: scope)
    } catch {
      readers[context.file].report(error, in: node)
      return nil
    }
    do throws(EvaluationError) {
      return try evaluate(
        StaticValues(
          scope: scopes[context.scope], bindings: context.bindings, what: what, budget: budget))
    } catch {
      if case .invalid(let error) = error { readers[context.file].report(error, in: node) }
      return nil
    }
  }

  package mutating func duration(
    _ node: Node, _ what: String, _ context: Context, allowsZero: Bool
  ) -> Duration? {
    guard let node = settled(node, what, context),
      let text = readers[context.file].scalar(node, what)
    else { return nil }
    return readers[context.file].duration(text, node, what, allowsZero: allowsZero)
  }

  package mutating func number(
    _ node: Node, _ what: String, upTo maximum: Int = Int(Int32.max), _ context: Context
  ) -> Int? {
    settled(node, what, context).flatMap {
      readers[context.file].number($0, what, from: 1, upTo: maximum)
    }
  }

  package mutating func boolean(_ node: Node, _ what: String, _ context: Context) -> Bool? {
    settled(node, what, context).flatMap { readers[context.file].boolean($0, what) }
  }

  package mutating func text(_ node: Node, _ what: String, _ context: Context) -> String? {
    guard case .scalar(let written, _) = node.content, written.hasExpression else {
      return readers[context.file].nonEmptyText(node, what)
    }
    // The value is data, also if it has the form of an expression.
    guard let settled = settled(node, what, context),
      let value = readers[context.file].scalar(settled, what)
    else { return nil }
    return readers[context.file].checkedNonEmpty(value, node, what)
  }

  /// Reads text or a list of texts.
  package mutating func texts(_ node: Node, _ what: String, _ context: Context) -> [String] {
    guard case .sequence(let nodes) = node.content else {
      return text(node, what, context).map { [$0] } ?? []
    }
    return nodes.compactMap { text($0, what, context) }
  }

  /// Reads the value of a key; nil if it is missing or invalid.
  package mutating func read<Content>(
    _ name: String, of fields: Fields, _ form: Form<Content>, _ context: Context,
    draft: Int? = nil
  ) -> Content? {
    guard let node = fields[name] else { return nil }
    return form.read(node, Site(what: name, context: context, draft: draft), &self)
  }

  package mutating func choice<Choice: RawRepresentable & CaseIterable>(
    _ node: Node?, _ what: String
  ) -> Choice? where Choice.RawValue == String {
    guard let node else { return nil }
    return readers[0].choice(node, what, of: Choice.allCases.map(\.rawValue))
      .flatMap(Choice.init(rawValue:))
  }

  /// Reads a template, and registers it for the checks after all steps have been read.
  package mutating func template(
    _ node: Node, _ what: @autoclosure () -> String, _ place: ExpressionPlace, _ context: Context,
    draft: Int?, isExpression: Bool = false
  ) -> Template? {
    guard let template = readers[context.file].template(node, what(), isExpression: isExpression)
    else { return nil }
    if !isExpression { warnOfBraces(in: template.source, node, context) }
    if place.isReadByNoShell { warnOfVariables(in: node, context) }
    if !template.isPlain {
      checks.append(
        Check(
          template: template, node: node, place: place, file: context.file, scope: context.scope,
          bindings: context.bindings, draft: draft))
    }
    return template
  }
}
