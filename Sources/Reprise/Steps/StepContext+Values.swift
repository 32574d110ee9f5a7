// What a step of Swift code gets: the values of other steps, parameters and arguments, as types. Knows nothing
// of how steps are ordered.

public import WorkflowLanguage

extension StepContext {
  /// What a step that this one needs has left, as a type.
  ///
  /// Texts are taken for what the type asks for: steps that are processes leave nothing but texts.
  ///
  /// - Parameters:
  ///   - step: The id of the step, which is one of those that this step needs.
  ///   - type: What to make of it: properties are outputs by name; a plain value or a list is the output `value`.
  /// - Returns: The value.
  /// - Throws: ``FailureReason`` when this step does not need that one, when that one left nothing (and the type is not
  ///   optional), or when what it left is something else.
  public func input<T: Decodable>(_ step: String, as type: T.Type = T.self) throws -> T {
    guard let need = workflow.graph.index(of: prefix + step),
      let (_, result) = zip(workflow.graph.needs(of: index), results).first(where: { $0.0 == need }
      ),
      case .succeeded(let outputs) = result
    else { throw noInput(step) }
    return try value(of: step, outputs)
  }

  /// What the steps have left that one step of a `foreach` or `matrix` has become, in the order of the items.
  ///
  /// - Parameters:
  ///   - step: The id of the step as it was declared.
  ///   - type: What to make of each.
  /// - Returns: The values.
  /// - Throws: ``FailureReason`` as ``input(_:as:)``.
  public func inputs<T: Decodable>(of step: String, as type: T.Type = T.self) throws -> [T] {
    let all = inputs
    let indices = workflow.indices(named: prefix + step)
    if indices.isEmpty, !workflow.hasGroup(step, besides: self.step) { throw noInput(step) }
    return try indices.map { index in
      let id = workflow.steps[index.position].id
      guard let outputs = all[id] else { throw noInput(id) }
      return try value(of: id, outputs)
    }
  }

  private func noInput(_ name: String) -> FailureReason {
    let message = "step \"\(step.id)\" has no input \"\(name)\"; "
    let inputs = inputs.keys.sorted()
    if workflow.hasGroup(name, besides: step) {
      return .badValue(message + "it is several: ask for inputs(of: \"\(name)\")")
    }
    guard !inputs.isEmpty else {
      return .badValue(message + "it has none; have it need that step, with .needs(\"\(name)\")")
    }
    return .badValue(message + "it has: " + inputs.joined(separator: ", "))
  }

  private func value<T: Decodable>(of step: String, _ outputs: StepOutputs) throws -> T {
    if outputs.isEmpty, let optional = T.self as? any ExpressibleByNilLiteral.Type,
      let nothing = optional.init(nilLiteral: ()) as? T
    {
      return nothing
    }
    do throws(ArgumentMistake) {
      return try outputs.decoded(as: T.self)
    } catch {
      throw FailureReason.badValue(
        "the input \"\(step)\": " + (outputs.isEmpty ? "that step has left nothing" : "\(error)"))
    }
  }

  private var prefix: String { workflow.prefix(of: step) }

  /// The item of the `foreach` that the step is for, as a type.
  ///
  /// - Parameter type: What to make of it.
  /// - Returns: The value.
  /// - Throws: ``FailureReason`` when the step is for none, or when the item is something else.
  public func item<T: Decodable>(as type: T.Type = T.self) throws -> T {
    guard let item = step.extrasIfAny?.item else {
      throw FailureReason.badValue("step \"\(step.id)\" is not for an item of a foreach")
    }
    return try decoded(ArgumentValue(item), "the item")
  }

  /// The position of that item, from 0; nil where the step is for none.
  public var itemIndex: Int? { step.extrasIfAny?.itemIndex }

