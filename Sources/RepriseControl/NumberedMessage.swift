// Requests and replies with the field `id`, by which a client matches a reply to its request.

/// The id that a client gives to a request, which the reply repeats.
package enum RequestID: Sendable, Hashable {
  case text(String)
  case number(Int)
}

extension RequestID: Codable {
  /// Decodes a string or an integer.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let number = try? container.decode(Int.self) {
      self = .number(number)
    } else if let text = try? container.decode(String.self) {
      self = .text(text)
    } else {
      throw ControlError("the field \"id\" must be a string or an integer")
    }
  }

  /// Encodes the id in its original form.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .text(let text): try container.encode(text)
    case .number(let number): try container.encode(number)
    }
  }
}

private enum NumberKey: String, CodingKey {
  case id
}

/// A decoded line: the id, and the request or the decoding error.
package struct NumberedRequest<Request: Decodable & Sendable>: Decodable, Sendable {
  /// The id of the request, if it has one.
  package let id: RequestID?
  /// The request, or the reason why it is invalid.
  package let request: Result<Request, ControlError>

  /// Decodes a line, which may be invalid.
  package init(in line: [UInt8]) {
    do throws(ControlError) {
      self = try message(NumberedRequest.self, in: line)
    } catch {
      id = nil
      request = .failure(error)
    }
  }

  /// Decodes the id first, so that the reply to an invalid request can repeat it.
  package init(from decoder: any Decoder) throws {
    let id = try decoder.container(keyedBy: NumberKey.self)
      .decodeIfPresent(RequestID.self, forKey: .id)
    self.id = id
    do {
      request = .success(try Request(from: decoder))
    } catch {
      request = .failure(ControlError(reading: error))
    }
  }
}

/// A reply with the id of its request.
package struct NumberedReply<Reply: Encodable & Sendable>: Encodable, Sendable {
  private let id: RequestID?
  private let reply: Reply

  /// Creates the reply to a request.
  package init(_ reply: Reply, to id: RequestID?) {
    self.reply = reply
    self.id = id
  }

  /// Encodes the reply and the field `id`.
  package func encode(to encoder: any Encoder) throws {
    try reply.encode(to: encoder)
    var container = encoder.container(keyedBy: NumberKey.self)
    try container.encodeIfPresent(id, forKey: .id)
  }
}
