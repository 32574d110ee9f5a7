// The events of a run under test, with what assertions ask about them.

public import Reprise

/// The events of a run, for assertions.
///
///     #expect(test.events.starts(of: "build") == 1)
///     #expect(test.events.happened(inOrder: "build succeeded", "deploy started"))
public struct RecordedEvents: Sendable, Equatable, CustomStringConvertible {
  /// All events, in order.
  public let all: [Event]

  /// Creates a record from events in order, for example from those of a journal.
  ///
  /// - Parameter events: The events of one run.
  public init(_ events: [Event]) {
    all = events
  }

  /// The outcome of the run; nil if it has not ended.
  public var outcome: RunOutcome? {
    if case .runEnded(let outcome) = all.last?.kind { outcome } else { nil }
  }

  /// The number of restarts, of the whole run or of steps.
  public var restarts: Int { count { if case .runRestarting = $0 { true } else { false } } }

  /// Returns how many attempts of a step have started, in all generations.
  ///
  /// - Parameter step: The id of the step.
  /// - Returns: The number of attempts.
  public func starts(of step: String) -> Int {
    events(of: step).count { if case .started = $0 { true } else { false } }
  }

  /// Returns how often a step has succeeded, in all generations.
  ///
  /// - Parameter step: The id of the step.
  /// - Returns: The number of successes.
  public func successes(of step: String) -> Int {
    events(of: step).count { if case .succeeded = $0 { true } else { false } }
  }

  /// Returns the delays before the retries of a step.
  ///
  /// - Parameter step: The id of the step.
  /// - Returns: The delays in the order of the retries.
  public func retryDelays(of step: String) -> [Duration] {
    events(of: step).compactMap {
      if case .retrying(_, let delay) = $0 { delay } else { nil }
    }
  }

  /// Returns the events of one step.
  ///
  /// - Parameter step: The id of the step.
  /// - Returns: The events in order.
  public func events(of step: String) -> [Event.StepEvent] {
    all.compactMap {
      if case .step(step, _, let event) = $0.kind { event } else { nil }
    }
  }

  /// Returns the complete lines of output of a step, in all generations.
  ///
  /// - Parameter step: The id of the step.
  /// - Returns: The lines.
  public func output(of step: String) -> [String] {
    events(of: step).flatMap { event -> [String] in
      guard case .output(_, let text, false) = event else { return [] }
      return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
  }

  /// What happened, without output and progress: `run started`, `build ready`, `build started`,
  /// `build succeeded`.
  ///
  /// Each text is the id of a step, or `run`, and the name of the event in JSON without its first
  /// word: `ready` is ``Event/StepEvent/waiting``, and `available` is
  /// ``Event/StepEvent/ready(_:)``.
  public var story: [String] {
    all.filter { !$0.isTransient }.map { event in
      let name = event.kind.name
      guard case .step(let id, _, let step) = event.kind else { return Self.words(name) }
      return id + " " + Self.lastWords(step.name)
    }
  }

  /// Returns whether things happened in an order, with anything between them.
  ///
  /// - Parameter texts: Entries of ``story``.
  /// - Returns: Whether the story contains them in this order.
  public func happened(inOrder texts: String...) -> Bool {
    var rest = texts[...]
    for text in story where text == rest.first { rest.removeFirst() }
    return rest.isEmpty
  }

  /// One line for each event, with the time since the first one.
  public var description: String {
    guard let start = all.first?.time else { return "no events" }
    return all.map { "\($0.time - start): \($0.kind)" }.joined(separator: "\n")
  }

  private func count(_ isCounted: (Event.Kind) -> Bool) -> Int {
    all.count { isCounted($0.kind) }
  }

  private static func words(_ name: String) -> String {
    name.split(separator: "-").joined(separator: " ")
  }

  private static func lastWords(_ name: String) -> String {
    name.split(separator: "-").dropFirst().joined(separator: " ")
  }
}
