// The JSON shape of failure reasons and causes: an object whose `kind` names the case.
// Durations are numbers of seconds.

extension FailureReason: Codable {
  private enum CodingKeys: String, CodingKey {
    case kind, status, signal, seconds, text
  }

  private enum Kind: String, Codable {
    case exited, signalled, threw, rejected
    case timedOut = "timed-out"
    case notStarted = "not-started"
    case badOutputs = "bad-outputs"
    case badValue = "bad-value"
  }

  /// Writes the documented shape.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .exited(let status):
      try container.encode(Kind.exited, forKey: .kind)
      try container.encode(status, forKey: .status)
    case .signalled(let signal):
      try container.encode(Kind.signalled, forKey: .kind)
      try container.encode(signal, forKey: .signal)
    case .timedOut(let duration):
      try container.encode(Kind.timedOut, forKey: .kind)
      try container.encode(duration.inSeconds, forKey: .seconds)
    case .notStarted(let text):
      try container.encode(Kind.notStarted, forKey: .kind)
      try container.encode(text, forKey: .text)
    case .badOutputs(let text):
      try container.encode(Kind.badOutputs, forKey: .kind)
      try container.encode(text, forKey: .text)
    case .badValue(let text):
      try container.encode(Kind.badValue, forKey: .kind)
      try container.encode(text, forKey: .text)
    case .rejected:
      try container.encode(Kind.rejected, forKey: .kind)
    case .threw(let text):
      try container.encode(Kind.threw, forKey: .kind)
      try container.encode(text, forKey: .text)
    }
  }

  /// Reads what `encode(to:)` writes.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self =
      switch try container.decode(Kind.self, forKey: .kind) {
      case .exited: .exited(status: try container.decode(Int.self, forKey: .status))
      case .signalled: .signalled(signal: try container.decode(Int.self, forKey: .signal))
      case .timedOut:
        .timedOut(after: .seconds(try container.decode(Double.self, forKey: .seconds)))
      case .notStarted: .notStarted(try container.decode(String.self, forKey: .text))
      case .badOutputs: .badOutputs(try container.decode(String.self, forKey: .text))
      case .badValue: .badValue(try container.decode(String.self, forKey: .text))
      case .rejected: .rejected
      case .threw: .threw(try container.decode(String.self, forKey: .text))
      }
  }
}

extension CancellationCause: Codable {
  private enum CodingKeys: String, CodingKey {
    case kind, step, text
  }

  private enum Kind: String, Codable {
    case request, restart, failure, abandoned, interrupted
    case runTimedOut = "run-timed-out"
  }

  /// Writes the documented shape.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .request: try container.encode(Kind.request, forKey: .kind)
    case .restart: try container.encode(Kind.restart, forKey: .kind)
    case .failure(let step):
      try container.encode(Kind.failure, forKey: .kind)
      try container.encode(step, forKey: .step)
    case .runTimedOut: try container.encode(Kind.runTimedOut, forKey: .kind)
    case .abandoned(let text):
      try container.encode(Kind.abandoned, forKey: .kind)
      try container.encode(text, forKey: .text)
    case .interrupted: try container.encode(Kind.interrupted, forKey: .kind)
    }
  }

  /// Reads what `encode(to:)` writes.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self =
      switch try container.decode(Kind.self, forKey: .kind) {
      case .request: .request
      case .restart: .restart
      case .failure: .failure(ofStep: try container.decode(String.self, forKey: .step))
      case .runTimedOut: .runTimedOut
      case .abandoned: .abandoned(try container.decode(String.self, forKey: .text))
      case .interrupted: .interrupted
      }
  }
}

extension Duration {
  var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
