// The messages on a control socket: JSON objects, one per line. Documented for other programs in
// Documentation/control.md; document new fields there first.

package import Reprise

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The protocol version, which each line except events contains in the field `reprise`.
package let controlVersion = 1

/// A request from a client to a live run or a watch.
package enum ControlRequest: Sendable, Equatable {
  /// Send all events from now on, after a replay up to the current state.
  case attach
  /// Intervene in the run: restart it, or cancel or approve steps.
  case run(Intervention, by: Requester = Requester(.program))
  /// Read the workflow file again, and restart the run with it.
  case reload(ReloadOptions, by: Requester = Requester(.program))
  /// Start a run of a watched workflow with these parameters; may wait until it handles the event, if
  /// no run that the client runs in must end before.
  case trigger(parameters: [String: String], waits: Bool = false, within: [String] = [])
  /// Report the status of a watch.
  case status
}

/// What a reload runs again.
package struct ReloadOptions: Sendable, Equatable {
  /// The selectors of the steps to run again, with their dependents; empty for all.
  package var from: [String]
  /// Whether only steps that have changed run again, with their dependents.
  package var changedOnly: Bool
  /// Whether nothing is done: the answer says what would be.
  package var isDryRun: Bool
  /// Whether steps that have succeeded may keep their results although they have changed.
  package var isForced: Bool

  /// Creates options; by default, all steps run again.
  package init(
    from: [String] = [], changedOnly: Bool = false, isDryRun: Bool = false, isForced: Bool = false
  ) {
    self.from = from
    self.changedOnly = changedOnly
    self.isDryRun = isDryRun
    self.isForced = isForced
  }
}

/// The reply to a request.
package enum ControlReply: Sendable, Equatable {
  case ok
  /// The intervention was accepted.
  case accepted(InterventionAnswer)
  /// This run handles the event.
  case handled(by: RunID)
  /// The request failed, for the given reason.
  case refused(String)
  /// The status of the watch.
  case status(WatchStatus)
}

/// An invalid message, or a failure of the connection.
package struct ControlError: Error, Equatable, CustomStringConvertible {
  /// A complete message.
  package let description: String

  init(_ description: String) {
    self.description = description
  }

  /// The hint for a process that does not answer.
  static let stoppedHint = "if its process was suspended with Ctrl-Z, continue it with fg"

  /// Describes why a line could not be decoded.
  init(reading error: any Error) {
    switch error {
    case let error as ControlError: self = error
    case DecodingError.keyNotFound(let key, let context):
      self.init("the field \"\(Self.path(context.codingPath + [key]))\" is missing")
    case DecodingError.typeMismatch(let type, let context),
      DecodingError.valueNotFound(let type, let context):
      self.init(type, at: context.codingPath)
    case DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty:
      self.init("the field \"\(Self.path(context.codingPath))\" cannot be read")
    default: self.init(Self.notDescribed + "it is not JSON")
    }
  }

  private static let notDescribed = "invalid message, see Documentation/control.md: "

  /// Describes a field whose value has the wrong type.
  private init(_ type: Any.Type, at path: [any CodingKey]) {
    guard !path.isEmpty else {
      self.init(Self.notDescribed + "it is not a JSON object")
      return
    }
    let expected =
      switch type {
      case is String.Type: "a string"
      case is Bool.Type: "true or false"
      case is any BinaryInteger.Type: "an integer"
      default: "an object"
      }
    self.init("the field \"\(Self.path(path))\" must be \(expected)")
  }

  private static func path(_ keys: [any CodingKey]) -> String {
    abridged(keys.map(\.stringValue).joined(separator: "."))
  }
}

extension ControlRequest: Codable {
  /// Who makes the request, if it is one to a run.
  private var requester: Requester? {
    switch self {
    case .run(_, let requester), .reload(_, let requester): requester
    case .attach, .trigger, .status: nil
    }
  }

  fileprivate enum CodingKeys: String, CodingKey {
    case reprise, request, from, now, step, approved, params, wait, changed, force, by, result
    case outputs, values, within, only
    case isDryRun = "dry-run"
  }

