// The Model Context Protocol: JSON-RPC 2.0 messages, and the methods of a server. Pure.

package import Reprise
package import RepriseControl

/// The rules by which a server of the Model Context Protocol answers.
///
/// They depend on nothing that was received before, so requests before `initialize` are answered.
package struct AgentProtocol: Sendable {
  /// The versions of the protocol that are spoken, the newest last.
  package static let versions = ["2024-11-05", "2025-03-26", "2025-06-18"]

  /// A line that was received.
  package enum Line: Equatable, Sendable {
    case single(AgentReaction)
    /// Several messages whose answers are one list.
    case batch([AgentReaction])
  }

  private let version: String
  private let instructions: String
  private let tools: [AgentTool]

  /// Creates the rules of a server.
  ///
  /// - Parameters:
  ///   - version: The version of the command.
  ///   - instructions: What a model should know before it calls a tool.
  ///   - tools: The tools.
  package init(version: String, instructions: String, tools: [AgentTool]) {
    self.version = version
    self.instructions = instructions
    self.tools = tools
  }

  /// Returns what to do with a line.
  ///
  /// - Parameter line: The line without its line feed; anything.
  /// - Returns: What to do; an error is an answer, too.
  package func reaction(to line: [UInt8]) -> Line {
    let value: Value
    do throws(JSONError) {
      value = try Value(json: String(decoding: line, as: UTF8.self))
    } catch {
      return .single(Self.failed(nil, AgentFailure(.invalidJSON, "invalid JSON: \(error)")))
    }
    guard case .list(let messages) = value else { return .single(reaction(to: value)) }
    guard !messages.isEmpty else {
      return .single(Self.failed(nil, AgentFailure(.invalidRequest, "the list is empty")))
    }
    return .batch(messages.map { reaction(to: $0) })
  }

  /// Returns the answer to a request.
  package static func answer(
    to id: RequestID?, _ result: Result<Value, AgentFailure>
  ) -> Value {
    var message: [String: Value] = ["jsonrpc": .text("2.0"), "id": id.map(Value.init) ?? .null]
    switch result {
    case .success(let value): message["result"] = value
    case .failure(let failure):
      message["error"] = .map([
        "code": .number(Double(failure.code.rawValue)), "message": .text(failure.text),
      ])
    }
    return .map(message)
  }

  private static func failed(_ id: RequestID?, _ failure: AgentFailure) -> AgentReaction {
    .answer(answer(to: id, .failure(failure)))
  }

  // MARK: Messages

  private func reaction(to message: Value) -> AgentReaction {
    let members = message.members ?? [:]
    let id = members["id"].flatMap { RequestID($0) }
    func invalid(_ text: String) -> AgentReaction {
      Self.failed(id, AgentFailure(.invalidRequest, text))
    }
    guard members["jsonrpc"] == .text("2.0") else {
      return invalid("the message is not an object with \"jsonrpc\": \"2.0\"")
    }
    guard let method = members["method"] else {
      // Nothing is requested from clients, so they have nothing to answer.
      let isAnswer = members["result"] != nil || members["error"] != nil
      return isAnswer ? .none : invalid("the field \"method\" is missing")
    }
    guard let method = method.textOnly else { return invalid("\"method\" must be a text") }
    guard id != nil || members["id"] == nil else {
      return invalid("\"id\" must be a text or a whole number")
    }
    guard let params = (members["params"] ?? .map([:])).members else {
      guard let id else { return .none }
      return Self.failed(id, AgentFailure(.invalidParameters, "\"params\" must be an object"))
    }
    guard let id else { return reaction(toNotification: method, params) }
    do throws(AgentFailure) {
      return try reaction(to: method, params, id)
    } catch {
      return Self.failed(id, error)
    }
  }

  private func reaction(
    toNotification method: String, _ params: [String: Value]
  ) -> AgentReaction {
    guard method == "notifications/cancelled", let id = params["requestId"].flatMap(RequestID.init)
    else { return .none }
    return .cancel(id)
  }

  private func reaction(
    to method: String, _ params: [String: Value], _ id: RequestID
  ) throws(AgentFailure) -> AgentReaction {
    func result(_ members: [String: Value]) -> AgentReaction {
      .answer(Self.answer(to: id, .success(.map(members))))
    }
    switch method {
    case "initialize": return result(greeting(params["protocolVersion"]))
    case "ping": return result([:])
    case "tools/list": return result(["tools": .list(tools.map(\.declaration))])
    case "tools/call": return .perform(id, try call(params))
    case "resources/list": return .perform(id, .listResources)
    case "resources/templates/list":
      return result(["resourceTemplates": .list(AgentResource.templates)])
    case "resources/read":
      guard let uri = params["uri"]?.textOnly else {
        throw AgentFailure(.invalidParameters, "\"uri\" must be a text")
      }
      return .perform(id, .readResource(uri: uri))
    default:
      throw AgentFailure(.unknownMethod, "there is no method \"\(abridged(method))\"")
    }
  }

  private func greeting(_ wanted: Value?) -> [String: Value] {
    let known = Self.versions.map(Value.text)
    return [
      "protocolVersion": known.first { $0 == wanted } ?? known.last ?? .null,
      "capabilities": .map(["tools": .map([:]), "resources": .map([:])]),
      "serverInfo": .map([
        "name": .text("reprise"), "title": .text("Reprise"), "version": .text(version),
      ]),
      "instructions": .text(instructions),
    ]
  }

  private func call(_ params: [String: Value]) throws(AgentFailure) -> AgentRequest {
    guard let name = params["name"]?.textOnly else {
      throw AgentFailure(.invalidParameters, "\"name\" must be a text")
    }
    guard tools.contains(where: { $0.name == name }) else {
      let names = tools.map(\.name).joined(separator: ", ")
      throw AgentFailure(
        .invalidParameters, "there is no tool \"\(abridged(name))\"; the tools are: \(names)")
    }
    guard let arguments = (params["arguments"] ?? .map([:])).members else {
      throw AgentFailure(.invalidParameters, "\"arguments\" must be an object")
    }
    return .callTool(name, arguments: arguments)
  }
}

extension RequestID {
  /// Reads an id; nil if it is neither a text nor a whole number.
  fileprivate init?(_ value: Value) {
    switch value {
    case .text(let text): self = .text(text)
    case .number(let number):
      guard let whole = Int(exactly: number) else { return nil }
      self = .number(whole)
    case .digits(let digits):
      guard let whole = Int(digits) else { return nil }
      self = .number(whole)
    case .null, .boolean, .list, .map: return nil
    }
  }
}

extension Value {
  fileprivate init(_ id: RequestID) {
    switch id {
    case .text(let text): self = .text(text)
    case .number(let number): self = Value.number(String(number), Double(number))
    }
  }
}