  /// A value of the combination of a `matrix` that the step is for, as a type.
  ///
  /// - Parameters:
  ///   - name: The name of the list in the matrix.
  ///   - type: What to make of the value.
  /// - Returns: The value.
  /// - Throws: ``FailureReason`` when there is none of that name, or when it is something else.
  public func matrix<T: Decodable>(_ name: String, as type: T.Type = T.self) throws -> T {
    let all = step.extrasIfAny?.matrix ?? [:]
    guard let value = all[name] else {
      throw FailureReason.badValue(
        "step \"\(step.id)\" has no value \"\(name)\" of a matrix; it has: "
          + all.keys.sorted().joined(separator: ", "))
    }
    return try decoded(ArgumentValue(value), "the matrix value \"\(name)\"")
  }

  /// The parameters of the run.
  ///
  /// - Throws: ``FailureReason`` when one has to be computed and cannot be.
  public var parameters: [String: Value] {
    get throws {
      do throws(ResolutionError) {
        return try workflow.parameters(of: step, values)
      } catch {
        throw FailureReason.badValue(error.description)
      }
    }
  }

  /// A parameter of the run as a type.
  ///
  /// - Parameters:
  ///   - name: The name of the parameter.
  ///   - type: What to make of it.
  /// - Returns: The value.
  /// - Throws: ``FailureReason`` when there is none of that name, or when it is something else.
  public func parameter<T: Decodable>(_ name: String, as type: T.Type = T.self) throws -> T {
    let all = try parameters
    guard let value = all[name] else {
      throw FailureReason.badValue(
        "there is no parameter \"\(name)\"; there are: " + all.keys.sorted().joined(separator: ", ")
      )
    }
    return try decoded(ArgumentValue(value), "the parameter \"\(name)\"")
  }

  /// What `with` gives to the action, as it comes.
  public var arguments: [String: Value] { callArguments.mapValues(\.value) }

  /// What `with` gives to the action, as a type.
  ///
  /// - Parameter type: What to make of it: properties are arguments by name.
  /// - Returns: The value.
  /// - Throws: ``FailureReason`` that says which argument is wrong and why.
  public func arguments<T: Decodable>(as type: T.Type = T.self) throws -> T {
    try decoded(.map(callArguments), "with")
  }

  private var callArguments: [String: ArgumentValue] {
    if case .call(_, let arguments) = resolved.action { arguments } else { [:] }
  }

  private func decoded<T: Decodable>(_ value: ArgumentValue, _ what: String) throws -> T {
    do throws(ArgumentMistake) {
      guard let result = try T.decoded(from: value) else {
        preconditionFailure("BUG: a value that is known was taken for an unknown one")
      }
      return result
    } catch {
      throw FailureReason.badValue("\(what): \(error)")
    }
  }

  /// The environment variables that a process of this step would have: those that steps inherit, with those of the
  /// workflow and of the step.
  ///
  /// Linear in their number.
  public var environment: [String: String] {
    var variables = resolved.weakEnvironment.merging(values.environment) { $1 }
    for name in hiddenVariables { variables[name] = nil }
    return variables.merging(resolved.environment) { $1 }
  }

  /// Where the step runs, relative to where the engine's executor runs steps; there when nil.
  public var directory: String? { resolved.directories.reduce(nil, resolvedDirectory) }

  /// A secret of the workflow.
  ///
  /// It is removed from what the step reports and leaves.
  ///
  /// - Parameter name: The name of the secret.
  /// - Returns: Its value.
  /// - Throws: ``FailureReason`` where it is not known.
  public func secret(_ name: String) throws -> String {
    guard let secret = values.secrets(step.extras.scopePosition, name) else {
      throw FailureReason.badValue("the secret \"\(name)\" is not known")
    }
    return secret
  }

  /// The same attempt with further environment variables, which win over those that it has.
  ///
  /// - Parameter variables: The variables.
  /// - Returns: What an executor is to be given.
  public func adding(environment variables: [String: String]) -> StepContext {
    var context = self
    context.resolved.environment.merge(variables) { $1 }
    return context
  }
}

/// Resolves a path against a directory; an absolute path stays as it is.
func resolvedDirectory(_ base: String?, _ path: String?) -> String? {
  guard let base, let path, !path.hasPrefix("/") else { return path ?? base }
  return base + "/" + path
}
