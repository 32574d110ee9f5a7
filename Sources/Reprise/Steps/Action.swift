// Work that a program offers to the workflows that it runs: a type with arguments, or a closure. Knows nothing
// of when it is called.

import WorkflowLanguage

/// Something that steps can `call`, as a type: its properties are what `with` gives.
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
/// A value is decoded for each attempt. What a file gives is checked when it is read, so that a mistake is told
/// at its line and column before anything runs.
public protocol Action: Decodable, Sendable {
  /// What it leaves for later steps: a map becomes outputs by name, any other value the output `value`.
  associatedtype Output: Encodable & Sendable

  /// The name under which steps call it.
  static var name: String { get }

  /// Does the work of one attempt.
  ///
  /// When the surrounding task is cancelled it is to end soon, throwing `CancellationError`: a restart waits
  /// for that.
  ///
  /// - Parameter context: What is known of the attempt, and the means to report.
  /// - Returns: What it leaves.
  /// - Throws: Any error, whose text becomes the reason of the step's failure; a ``FailureReason`` to say more.
  func perform(in context: StepContext) async throws -> Output
}

/// The actions of an engine.
struct ActionRegistry: Sendable {
  typealias Body = @Sendable (StepContext) async throws -> StepOutputs

  private(set) var catalog = ActionCatalog()
  private var bodies: [String: Body] = [:]

  init() {}

  mutating func register(
    _ name: String, check: @escaping ActionCatalog.Check, _ body: @escaping Body
  ) {
    precondition(
      name.first.map { $0 != "#" } ?? false, "an action has a name, which does not begin with #")
    catalog.offer(name, check: check)
    bodies[name] = body
  }

  /// What carries out an action.
  ///
  /// - Throws: ``FailureReason`` where there is none of that name.
  func body(of name: String) throws(FailureReason) -> Body {
    guard let body = bodies[name] else {
      let names = catalog.names
      throw .badValue(
        "there is no action \"\(name)\"; "
          + (names.isEmpty
            ? "the program that runs the workflow has registered none"
            : "there are: " + names.joined(separator: ", ")))
    }
    return body
  }
}
