// What goes over the control socket: JSON objects, one a line. Documented for other programs in
// Documentation/control.md; a field is added there before it is here. Knows no sockets.

package import Reprise

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The version of the protocol, which every line but events names in the field `reprise`.
package let controlVersion = 1

/// What a client asks of a live run, or of the watch of a workflow.
package enum ControlRequest: Sendable, Equatable {
  /// Tell all events from now on, after those that bring the client to the present state.
  case attach
  /// Take the run again from the top, or from a step.
  case restart(from: String?)
  /// Cancel the run, without grace if it is to be now.
  case cancel(now: Bool)
  /// Approve a step that waits for that, or refuse it.
  case approve(step: String, isApproved: Bool)
  /// Start a run of a watched workflow, with these parameters.
  case trigger(parameters: [String: String])
  /// Tell where a watch stands.
  case status
}

/// What a run answers to a request.
package enum ControlReply: Sendable, Equatable {
  case ok
  /// The request could not be carried out; the text says why.
  case refused(String)
  /// Where the watch stands.
  case status(WatchStatus)
}

/// What cannot be understood or carried over the socket.
package struct ControlError: Error, Equatable, CustomStringConvertible {
  /// A complete message.
  package let description: String

  init(_ description: String) {
    self.description = description
  }

  /// What to do where nobody answers.
  static let stoppedHint = "if its process was stopped with Ctrl-Z, continue it with fg"

  /// Says what is wrong with a line that cannot be read.
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
    default: self.init(Self.notDescribed + "it is no JSON")
    }
  }

  private static let notDescribed = "a line is not what Documentation/control.md describes: "

  /// Says that a field has a value of another type than the one that is meant.
  private init(_ type: Any.Type, at path: [any CodingKey]) {
    guard !path.isEmpty else {
      self.init(Self.notDescribed + "it is no JSON object")
      return
    }
    let expected =
      switch type {
      case is String.Type: "a text"
      case is Bool.Type: "true or false"
      case is any BinaryInteger.Type: "a whole number"
      default: "an object"
      }
    self.init("the field \"\(Self.path(path))\" takes \(expected)")
  }

  private static func path(_ keys: [any CodingKey]) -> String {
    abridged(keys.map(\.stringValue).joined(separator: "."))
  }
}

extension ControlRequest: Codable {
  private enum CodingKeys: String, CodingKey {
    case reprise, request, from, now, step, approved, params
  }

  /// Reads a request of this version.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    try checkVersion(try container.decodeIfPresent(Int.self, forKey: .reprise))
    switch try container.decode(String.self, forKey: .request) {
    case "attach": self = .attach
    case "restart":
      self = .restart(from: try container.decodeIfPresent(String.self, forKey: .from))
    case "cancel":
      self = .cancel(now: try container.decodeIfPresent(Bool.self, forKey: .now) ?? false)
    case "approve":
      self = .approve(
        step: try container.decode(String.self, forKey: .step),
        isApproved: try container.decodeIfPresent(Bool.self, forKey: .approved) ?? true)
    case "trigger":
      self = .trigger(
        parameters: try container.decodeIfPresent([String: String].self, forKey: .params) ?? [:])
    case "status": self = .status
    case let other:
      throw ControlError(
        "there is no request \"\(other)\": there are attach, restart, cancel, approve, trigger and "
          + "status")
    }
  }

  /// Writes the documented shape.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(controlVersion, forKey: .reprise)
    switch self {
    case .attach:
      try container.encode("attach", forKey: .request)
    case .restart(let from):
      try container.encode("restart", forKey: .request)
      try container.encodeIfPresent(from, forKey: .from)
    case .cancel(let now):
      try container.encode("cancel", forKey: .request)
      if now { try container.encode(true, forKey: .now) }
    case .approve(let step, let isApproved):
      try container.encode("approve", forKey: .request)
      try container.encode(step, forKey: .step)
      if !isApproved { try container.encode(false, forKey: .approved) }
    case .trigger(let parameters):
      try container.encode("trigger", forKey: .request)
      if !parameters.isEmpty { try container.encode(parameters, forKey: .params) }
    case .status:
      try container.encode("status", forKey: .request)
    }
  }
}

extension ControlReply: Codable {
  private enum CodingKeys: String, CodingKey {
    case reprise, reply, text, status
  }

  /// Reads a reply of this version.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    try checkVersion(try container.decodeIfPresent(Int.self, forKey: .reprise))
    switch try container.decode(String.self, forKey: .reply) {
    case "ok": self = .ok
    case "error": self = .refused(try container.decode(String.self, forKey: .text))
    case "status":
      self = .status(try container.decode(WatchStatus.self, forKey: .status))
    case let other: throw ControlError("there is no reply \"\(other)\"")
    }
  }

  /// Writes the documented shape.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(controlVersion, forKey: .reprise)
    switch self {
    case .ok:
      try container.encode("ok", forKey: .reply)
    case .refused(let text):
      try container.encode("error", forKey: .reply)
      try container.encode(text, forKey: .text)
    case .status(let status):
      try container.encode("status", forKey: .reply)
      try container.encode(status, forKey: .status)
    }
  }
}

/// Checks that a line names the version that is spoken here.
///
/// - Throws: ``ControlError`` when it does not.
func checkVersion(_ version: Int?) throws {
  guard let version else {
    throw ControlError("the field \"reprise\" is missing: it names the version, \(controlVersion)")
  }
  guard version == controlVersion else {
    throw ControlError("version \(version) is not spoken here, but version \(controlVersion)")
  }
}

private let encoder = {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  return encoder
}()

/// One message as one line, with its line feed.
package func line(_ message: some Encodable) -> [UInt8] {
  do {
    return Array(try encoder.encode(message)) + [UInt8(ascii: "\n")]
  } catch {
    preconditionFailure("BUG: a message cannot be encoded: \(error)")
  }
}

/// Reads one line.
///
/// - Throws: ``ControlError`` that says what is wrong with it.
package func message<Message: Decodable>(
  _ type: Message.Type, in line: [UInt8]
) throws(ControlError) -> Message {
  do {
    return try JSONDecoder().decode(type, from: Data(line))
  } catch {
    throw ControlError(reading: error)
  }
}