  /// Decodes a request of this protocol version.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    try checkVersion(try container.decodeIfPresent(Int.self, forKey: .reprise))
    let requester =
      try container.decodeIfPresent(ClaimedRequester.self, forKey: .by)?.requester
      ?? Requester(.program)
    switch try container.decode(String.self, forKey: .request) {
    case "attach": self = .attach
    case "reload":
      self = .reload(
        ReloadOptions(
          from: try container.decodeTexts(forKey: .from),
          changedOnly: try container.decodeFlag(forKey: .changed),
          isDryRun: try container.decodeFlag(forKey: .isDryRun),
          isForced: try container.decodeFlag(forKey: .force)),
        by: requester)
    case "trigger":
      self = .trigger(
        parameters: try container.decodeIfPresent([String: String].self, forKey: .params) ?? [:],
        waits: try container.decodeFlag(forKey: .wait),
        within: try container.decodeIfPresent([String].self, forKey: .within) ?? [])
    case "status": self = .status
    case let word: self = .run(try container.decodeIntervention(word), by: requester)
    }
  }

  /// Encodes the documented format.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(controlVersion, forKey: .reprise)
    if let requester, requester != Requester(.program) {
      try container.encode(requester, forKey: .by)
    }
    switch self {
    case .attach: try container.encode("attach", forKey: .request)
    case .run(.restart(let from), _):
      try container.encode("restart", forKey: .request)
      try container.encode(texts: from, forKey: .from)
    case .run(.restartServices(let services), _):
      try container.encode("restart", forKey: .request)
      try container.encode(texts: services, forKey: .only)
    case .run(.cancel(let steps, let now), _):
      try container.encode("cancel", forKey: .request)
      try container.encode(texts: steps, forKey: .step)
      if now { try container.encode(true, forKey: .now) }
    case .run(.approve(let step, let isApproved, let values), _):
      try container.encode("approve", forKey: .request)
      try container.encodeIfPresent(step, forKey: .step)
      if !isApproved { try container.encode(false, forKey: .approved) }
      if !values.isEmpty { try container.encode(values, forKey: .values) }
    case .run(.set(let steps, let result), _):
      try container.encode("set", forKey: .request)
      try container.encode(texts: steps, forKey: .step)
      try container.encode(result.word, forKey: .result)
      if case .succeeded(let outputs) = result, !outputs.isEmpty {
        try container.encode(outputs, forKey: .outputs)
      }
    case .run(.pause, _): try container.encode("pause", forKey: .request)
    case .run(.unpause, _): try container.encode("unpause", forKey: .request)
    case .reload(let options, _):
      try container.encode("reload", forKey: .request)
      try container.encode(texts: options.from, forKey: .from)
      if options.changedOnly { try container.encode(true, forKey: .changed) }
      if options.isDryRun { try container.encode(true, forKey: .isDryRun) }
      if options.isForced { try container.encode(true, forKey: .force) }
    case .trigger(let parameters, let waits, let runs):
      try container.encode("trigger", forKey: .request)
      if !parameters.isEmpty { try container.encode(parameters, forKey: .params) }
      if waits { try container.encode(true, forKey: .wait) }
      if !runs.isEmpty { try container.encode(runs, forKey: .within) }
    case .status: try container.encode("status", forKey: .request)
    }
  }
}

/// What a client says about itself.
///
/// Only a terminal of this process has keys, and only signals are signals.
private struct ClaimedRequester: Decodable {
  var kind: String?
  var name: String?
  var user: String?
  var comment: String?

  var requester: Requester {
    let kind = kind.flatMap(Requester.Kind.init)
    let claimed = kind.flatMap { [.attach, .command].contains($0) ? $0 : nil } ?? .program
    return Requester(claimed, name: name, user: user, comment: comment)
  }
}

extension KeyedDecodingContainer<ControlRequest.CodingKeys> {
  fileprivate func decodeIntervention(_ word: String) throws -> Intervention {
    switch word {
    case "restart":
      guard contains(.only) else { return .restart(from: try decodeTexts(forKey: .from)) }
      if contains(.from) { throw ControlError("a restart has \"from\" or \"only\", not both") }
      return .restartServices(try decodeTexts(forKey: .only))
    case "cancel":
      return .cancel(steps: try decodeTexts(forKey: .step), now: try decodeFlag(forKey: .now))
    case "approve":
      return .approve(
        step: try decodeIfPresent(String.self, forKey: .step),
        isApproved: try decodeIfPresent(Bool.self, forKey: .approved) ?? true,
        values: try decodeIfPresent([String: String].self, forKey: .values) ?? [:])
    case "set": return .set(steps: try decodeTexts(forKey: .step), try decodeResult())
    case "pause": return .pause
    case "unpause": return .unpause
    default:
      throw ControlError(
        "there is no request \"\(word)\": requests are attach, restart, reload, cancel, approve, "
          + "set, pause, unpause, trigger and status")
    }
  }

  /// Decodes a result that is set by hand.
  fileprivate func decodeResult() throws -> HandmadeResult {
    let word = try decode(String.self, forKey: .result)
    let outputs = try decodeIfPresent([String: String].self, forKey: .outputs) ?? [:]
    guard let result = HandmadeResult(word: word, outputs: outputs) else {
      throw ControlError("there is no result \"\(abridged(word))\": it is succeeded or skipped")
    }
    if result == .skipped, !outputs.isEmpty {
      throw ControlError("a skipped step has no outputs")
    }
    return result
  }
}

