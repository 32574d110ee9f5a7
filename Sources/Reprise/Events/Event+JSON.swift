// Events in JSON and as texts, from their table. The shape is documented for other programs in
// Documentation/events.md; a field or a name is added there before it is here.

extension Event: Codable {
  private static let sample = Event(
    time: Timestamp(microseconds: 0), run: RunID(), generation: 1, kind: .runEnded(.succeeded))

  /// Writes the documented shape.
  public func encode(to encoder: any Encoder) throws {
    _ = try coded(by: FieldCoder(encoder))
  }

  /// Reads what `encode(to:)` writes.
  public init(from decoder: any Decoder) throws {
    self = try Self.sample.coded(by: FieldCoder(decoder))
  }

  private func coded(by fields: FieldCoder) throws -> Event {
    var fields = fields
    return Event(
      time: try fields.value("time", time), run: try fields.value("run", run),
      generation: try fields.value("generation", generation),
      kind: try fields.cases("event", kind))
  }
}

extension Event: CustomStringConvertible {
  /// The event in one line, such as `3fk2m9x0ab, generation 2: step build, attempt 1: started`.
  public var description: String { "\(run), generation \(generation): \(kind)" }
}

extension Event.Kind: CustomStringConvertible {
  /// The name in JSON, in the journal and in its database.
  package var name: String { row.name }
  /// What happened in one line, such as `step build, attempt 1: started`.
  public var description: String { row.text() }
}

extension Event.StepEvent: CustomStringConvertible {
  /// The name in JSON, in the journal and in its database.
  package var name: String { row.name }
  /// What happened in one line, such as `failed: exited with status 2`; what a step wrote as it wrote it.
  public var description: String { row.text() }
}

extension RunOutcome: CustomStringConvertible {
  /// The outcome in one word, as in JSON.
  package var name: String { row.name }
  /// How a run ended, as a clause such as `step "build" exited with status 2`.
  public var description: String { row.text() }
}

extension FailureReason: Codable, CustomStringConvertible {
  /// Writes the documented shape.
  public func encode(to encoder: any Encoder) throws {
    var fields = FieldCoder(encoder)
    try fields.cases("kind", self)
  }

  /// Reads what `encode(to:)` writes.
  public init(from decoder: any Decoder) throws {
    var fields = try FieldCoder(decoder)
    self = try fields.cases("kind", .rejected)
  }

  /// A short sentence without a full stop, such as `exited with status 2`.
  public var description: String { row.text() }
}

extension CancellationCause: Codable, CustomStringConvertible {
  /// Writes the documented shape.
  public func encode(to encoder: any Encoder) throws {
    var fields = FieldCoder(encoder)
    try fields.cases("kind", self)
  }

  /// Reads what `encode(to:)` writes.
  public init(from decoder: any Decoder) throws {
    var fields = try FieldCoder(decoder)
    self = try fields.cases("kind", .request)
  }

  /// A short clause, such as `because step "build" failed`.
  public var description: String { row.text() }
}
