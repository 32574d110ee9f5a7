// Actions: named types or closures that steps can `call`.

import Workflows

/// A type that steps can `call`; its properties are the arguments in `with`.
///
///     struct Upload: Action {
///       static let name = "upload"
///       let file: String
///       let retries: Int?
///
///       func perform(in context: StepContext) async throws -> StepOutputs {
///         context.report("uploading \(file)")
///         return ["url": "https://example.org/\(file)"]
///       }
///     }
///
///     var engine = Engine()
///     engine.register(Upload.self)
///
/// A new value is decoded for each attempt. The arguments in a workflow file are checked when the
/// file is read, so an error is reported with its line and column before anything runs.
public protocol Action: Decodable, Sendable {
  /// The output for later steps: a map becomes named outputs, any other value the output `value`. It
  /// must be `Encodable`, or `Void` for an action without a result.
  associatedtype Output: Sendable

  /// The name by which steps call the action.
  static var name: String { get }

  /// Performs one attempt.
  ///
  /// When its task is cancelled, the action must finish soon by throwing `CancellationError`: a
  /// restart waits for it.
  ///
  /// - Parameter context: The step, its run and the means to report output and progress.
  /// - Returns: The output of the step.
  /// - Throws: Any error; its text becomes the reason of the step's failure. Throw a
  ///   ``FailureReason`` for a more specific reason.
  func perform(in context: StepContext) async throws -> Output
}

/// The actions registered with an engine.
struct ActionRegistry: Sendable {
  typealias Body = @Sendable (StepContext) async throws -> StepOutputs

  var catalog = ActionCatalog()
  private var bodies: [String: Body] = [:]

  init() {}

  mutating func register(
    _ name: String, check: @escaping ActionCatalog.Check, _ body: @escaping Body
  ) {
    precondition(
      name.first.map { $0 != "#" } ?? false,
      "the name of an action must not be empty or begin with #")
    catalog.offer(name, check: check)
    bodies[name] = body
  }

  /// Returns the body of an action.
  ///
  /// - Throws: ``FailureReason`` if no action has that name.
  func body(of name: String) throws(FailureReason) -> Body {
    guard let body = bodies[name] else {
      let names = catalog.names
      throw .badValue(
        "there is no action \"\(name)\"; "
          + (names.isEmpty
            ? "the program that runs the workflow has not registered any"
            : "there are: " + names.joined(separator: ", ")))
    }
    return body
  }
}
