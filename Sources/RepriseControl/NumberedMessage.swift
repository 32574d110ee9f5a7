// What a client names a request by, and a reply repeats: the field `id` of both. Knows nothing of what is
// asked and answered.

/// The name that a client gives to a request, to find the reply to it.
package enum RequestID: Sendable, Hashable {
  case text(String)
  case number(Int)
}

extension RequestID: Codable {
  /// Reads a text or a whole number.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let number = try? container.decode(Int.self) {
      self = .number(number)
    } else if let text = try? container.decode(String.self) {
      self = .text(text)
    } else {
      throw ControlError("the field \"id\" takes a text or a whole number")
    }
  }

  /// Writes what was read.
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

/// A line that came: what it asks for, or what is wrong with it, and the name that it goes by even then.
package struct NumberedRequest<Request: Decodable & Sendable>: Decodable, Sendable {
  /// What the client calls the request, if it does.
  package let id: RequestID?
  /// What is asked for.
  package let request: Result<Request, ControlError>

  /// Reads a line, which need not make sense.
  package init(in line: [UInt8]) {
    do throws(ControlError) {
      self = try message(NumberedRequest.self, in: line)
    } catch {
      id = nil
      request = .failure(error)
    }
  }

  /// Reads the name first, for the reply to a request that is wrong.
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

/// A reply with the name of the request that it answers.
package struct NumberedReply<Reply: Encodable & Sendable>: Encodable, Sendable {
  private let id: RequestID?
  private let reply: Reply

  /// Answers a request.
  package init(_ reply: Reply, to id: RequestID?) {
    self.reply = reply
    self.id = id
  }

  /// Writes the reply with one field more.
  package func encode(to encoder: any Encoder) throws {
    try reply.encode(to: encoder)
    var container = encoder.container(keyedBy: NumberKey.self)
    try container.encodeIfPresent(id, forKey: .id)
  }
}
