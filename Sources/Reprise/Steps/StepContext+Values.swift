// Typed access to the inputs, parameters and arguments of a step in Swift code.

public import Workflows

extension StepContext {
  /// Returns the output of a step that this step needs, decoded as a type.
  ///
  /// Strings are converted to the type that is asked for, because the outputs of processes are
  /// always strings.
  ///
  /// A step under `finally` needs no others, and reads the outputs of all steps of the run; those of a
  /// step that has not succeeded are nil for an optional type.
  ///
  /// - Parameters:
  ///   - step: The id of the step, which this step must need.
  ///   - type: The type to decode. Properties are outputs by name; a single value or a list is the
  ///     output `value`.
  /// - Returns: The decoded value.
  /// - Throws: ``FailureReason`` if this step does not need that step, if that step has no output
  ///   (and the type is not optional), or if the output does not match the type.
  public func input<T: Decodable>(_ step: String, as type: T.Type = T.self) throws -> T {
    guard let need = plan.graph.index(of: prefix + step) else { throw noInput(step) }
    if readsLate(need) { return try value(of: step, outputsSoFar(of: need)) }
    guard
      let (_, result) = zip(plan.graph.needs(of: index), results).first(where: { $0.0 == need }),
      let outputs = result.outputs
    else { throw noInput(step) }
    return try value(of: step, written(outputs, by: need))
  }

  /// Returns the outputs of all steps of a `foreach` or `matrix`, in the order of the items.
  ///
  /// - Parameters:
  ///   - step: The id of the step as it was declared.
  ///   - type: The type to decode each output as.
  /// - Returns: The decoded values.
  /// - Throws: ``FailureReason`` under the same conditions as ``input(_:as:)``.
  public func inputs<T: Decodable>(of step: String, as type: T.Type = T.self) throws -> [T] {
    let results = Dictionary(zip(plan.graph.needs(of: index), results)) { $1 }
    return try items(of: step).map { item in
      let id = plan[item].id
      if readsLate(item) { return try value(of: id, outputsSoFar(of: item)) }
      guard let outputs = results[item]?.outputs else {
        throw noInput(String(id.dropFirst(prefix.count)), of: step)
      }
      return try value(of: id, written(outputs, by: item))
    }
  }

  /// Returns the outputs of a step; nil if it has none because it was skipped, or has failed.
  private func written(_ outputs: StepOutputs, by need: StepIndex) -> StepOutputs? {
    outputs.isEmpty ? outputsSoFar(of: need) : outputs
  }

  /// Returns the steps of the items of a `foreach` or `matrix`, or all steps of another group.
  private func items(of name: String) throws -> [StepIndex] {
    guard case .each(let items) = workflow.group(name, besides: step)?.kind else {
      let steps = plan.steps(named: prefix + name)
      if steps.isEmpty, !workflow.hasGroup(name, besides: step) { throw noInput(name) }
      return steps
    }
    return try items.map { item in
      if let index = plan.graph.index(of: prefix + item) { return index }
      let inner = plan.graph.ids.first { $0.hasPrefix(prefix + item + "/") }
      let advice = inner.map { ", such as input(\"\($0.dropFirst(prefix.count))\")" } ?? ""
      throw FailureReason.badValue(
        "the items of \"\(name)\" consist of several steps: read one of these instead" + advice)
    }
  }

  /// Returns why this step has no input of a name: of a step, or of one step of a declared group.
  private func noInput(_ name: String, of group: String? = nil) -> FailureReason {
    let message = "step \"\(step.id)\" has no input \"\(name)\"; "
    if workflow.hasGroup(name, besides: step) {
      return .badValue(message + "it consists of several steps; use inputs(of: \"\(name)\")")
    }
    let names = inputs.keys.sorted()
    let has = names.isEmpty ? "it has no inputs" : "it has: " + names.joined(separator: ", ")
    guard let need = plan.graph.index(of: prefix + name) else {
      let steps = workflow.graph.ids.filter { $0.hasPrefix(prefix) }
      let other = nearest(to: prefix + name, among: steps)?.dropFirst(prefix.count)
      return .badValue(
        message + (names.isEmpty ? "the run has no step of this name" : has)
          + (other.map { "; did you mean \"\($0)\"?" } ?? ""))
    }
    if plan.graph.needs(of: index).contains(need) {
      return .badValue(message + "that step has no output")
    }
    // The name of a group in order means its last step, which may be needed already.
    let needed = Set(plan.graph.needs(of: index))
    let isPart =
      group.map { plan.steps(named: prefix + $0).contains(where: needed.contains) } == true
    return .badValue(message + has + "; " + advice(toNeed: isPart ? name : group ?? name))
  }

