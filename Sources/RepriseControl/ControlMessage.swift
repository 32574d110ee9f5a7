// What goes over the control socket: JSON objects, one a line. Documented for other programs in
// Documentation/control.md; a field is added there before it is here. Knows no sockets.

import Reprise

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The version of the protocol, which every line but events names in the field `reprise`.
public let controlVersion = 1

/// What a client asks of a live run.
public enum ControlRequest: Sendable, Equatable {
  /// Tell all events from now on, after those that bring the client to the present state.
  case attach
  /// Take the run again from the top, or from a step.
  case restart(from: String?)
  /// Cancel the run, without grace if it is to be now.
  case cancel(now: Bool)
  /// Approve a step that waits for that, or refuse it.
  case approve(step: String, isApproved: Bool)
}

/// What a run answers to a request.
public enum ControlReply: Sendable, Equatable {
  case ok
  /// The request could not be carried out; the text says why.
  case refused(String)
}

/// What cannot be understood or carried over the socket.
public struct ControlError: Error, Equatable, CustomStringConvertible {
  /// A complete message.
  public let description: String

  init(_ description: String) {
    self.description = description
  }
}

extension ControlRequest: Codable {
  private enum CodingKeys: String, CodingKey {
    case reprise, request, from, now, step, approved
  }

  /// Reads a request of this version.
  public init(from decoder: any Decoder) throws {
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
    case let other:
      throw ControlError(
        "there is no request \"\(other)\": there are attach, restart, cancel and approve")
    }
  }

  /// Writes the documented shape.
  public func encode(to encoder: any Encoder) throws {
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
    }
  }
}

extension ControlReply: Codable {
  private enum CodingKeys: String, CodingKey {
    case reprise, reply, text
  }

  /// Reads a reply of this version.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    try checkVersion(try container.decodeIfPresent(Int.self, forKey: .reprise))
    switch try container.decode(String.self, forKey: .reply) {
    case "ok": self = .ok
    case "error": self = .refused(try container.decode(String.self, forKey: .text))
    case let other: throw ControlError("there is no reply \"\(other)\"")
    }
  }

  /// Writes the documented shape.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(controlVersion, forKey: .reprise)
    switch self {
    case .ok:
      try container.encode("ok", forKey: .reply)
    case .refused(let text):
      try container.encode("error", forKey: .reply)
      try container.encode(text, forKey: .text)
    }
  }
}

private func checkVersion(_ version: Int?) throws {
  guard let version else {
    throw ControlError("the field \"reprise\" is missing: it names the version, \(controlVersion)")
  }
  guard version == controlVersion else {
    throw ControlError("version \(version) is not spoken here, but version \(controlVersion)")
  }
}

/// One message as one line, with its line feed.
func line(_ message: some Encodable) -> [UInt8] {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  do {
    return Array(try encoder.encode(message)) + [UInt8(ascii: "\n")]
  } catch {
    preconditionFailure("BUG: a message cannot be encoded: \(error)")
  }
}

/// Reads one line.
///
/// - Throws: ``ControlError`` that says what is wrong with it.
func message<Message: Decodable>(_ type: Message.Type, in line: [UInt8]) throws(ControlError)
  -> Message
{
  do {
    return try JSONDecoder().decode(type, from: Data(line))
  } catch let error as ControlError {
    throw error
  } catch {
    throw ControlError("a line is not what Documentation/control.md describes: \(error)")
  }
}
