// What a client of the Model Context Protocol may ask for, and how it is answered. Pure.

package import Reprise
package import RepriseControl
import RepriseTerminal

/// The reason why a request has no result.
package struct AgentFailure: Error, Equatable, Sendable {
  /// The codes of JSON-RPC 2.0, and that of the Model Context Protocol for resources.
  package enum Code: Int, Sendable {
    case invalidJSON = -32700
    case invalidRequest = -32600
    case unknownMethod = -32601
    case invalidParameters = -32602
    case internalError = -32603
    case unknownResource = -32002
  }

  /// The code.
  package let code: Code
  /// What is wrong, as a clause.
  package let text: String

  /// Creates a failure.
  package init(_ code: Code, _ text: String) {
    self.code = code
    self.text = text
  }
}

/// A request whose answer needs the project.
package enum AgentRequest: Equatable, Sendable {
  case callTool(String, arguments: [String: Value])
  case listResources
  case readResource(uri: String)
}

/// What to do with a message.
package enum AgentReaction: Equatable, Sendable {
  /// Nothing: it needs no answer.
  case none
  /// Write this message.
  case answer(Value)
  /// Perform the request, and answer with its result.
  case perform(RequestID, AgentRequest)
  /// Stop performing the request, and do not answer it.
  case cancel(RequestID)
}

/// The result of a tool.
package struct AgentResult: Equatable, Sendable {
  /// What a model reads.
  package let text: String
  /// The same for programs: a map.
  package let content: Value
  /// Whether the tool could not do what was asked for.
  package let isError: Bool

  /// Creates a result.
  package init(_ text: String, _ content: [String: Value], isError: Bool = false) {
    self.text = text
    self.content = .map(content)
    self.isError = isError
  }

  /// Creates the result of a tool that could not do what was asked for.
  package init(_ problem: Problem) {
    var content: [String: Value] = ["error": .text(problem.text.string)]
    if !problem.diagnostics.isEmpty { content["diagnostics"] = Value(problem.diagnostics) }
    self.init(problem.text.string, content, isError: true)
  }

  /// The result of `tools/call`.
  package var message: Value {
    .map([
      "content": .list([.map(["type": .text("text"), "text": .text(text)])]),
      "structuredContent": content, "isError": .boolean(isError),
    ])
  }
}

extension Value {
  /// Creates the value that a document is in JSON.
  init(_ document: some Encodable) {
    let json = jsonLine(document).string
    guard let value = try? Value(json: json) else {
      preconditionFailure("BUG: \(type(of: document)) is not read as it was written")
    }
    self = value
  }

  /// The members of a map; nil for any other value.
  var members: [String: Value]? { if case .map(let members) = self { members } else { nil } }

  /// The text of a text; nil for any other value.
  var textOnly: String? { if case .text(let text) = self { text } else { nil } }
}
