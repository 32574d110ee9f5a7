// Tests of the Model Context Protocol: a message in, a message out.

import Reprise
import RepriseControl
import RepriseHost
import RepriseTerminal
import Testing

struct AgentProtocolTests {
  private static let rules = AgentProtocol(
    version: "1.2.3", instructions: "Do this.", tools: AgentTool.all)

  private static func line(_ text: String) -> AgentProtocol.Line {
    rules.reaction(to: Array(text.utf8))
  }

  /// Returns the answer to a message that needs no project, as JSON.
  private static func answer(_ text: String) -> String? {
    if case .single(.answer(let value)) = line(text) { value.json } else { nil }
  }

  private static func result(_ method: String, _ params: String = "{}") throws -> [String: Value] {
    let text = #"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(params)}"#
    guard case .single(.answer(.map(let message))) = line(text),
      case .map(let result)? = message["result"]
    else { throw AgentFailure(.internalError, "no result") }
    return result
  }

  // MARK: Versions

  @Test(arguments: ["2024-11-05", "2025-03-26", "2025-06-18"])
  func `a known version is answered with itself`(_ version: String) throws {
    let result = try Self.result("initialize", #"{"protocolVersion":"\#(version)"}"#)
    #expect(result["protocolVersion"] == .text(version))
    #expect(result["instructions"] == .text("Do this."))
    #expect(
      result["serverInfo"]?.json == #"{"name":"reprise","title":"Reprise","version":"1.2.3"}"#)
    #expect(result["capabilities"]?.json == #"{"resources":{},"tools":{}}"#)
  }

  @Test(arguments: [#"{"protocolVersion":"1999-01-01"}"#, #"{"protocolVersion":7}"#, "{}"])
  func `any other version is answered with the newest one`(_ params: String) throws {
    #expect(try Self.result("initialize", params)["protocolVersion"] == .text("2025-06-18"))
  }

  // MARK: Messages

  @Test(arguments: [
    ("nonsense", -32700), (#"{"jsonrpc":"2.0","#, -32700), ("\u{0}", -32700), ("{} {}", -32700),
    (String(repeating: "[", count: 100_000), -32700),
    ("1", -32600), ("{}", -32600), ("[]", -32600), ("null", -32600),
    (#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600),
    (#"{"jsonrpc":"2.0","id":1}"#, -32600), (#"{"jsonrpc":"2.0","id":1,"method":2}"#, -32600),
    (#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600),
    (#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600),
    (#"{"jsonrpc":"2.0","id":1,"method":"nowhere"}"#, -32601),
    (#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#, -32602),
    (#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#, -32602),
    (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rm"}}"#, -32602),
    (#"{"jsonrpc":"2.0","id":1,"method":"resources/read"}"#, -32602),
  ])
  func `an invalid message is answered with the code of its error`(
    _ text: String, _ code: Int
  ) throws {
    let answer = try #require(Self.answer(text))
    #expect(answer.contains(#""code":\#(code),"#), "\(answer)")
    let hasID = text.contains(#""id":1,"#) || text.contains(#""id":1}"#)
    #expect(answer.contains(hasID ? #""id":1,"# : #""id":null,"#), "\(answer)")
  }

  @Test(arguments: ["7", "-7", #""seven""#, "9007199254740993"])
  func `an answer repeats the id as it was`(_ id: String) {
    #expect(
      Self.answer(#"{"id":\#(id),"jsonrpc":"2.0","method":"ping"}"#)
        == #"{"id":\#(id),"jsonrpc":"2.0","result":{}}"#)
  }

  @Test(arguments: [
    #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    #"{"jsonrpc":"2.0","method":"notifications/nowhere","params":{}}"#,
    #"{"jsonrpc":"2.0","method":"ping"}"#, #"{"jsonrpc":"2.0","method":"ping","params":1}"#,
    #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":null}}"#,
    #"{"jsonrpc":"2.0","id":1,"result":{}}"#, #"{"jsonrpc":"2.0","id":1,"error":{}}"#,
  ])
  func `a message that is no request is not answered`(_ text: String) {
    #expect(Self.line(text) == .single(.none))
  }

  @Test func `calls, reads and cancellations are passed on`() {
    #expect(
      Self.line(
        #"{"jsonrpc":"2.0","id":"a","method":"tools/call","#
          + #""params":{"name":"status","arguments":{"run":"@last"}}}"#)
        == .single(
          .perform(.text("a"), .callTool("status", arguments: ["run": .text("@last")]))))
    #expect(
      Self.line(
        #"{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"reprise://a"}}"#)
        == .single(.perform(.number(2), .readResource(uri: "reprise://a"))))
    #expect(
      Self.line(
        #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}"#)
        == .single(.cancel(.text("a"))))
  }

  @Test func `a list is a batch`() {
    let line = Self.line(
      #"[{"jsonrpc":"2.0","id":1,"method":"resources/list"},3,{"jsonrpc":"2.0","method":"x"}]"#)
    guard case .batch(let reactions) = line, reactions.count == 3 else {
      Issue.record("\(line)")
      return
    }
    #expect(reactions[0] == .perform(.number(1), .listResources))
    #expect(reactions[2] == .none)
  }

  // MARK: Tools

  @Test func `every tool has a description and a schema without other arguments`() throws {
    guard case .list(let tools)? = try Self.result("tools/list")["tools"] else { return }
    #expect(tools.count == 10)
    for case .map(let tool) in tools {
      guard case .text(let description)? = tool["description"] else { continue }
      #expect(description.count > 40)
      let schema = try #require(tool["inputSchema"]).json
      #expect(schema.hasPrefix(#"{"additionalProperties":false,"properties":{"#), "\(schema)")
      #expect(schema.hasSuffix(#","type":"object"}"#), "\(schema)")
    }
  }

  @Test(
    arguments: [
      ("run", ["workflow": Value.text("ci"), "params": .map(["n": .number(1)])], nil),
      ("run", ["workflow": .text("ci"), "wait": .null], nil),
      ("run", [:], #"the argument "workflow" of run is missing"#),
      (
        "run", ["workflow": .text("ci"), "param": .map([:])],
        #"run has no argument "param"; did you mean "params"? (it has: workflow, params, wait)"#
      ),
      (
        "run", ["workflow": .text("ci"), "params": .map(["a": .null])],
        #"the argument "params" of run must be an object with a value for each name"#
      ),
      (
        "status", ["run": .text("a"), "wait": .number(601)],
        #"the argument "wait" of status must be a whole number from 0 to 600"#
      ),
      ("status", ["run": .number(1)], #"the argument "run" of status must be a text"#),
      (
        "restart", ["run": .text("a"), "reload": .text("true")],
        #"the argument "reload" of restart must be true or false"#
      ),
    ] as [(String, [String: Value], String?)])
  func `arguments are checked by the schema`(
    _ name: String, _ values: [String: Value], _ expected: String?
  ) throws {
    let tool = try #require(AgentTool.all.first { $0.name == name })
    var found: String?
    do throws(Problem) {
      _ = try tool.arguments(values)
    } catch {
      found = error.text.string
    }
    #expect(found == expected.map { "error: \($0)" })
  }
}
