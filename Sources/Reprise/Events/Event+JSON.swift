// The JSON form and the descriptions of events, generated from their tables.
// Documentation/events.md specifies the JSON form; document a new field or name there first.

extension Event: Codable {
  private static let sample = Event(
    time: Timestamp(microseconds: 0), run: RunID(), generation: 1, kind: .runEnded(.succeeded))

  /// Encodes the event in the documented form.
  public func encode(to encoder: any Encoder) throws {
    _ = try coded(by: FieldCoder(encoder))
  }

  /// Decodes an event that `encode(to:)` has written.
  public init(from decoder: any Decoder) throws {
    self = try Self.sample.coded(by: FieldCoder(decoder))
  }

  private func coded(by fields: FieldCoder) throws -> Event {
    var fields = fields
    return Event(
      time: try fields.value("time", time), run: try fields.value("run", run),
      generation: try fields.value("generation", generation),
      kind: try fields.cases("event", kind), by: try fields.value("by", by, default: nil))
  }
}

extension Event: CustomStringConvertible {
  /// A one-line description, such as `3fk2m9x0ab, generation 2: step build, attempt 1: started`.
  public var description: String {
    "\(run), generation \(generation): \(kind)" + (by.map { ", by \($0)" } ?? "")
  }
}

extension Event.Kind: CustomStringConvertible {
  /// The name in JSON and in the journal's database.
  package var name: String {
    if case .step(_, _, let event) = self { event.name } else { row.name }
  }

  /// A one-line description, such as `step build, attempt 1: started`.
  public var description: String { row.text() }
}

extension Event.StepEvent: CustomStringConvertible {
  /// The name in JSON and in the journal's database.
  package var name: String { row.name }
  /// A description such as `failed: exited with status 2`; for output, the output itself.
  public var description: String { row.text() }
}

extension RunOutcome: CustomStringConvertible {
  /// The name of the outcome in JSON.
  package var name: String { row.name }
  /// A clause such as `step "build" failed: exited with status 2`.
  public var description: String { row.text() }
}

extension FailureReason: Codable, CustomStringConvertible {
  /// Encodes the reason in the documented form.
  public func encode(to encoder: any Encoder) throws {
    var fields = FieldCoder(encoder)
    try fields.cases("kind", self)
  }

  /// Decodes a reason that `encode(to:)` has written.
  public init(from decoder: any Decoder) throws {
    var fields = try FieldCoder(decoder)
    self = try fields.cases("kind", .rejected)
  }

  /// A clause such as `exited with status 2`.
  public var description: String { row.text() }
}

extension CancellationCause: Codable, CustomStringConvertible {
  /// Encodes the cause in the documented form.
  public func encode(to encoder: any Encoder) throws {
    var fields = FieldCoder(encoder)
    try fields.cases("kind", self)
  }

  /// Decodes a cause that `encode(to:)` has written.
  public init(from decoder: any Decoder) throws {
    var fields = try FieldCoder(decoder)
    self = try fields.cases("kind", .request)
  }

  /// A clause such as `because step "build" failed`.
  public var description: String { row.text() }
}
