// The messages between `reprise engine` and the program that started it, over standard input and
// output. Documented for other programs in Documentation/control.md.

package import Reprise

/// A request to an engine.
package enum EngineRequest: Sendable, Equatable {
  /// The source of the workflow of a new run.
  package enum Source: Sendable, Equatable {
    /// A file: its path, or its name in `workflows/`.
    case file(String)
    /// YAML in the request itself.
    case text(String)
  }

  /// Start a run with parameter values, as text, by name.
  case start(Source, parameters: [String: String])
  /// A request to a run.
  case control(run: String, ControlRequest)
}

/// The reply of an engine.
package enum EngineReply: Sendable, Equatable {
  case ok
  /// The intervention was accepted.
  case accepted(InterventionAnswer)
  /// The run has been recorded, and its events follow.
  case started(RunID)
  /// The request failed, for the given reason; with the errors of the workflow file, if any.
  case refused(String, diagnostics: [Diagnostic] = [])
}

extension EngineRequest: Decodable {
  private enum CodingKeys: String, CodingKey {
    case reprise, request, workflow, text, params, run
  }

  /// Decodes a request of this protocol version.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    try checkVersion(try container.decodeIfPresent(Int.self, forKey: .reprise))
    switch try container.decode(String.self, forKey: .request) {
    case "start":
      let parameters = try container.decodeIfPresent([String: String].self, forKey: .params)
      self = .start(try Self.source(in: container), parameters: parameters ?? [:])
    case "restart", "reload", "cancel", "approve", "set", "pause", "unpause":
      guard let run = try container.decodeIfPresent(String.self, forKey: .run) else {
        throw ControlError("the field \"run\" is missing: it must be the id of a run")
      }
      self = .control(run: run, try ControlRequest(from: decoder))
    case let other:
      throw ControlError(
        "there is no request \"\(other)\": requests are start, restart, reload, cancel, approve, "
          + "set, pause and unpause")
    }
  }

  private static func source(in container: KeyedDecodingContainer<CodingKeys>) throws -> Source {
    let file = try container.decodeIfPresent(String.self, forKey: .workflow)
    let text = try container.decodeIfPresent(String.self, forKey: .text)
    switch (file, text) {
    case (let file?, nil): return .file(file)
    case (nil, let text?): return .text(text)
    default:
      throw ControlError(
        "a start needs either \"workflow\", the name or path of a file, or \"text\", the YAML")
    }
  }
}

extension EngineReply: Encodable {
  private enum CodingKeys: String, CodingKey {
    case reprise, reply, run, diagnostics
  }

  /// Encodes the documented format.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .ok:
      try ControlReply.ok.encode(to: encoder)
    case .accepted(let answer):
      try ControlReply.accepted(answer).encode(to: encoder)
    case .started(let run):
      try container.encode(controlVersion, forKey: .reprise)
      try container.encode("started", forKey: .reply)
      try container.encode(run, forKey: .run)
    case .refused(let text, let diagnostics):
      try ControlReply.refused(text).encode(to: encoder)
      if !diagnostics.isEmpty { try container.encode(diagnostics, forKey: .diagnostics) }
    }
  }
}