  /// Returns how a step is declared to need another one directly, besides what it needs now.
  private func advice(toNeed name: String) -> String {
    let needs = plan.graph.needs(of: index).map { plan[$0] }
    let areNamed = needs.allSatisfy {
      $0.id.hasPrefix(prefix) && $0.extrasIfAny?.item == nil && $0.extrasIfAny?.matrix == nil
    }
    let advice = "it does not need that step directly: add it to its needs"
    guard areNamed, needs.count < Self.namedNeedsMax else { return advice }
    let names = [name] + needs.map { String($0.id.dropFirst(prefix.count)) }
    return advice + ", .needs(" + names.map { "\"\($0)\"" }.joined(separator: ", ") + ")"
  }

  /// The maximum number of needs that a message lists.
  private static let namedNeedsMax = 5

  /// Returns the value of the outputs of a step; nil are those of a step that did not run, or has failed.
  private func value<T: Decodable>(of step: String, _ outputs: StepOutputs?) throws -> T {
    do throws(OutputError) {
      return try decodedOutputs(outputs, of: step)
    } catch {
      var problem = "that step has no output"
      if case .mismatch(_, let error) = error { problem = error.description }
      throw FailureReason.badValue("the input \"\(step)\": " + problem)
    }
  }

  private var prefix: String { workflow.prefix(of: step) }

  /// Returns the `foreach` item of this step, decoded as a type.
  ///
  /// - Parameter type: The type to decode.
  /// - Returns: The decoded value.
  /// - Throws: ``FailureReason`` if the step is not part of a `foreach`, or if the item does not
  ///   match the type.
  public func item<T: Decodable>(as type: T.Type = T.self) throws -> T {
    guard let item = step.extrasIfAny?.item else {
      throw FailureReason.badValue("step \"\(step.id)\" is not part of a foreach")
    }
    return try decoded(ArgumentValue(item), "the item")
  }

  /// The position of the step's `foreach` item, from 0; nil if the step is not part of a `foreach`.
  public var itemIndex: Int? { step.extrasIfAny?.itemIndex }

  /// Returns a value of this step's `matrix` combination, decoded as a type.
  ///
  /// - Parameters:
  ///   - name: The name of the list in the matrix.
  ///   - type: The type to decode.
  /// - Returns: The decoded value.
  /// - Throws: ``FailureReason`` if the matrix has no list of that name, or if the value does not
  ///   match the type.
  public func matrix<T: Decodable>(_ name: String, as type: T.Type = T.self) throws -> T {
    let all = step.extrasIfAny?.matrix ?? [:]
    guard let value = all[name] else {
      throw FailureReason.badValue(
        "step \"\(step.id)\" has no matrix value \"\(name)\"; it has: "
          + all.keys.sorted().joined(separator: ", "))
    }
    return try decoded(ArgumentValue(value), "the matrix value \"\(name)\"")
  }

  /// The parameters of the run.
  ///
  /// - Throws: ``FailureReason`` if the value of a parameter cannot be computed.
  public var parameters: [String: Value] {
    get throws {
      do throws(ResolutionError) {
        return try workflow.parameters(of: step, values)
      } catch {
        throw FailureReason.badValue(error.description)
      }
    }
  }

