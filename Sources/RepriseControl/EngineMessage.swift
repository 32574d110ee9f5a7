// What goes between an engine and the program that has started it, over standard input and output.
// Documented for other programs in Documentation/control.md. Knows nothing of how runs come about.

package import Reprise

/// What is asked of an engine.
package enum EngineRequest: Sendable, Equatable {
  /// Where the workflow of a new run comes from.
  package enum Source: Sendable, Equatable {
    /// From a file: its path, or its name in `workflows/`.
    case file(String)
    /// From the request itself, which holds the YAML.
    case text(String)
  }

  /// Start a run, with the texts of its parameters by their names.
  case start(Source, parameters: [String: String])
  /// Take a run again, cancel it, or approve one of its steps.
  case steer(run: String, ControlRequest)
}

/// What an engine answers.
package enum EngineReply: Sendable, Equatable {
  case ok
  /// The run has been recorded, and its events follow.
  case started(RunID)
  /// The request could not be carried out; the text says why, and the mistakes of the file where.
  case refused(String, diagnostics: [Diagnostic] = [])
}

extension EngineRequest: Decodable {
  private enum CodingKeys: String, CodingKey {
    case reprise, request, workflow, text, params, run
  }

  /// Reads a request of this version.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    try checkVersion(try container.decodeIfPresent(Int.self, forKey: .reprise))
    switch try container.decode(String.self, forKey: .request) {
    case "start":
      let parameters = try container.decodeIfPresent([String: String].self, forKey: .params)
      self = .start(try Self.source(in: container), parameters: parameters ?? [:])
    case "restart", "cancel", "approve":
      guard let run = try container.decodeIfPresent(String.self, forKey: .run) else {
        throw ControlError("the field \"run\" is missing: it is the id of the run that is meant")
      }
      self = .steer(run: run, try ControlRequest(from: decoder))
    case let other:
      throw ControlError(
        "there is no request \"\(other)\" here: there are start, restart, cancel and approve")
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
        "a start has either \"workflow\", the name or path of a file, or \"text\", the YAML itself")
    }
  }
}

extension EngineReply: Encodable {
  private enum CodingKeys: String, CodingKey {
    case reprise, reply, run, diagnostics
  }

  /// Writes the documented shape.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .ok:
      try ControlReply.ok.encode(to: encoder)
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
