// What starts runs of a watched workflow, as its file declares it under `on`.

import YAML

/// What starts runs of a workflow while it is watched, and what happens to events that come while one
/// is under way.
public struct Triggers: Sendable, Equatable {
  /// What starts them: at most one of each kind, in the order of ``kinds``.
  package var sources: [any TriggerKind] = []
  /// What happens to an event that comes while a run is under way.
  public var whenBusy = BusyPolicy.queue
  /// Whether `restart` takes only the steps again that changed files matter to.
  public var restartsAffected = false
  /// How long it has to be quiet before files or lines start something; what suits them when nil.
  public var debounce: Duration?
  /// How many events may wait, and what happens to more.
  public var buffer = EventBuffer()

  /// Nothing that starts runs.
  public init() {}
}

/// One way to start runs.
///
/// A kind is one file here, and one in `RepriseHost/Watching/Sources`, which listens for its events.
package protocol TriggerKind: Sendable, Equatable {
  /// Whether it may start runs after standard input has come to its end.
  static var outlivesInput: Bool { get }
  /// What starts runs, in words; one for each thing.
  var words: [String] { get }
}

/// How a kind of trigger is read from a file.
protocol TriggerKey: TriggerKind {
  /// Its key under `on`.
  static var key: Key { get }

  /// Reads the value of the key; nil where it starts nothing, or is wrong, which is reported.
  static func read(
    _ node: Node, _ reader: inout WorkflowReader, _ context: WorkflowReader.Context
  ) -> Self?
}

extension TriggerKind {
  package static var outlivesInput: Bool { true }

  fileprivate func equals(_ other: any TriggerKind) -> Bool { (other as? Self) == self }
}

extension Triggers {
  /// All kinds, in the order in which they are listed.
  static let kinds: [any TriggerKey.Type] = [
    FileTrigger.self, ScheduleTrigger.self, InputTrigger.self, SocketTrigger.self,
    AfterTrigger.self, StartTrigger.self,
  ]

  /// The trigger of a kind, if there is one.
  package subscript<Kind: TriggerKind>(kind: Kind.Type) -> Kind? {
    get { sources.lazy.compactMap { $0 as? Kind }.first }
    set {
      let others = sources.filter { !($0 is Kind) } + (newValue.map { [$0] } ?? [])
      let order = Self.kinds.map { ObjectIdentifier($0) }
      sources = others.sorted { first, second in
        (order.firstIndex(of: ObjectIdentifier(type(of: first))) ?? 0)
          < (order.firstIndex(of: ObjectIdentifier(type(of: second))) ?? 0)
      }
    }
  }

  /// Whether something may start a run when standard input is over.
  package var goesOnWithoutInput: Bool { sources.contains { type(of: $0).outlivesInput } }

  /// What starts runs, in words.
  package var words: [String] { sources.flatMap { $0.words } }

  /// Whether two files start runs by the same, and do the same with events.
  public static func == (first: Triggers, second: Triggers) -> Bool {
    first.sources.elementsEqual(second.sources) { $0.equals($1) }
      && first.whenBusy == second.whenBusy && first.debounce == second.debounce
      && first.restartsAffected == second.restartsAffected && first.buffer == second.buffer
  }
}

/// What happens to an event that comes while a run is under way.
public enum BusyPolicy: String, Sendable, CaseIterable {
  /// It waits for its turn.
  case queue
  /// The run is taken again, with the event.
  case restart
  /// It is dropped.
  case ignore
  /// It starts a run beside the others.
  case parallel
}

/// How many events may wait, and what happens to more.
public struct EventBuffer: Sendable, Equatable {
  /// What happens to an event that finds the buffer full.
  public enum FullPolicy: String, Sendable, CaseIterable {
    /// The one that has waited longest is dropped.
    case dropOldest = "drop-oldest"
    /// It is dropped.
    case dropNewest = "drop-newest"
    /// The watch ends with an error; whoever waits for an answer is refused instead.
    case fail
  }

  /// How many events may wait, at least 1.
  public var size: Int
  /// What happens to more.
  public var whenFull: FullPolicy

  /// Sets up a buffer.
  public init(size: Int = 10, whenFull: FullPolicy = .dropOldest) {
    self.size = size
    self.whenFull = whenFull
  }
}