  /// Returns a parameter of the run, decoded as a type.
  ///
  /// - Parameters:
  ///   - name: The name of the parameter.
  ///   - type: The type to decode.
  /// - Returns: The decoded value.
  /// - Throws: ``FailureReason`` if there is no parameter of that name, or if its value does not
  ///   match the type.
  public func parameter<T: Decodable>(_ name: String, as type: T.Type = T.self) throws -> T {
    let all = try parameters
    guard let value = all[name] else {
      throw FailureReason.badValue(
        "there is no parameter \"\(name)\"; there are: " + all.keys.sorted().joined(separator: ", ")
      )
    }
    return try decoded(ArgumentValue(value), "the parameter \"\(name)\"")
  }

  /// The arguments in `with`, not decoded.
  public var arguments: [String: Value] { callArguments.mapValues(\.value) }

  /// Returns the arguments in `with`, decoded as a type.
  ///
  /// - Parameter type: The type to decode: properties are arguments by name.
  /// - Returns: The decoded value.
  /// - Throws: ``FailureReason`` that says which argument is invalid and why.
  public func arguments<T: Decodable>(as type: T.Type = T.self) throws -> T {
    try decoded(.map(callArguments), "with")
  }

  private var callArguments: [String: ArgumentValue] {
    if case .call(_, let arguments) = resolved.action { arguments } else { [:] }
  }

  private func decoded<T: Decodable>(_ value: ArgumentValue, _ what: String) throws -> T {
    do throws(ArgumentError) {
      guard let result = try T.decoded(from: value) else {
        preconditionFailure("BUG: a known value was decoded as unknown")
      }
      return result
    } catch {
      throw FailureReason.badValue("\(what): \(error)")
    }
  }

  /// The environment variables that a process of this step would have: the inherited ones, merged
  /// with those of the workflow and the step.
  ///
  /// Linear in their number.
  public var environment: [String: String] {
    var variables = resolved.weakEnvironment.merging(values.environment) { $1 }
    for name in hiddenVariables { variables[name] = nil }
    return variables.merging(resolved.environment) { $1 }
  }

  /// The directory in which the step runs, relative to the executor's; nil for the executor's own.
  public var directory: String? { resolved.directories.reduce(nil, resolvedDirectory) }

  /// Returns a secret of the workflow.
  ///
  /// Secrets are masked in the step's reports and outputs.
  ///
  /// - Parameter name: The name of the secret.
  /// - Returns: Its value.
  /// - Throws: ``FailureReason`` if there is no secret of that name.
  public func secret(_ name: String) throws -> String {
    let scope = workflow.secretScope(of: step.extras.scope)
    guard let secret = values.secrets(scope, name) else {
      throw FailureReason.badValue("the secret \"\(name)\" is not known")
    }
    return secret
  }

  /// Returns a copy of this context with additional environment variables.
  ///
  /// They override existing variables of the same name.
  ///
  /// - Parameter variables: The variables.
  /// - Returns: The context to pass to an executor.
  public func adding(environment variables: [String: String]) -> StepContext {
    var context = self
    context.resolved.environment.merge(variables) { $1 }
    return context
  }

  /// Returns a copy of this context in which the step runs another program.
  ///
  /// For executors that wrap another one:
  ///
  ///     struct InContainer: Executor {
  ///       let local = LocalExecutor()
  ///       func execute(_ context: StepContext) async throws -> StepOutputs {
  ///         let command = ["docker", "exec", "builder"] + context.commandLine
  ///         return try await local.execute(context.replacing(commandLine: command))
  ///       }
  ///     }
  ///
  /// The copy has no ``script``: an executor that wraps steps whose first line names an interpreter
  /// must make the script part of the command line.
  ///
  /// - Parameter commandLine: The program, with its arguments; not empty.
  /// - Returns: The context to pass to an executor.
  public func replacing(commandLine: [String]) -> StepContext {
    precondition(!commandLine.isEmpty, "a command line has at least the name of a program")
    var context = self
    context.resolved.action = .exec(commandLine)
    return context
  }
}

/// Resolves a path against a directory; returns an absolute path unchanged.
func resolvedDirectory(_ base: String?, _ path: String?) -> String? {
  guard let base, let path, !path.hasPrefix("/") else { return path ?? base }
  return base + "/" + path
}