extension KeyedDecodingContainer {
  fileprivate func decodeFlag(forKey key: Key) throws -> Bool {
    try decodeIfPresent(Bool.self, forKey: key) ?? false
  }

  /// Decodes a field that is one text or a list of texts; an empty list if it is missing.
  fileprivate func decodeTexts(forKey key: Key) throws -> [String] {
    guard contains(key), try !decodeNil(forKey: key) else { return [] }
    if let list = try? decode([String].self, forKey: key) { return list }
    return [try decode(String.self, forKey: key)]
  }
}

extension KeyedEncodingContainer {
  /// Encodes a list of texts: one as a text, none not at all.
  fileprivate mutating func encode(texts: [String], forKey key: Key) throws {
    if texts.count == 1 {
      try encode(texts[0], forKey: key)
    } else if !texts.isEmpty {
      try encode(texts, forKey: key)
    }
  }
}

extension ControlReply {
  /// The reply to an intervention.
  package init(_ result: Result<InterventionAnswer, InterventionRefusal>) {
    switch result {
    case .success(let answer): self = .accepted(answer)
    case .failure(let refusal): self = .refused(refusal.description)
    }
  }

  /// Whether the request was accepted.
  package var isAccepted: Bool {
    switch self {
    case .ok, .accepted, .handled, .status: true
    case .refused: false
    }
  }
}

extension ControlReply: Codable {
  private enum CodingKeys: String, CodingKey {
    case reprise, reply, text, status, generation, steps, run
  }

  /// Decodes a reply of this protocol version.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    try checkVersion(try container.decodeIfPresent(Int.self, forKey: .reprise))
    switch try container.decode(String.self, forKey: .reply) {
    case "ok":
      if let run = try container.decodeIfPresent(String.self, forKey: .run) {
        guard let id = RunID(run) else {
          throw ControlError("\(abridged(run)) is not the id of a run")
        }
        self = .handled(by: id)
        return
      }
      guard let text = try container.decodeIfPresent(String.self, forKey: .text) else {
        self = .ok
        return
      }
      self = .accepted(
        InterventionAnswer(
          text, generation: try container.decodeIfPresent(Int.self, forKey: .generation),
          steps: try container.decodeIfPresent([String].self, forKey: .steps)))
    case "error": self = .refused(try container.decode(String.self, forKey: .text))
    case "status":
      self = .status(try container.decode(WatchStatus.self, forKey: .status))
    case let other: throw ControlError("there is no reply \"\(other)\"")
    }
  }

  /// Encodes the documented format.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(controlVersion, forKey: .reprise)
    switch self {
    case .ok:
      try container.encode("ok", forKey: .reply)
    case .accepted(let answer):
      try container.encode("ok", forKey: .reply)
      try container.encode(answer.description, forKey: .text)
      try container.encodeIfPresent(answer.generation, forKey: .generation)
      try container.encodeIfPresent(answer.steps, forKey: .steps)
    case .handled(let run):
      try container.encode("ok", forKey: .reply)
      try container.encode(run.description, forKey: .run)
    case .refused(let text):
      try container.encode("error", forKey: .reply)
      try container.encode(text, forKey: .text)
    case .status(let status):
      try container.encode("status", forKey: .reply)
      try container.encode(status, forKey: .status)
    }
  }
}

/// Checks the protocol version of a message.
///
/// - Throws: ``ControlError`` if it is missing or not supported.
func checkVersion(_ version: Int?) throws {
  guard let version else {
    throw ControlError("the field \"reprise\" is missing: it is the version, \(controlVersion)")
  }
  guard version == controlVersion else {
    throw ControlError("version \(version) is not supported; use version \(controlVersion)")
  }
}

private let encoder = {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  return encoder
}()

/// Encodes a message as one line, with a line feed.
package func line(_ message: some Encodable) -> [UInt8] {
  do {
    return Array(try encoder.encode(message)) + [UInt8(ascii: "\n")]
  } catch {
    preconditionFailure("BUG: a message cannot be encoded: \(error)")
  }
}

/// Decodes a message from a line.
///
/// - Throws: ``ControlError`` if the line is invalid.
package func message<Message: Decodable>(
  _ type: Message.Type, in line: [UInt8]
) throws(ControlError) -> Message {
  do {
    return try JSONDecoder().decode(type, from: Data(line))
  } catch {
    throw ControlError(reading: error)
  }
}
