// Contexts without a run, to test a single closure.

public import Reprise
import Synchronization

extension StepContext {
  /// Returns a context without a run, to test the closure of one step or one action alone.
  ///
  ///     let report = StepReport()
  ///     let context = try StepContext.test(inputs: ["version": "1.2.3"], report: report)
  ///     #expect(try await upload(context) == "https://example.org/1.2.3")
  ///     #expect(report.lines == ["uploading 1.2.3"])
  ///
  /// - Parameters:
  ///   - id: The id of the step.
  ///   - inputs: What the steps that it needs have returned, by id.
  ///   - parameters: The parameters of the run.
  ///   - arguments: The arguments in `with`.
  ///   - environment: The environment variables of the step.
  ///   - generation: The generation of the run, from 1.
  ///   - attempt: The number of the attempt, from 1.
  ///   - clock: The clock of the context; by default one that never advances.
  ///   - report: Keeps what the closure reports.
  /// - Returns: The context.
  /// - Throws: An error if an id or a name is not valid in a workflow, or if an input or argument
  ///   cannot be encoded.
  public static func test(
    _ id: String = "test", inputs: [String: any Encodable & Sendable] = [:],
    parameters: [String: String] = [:], arguments: [String: any Encodable & Sendable] = [:],
    environment: [String: String] = [:], generation: Int = 1, attempt: Int = 1,
    clock: any RunClock = TestClock(), report: StepReport = StepReport()
  ) throws -> StepContext {
    let inputs = inputs.sorted { $0.key < $1.key }
    let ids = inputs.map(\.key)
    let work = Workflow.Step.Action.perform(InProcessWork { _ in })
    let steps = ids.map { Workflow.Step(id: $0, action: work) }
    let last = Workflow.Step(id: id, needs: ids, action: work)
    var workflow = try Workflow(name: "test", steps: steps + [last])
    workflow.setParameters(parameters)
    var outputs: [StepOutputs] = []
    for (_, value) in inputs { outputs.append(try self.outputs(of: value)) }
    return try alone(
      in: workflow, inputs: outputs,
      arguments: arguments.mapValues { try value(of: $0) },
      environment: environment, generation: generation, attempt: attempt, clock: clock,
      report: { report.add($0) })
  }

  private static func outputs(of value: some Encodable) throws -> StepOutputs {
    try StepOutputs(encoding: value)
  }

  private static func value(of value: some Encodable) throws -> Value {
    try Value(encoding: value)
  }
}

/// What a closure has reported, for a test of the closure alone.
///
/// Thread-safe.
public final class StepReport: Sendable {
  private let events = Mutex<[Event.StepEvent]>([])

  /// Creates a report without content.
  public init() {}

  func add(_ event: Event.StepEvent) {
    events.withLock { $0.append(event) }
  }

  /// The complete lines of output, of both streams.
  public var lines: [String] {
    events.withLock { $0 }.flatMap { event -> [String] in
      guard case .output(_, let text, false) = event else { return [] }
      return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
  }

  /// The progress, as fractions from 0 to 1.
  public var progress: [Double] {
    events.withLock { $0 }.compactMap {
      if case .progress(let part, _) = $0 { part } else { nil }
    }
  }
}
