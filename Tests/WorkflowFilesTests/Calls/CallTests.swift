import Testing

@testable import WorkflowFiles

/// Arguments of the actions that a file calls, and the errors in them.
struct CallTests {
  enum Mode: String, Codable, CaseIterable { case fast, careful }

  struct Upload: Codable, Equatable {
    struct Part: Codable, Equatable {
      let name: String
      let size: Int?
    }

    let file: String
    let retries: Int?
    let mode: Mode?
    let parts: [Part]?
    let wait: Duration?
  }

  private static let catalog: ActionCatalog = {
    var catalog = ActionCatalog()
    catalog.offer("upload") { arguments throws(ArgumentError) in
      _ = try Upload.decoded(from: arguments)
    }
    return catalog
  }()

  private func errors(_ step: String) -> [String] {
    let text = "params: { n: { type: number, default: 3 } }\nsteps:\n  - { id: a, \(step) }\n"
    do throws(WorkflowError) {
      _ = try Workflow(text: text, file: "w.yaml", actions: Self.catalog)
      return []
    } catch {
      return error.diagnostics.map {
        "\($0.line):\($0.column) \($0.message)" + ($0.hint.map { " / \($0)" } ?? "")
      }
    }
  }

  @Test(arguments: [
    "call: upload, with: { file: a.txt }",
    "call: upload, with: { file: 1.10, retries: 3, mode: fast, wait: 1m30s }",
    "call: upload, with: { file: a, retries: '3', parts: [{ name: x }, { name: y, size: 7 }] }",
    "call: upload, with: { file: a, retries: '${{ params.n }}', mode: '${{ params.n }}' }",
    "call: upload, with: { file: '${{ run.id }}', parts: [{ name: '${{ run.id }}' }] }",
    "call: upload, with: { file: a, retries: null }", "call: upload, with: { file: a }, share: x",
  ])
  func `valid arguments are accepted`(_ step: String) {
    #expect(errors(step) == [])
  }

  @Test(arguments: [
    ("call: uplaod, with: { file: a }", "3:20 there is no action \"uplaod\" / did you mean"),
    ("call: upload", "3:20 \"upload\": \"file\" is missing"),
    (
      "call: upload, with: { flie: a, mode: fast }",
      "3:36 \"upload\": \"file\" is missing / did you misspell it as \"flie\"?"
    ),
    ("call: upload, with: { fil: a, file: b }", "3:36 \"upload\": unknown name \"fil\""),
    (
      "call: upload, with: { file: a, retries: many }",
      "3:54 \"upload\": retries must be a whole number, not \"many\""
    ),
    (
      "call: upload, with: { file: a, retries: 1.5 }",
      "3:54 \"upload\": retries must be a whole number, not 1.5"
    ),
    ("call: upload, with: { file: [a] }", "3:42 \"upload\": file must be text, not a list"),
    (
      "call: upload, with: { file: a, mode: fsat }",
      "3:51 \"upload\": mode cannot be \"fsat\" / did you mean \"fast\"?"
    ),
    (
      "call: upload, with: { file: '${{ run.id }}', mode: fsat }",
      "3:65 \"upload\": mode cannot be \"fsat\" / did you mean \"fast\"?"
    ),
    (
      "call: upload, with: { file: a, parts: [{ name: x }, { size: 1 }] }",
      "3:66 \"upload\": \"parts[1].name\" is missing"
    ),
    (
      "call: upload, with: { file: a, parts: [{ name: x, colour: red }] }",
      "3:64 \"upload\": unknown name \"parts[0].colour\" / valid names: name, size"
    ),
    ("call: upload, with: { file: a, wait: soon }", "3:51 \"upload\": wait must be a duration"),
    (
      "call: upload, run: x, with: { file: a }",
      "3:28 a step can have either \"run\" or \"call\", not both"
    ),
    ("call: '#0'", "3:20 there is no action \"#0\""),
    ("run: x, with: { a: b }", "3:22 \"with\" is only valid with \"call\" or \"uses\""),
    ("approval: x, share: y", "3:27 a step that only waits for approval has no work to share"),
  ])
  func `an error in a call is reported at its line and column`(_ step: String, _ expected: String) {
    let errors = errors(step)
    #expect(errors.first?.hasPrefix(expected) == true, "\(errors)")
    #expect(errors.count == 1)
  }

  @Test func `calls are not checked without a catalog of actions`() throws {
    let workflow = try Workflow(
      text: "steps: [{ id: a, call: anything, with: { b: [1] } }]", file: "w.yaml")
    let call = try #require(workflow.steps[0].action.kind as? CallStep)
    #expect(call.action == "anything")
    #expect(call.arguments.trees == ["b": .list([.scalar(.number(1), text: "1")])])
  }

  @Test func `types survive a round trip through values`() throws {
    let upload = Upload(
      file: "1.10", retries: 3, mode: .careful,
      parts: [.init(name: "true", size: nil), .init(name: "", size: .max)],
      wait: .milliseconds(1500))
    let value = try Value(encoding: upload)
    #expect(
      value.json
        == #"{"file":"1.10","mode":"careful","parts":[{"name":"true"},{"name":"","size":"#
        + #"9223372036854775807}],"retries":3,"wait":"1500ms"}"#)
    #expect(try Upload.decoded(from: ArgumentValue(value)) == upload)
    // And through text, which is how outputs of steps are passed.
    let text = ArgumentValue(.text(value.json))
    #expect(try Upload.decoded(from: text) == upload)
    #expect(
      try [String: [Int]].decoded(from: ArgumentValue(.text("{\"a\":[1,2]}"))) == ["a": [1, 2]])
    #expect(try UInt8.decoded(from: ArgumentValue(.number(255))) == 255)
    #expect(throws: ArgumentError.self) { try UInt8.decoded(from: ArgumentValue(.number(256))) }
  }

  private static let wholeNumbers: [UInt64] = [0, 1, 1 << 53 + 1, 1 << 63, .max]

  @Test(arguments: wholeNumbers)
  func `every whole number survives a round trip`(_ number: UInt64) throws {
    let text = try Value(encoding: number).asText
    #expect(try UInt64.decoded(from: ArgumentValue(.text(text))) == number)
  }

  @Test func `every plain type survives a round trip, alone, in lists and in maps`() throws {
    struct All: Codable, Equatable {
      var boolean: Bool
      var text: String
      var double: Double
      var float: Float
      var int: Int
      var int8: Int8
      var int16: Int16
      var int32: Int32
      var int64: Int64
      var uint: UInt
      var uint8: UInt8
      var uint16: UInt16
      var uint32: UInt32
      var uint64: UInt64
    }
    let all = All(
      boolean: true, text: "1.10", double: 0.1, float: 1.5, int: .min, int8: .min, int16: .max,
      int32: .min, int64: .max, uint: .max, uint8: .max, uint16: .max, uint32: .max, uint64: .max)
    func trip<T: Codable & Equatable>(_ value: T) throws {
      #expect(try T.decoded(from: ArgumentValue(Value(encoding: value))) == value)
      #expect(
        try [T].decoded(from: ArgumentValue(Value(encoding: [value, value]))) == [value, value])
    }
    try trip(all)
    try trip(all.boolean)
    try trip(all.text)
    try trip(all.double)
    try trip(all.float)
    try trip(all.int)
    try trip(all.int8)
    try trip(all.uint8)
    try trip(all.uint64)
    try trip([all.int16: all.uint32])
    try trip([Int?.none, 3])
  }

  private static let durations: [(Duration, String)] = [
    (.zero, "0s"), (.nanoseconds(1), "0.000001ms"), (.microseconds(250), "0.25ms"),
    (.milliseconds(1500), "1500ms"), (.microseconds(1_500_250), "1500.25ms"), (.seconds(90), "90s"),
    (.seconds(3_155_760_000), "3155760000s"),
  ]

  @Test(arguments: durations)
  func `a duration survives a round trip, however short`(_ duration: Duration, _ text: String)
    throws
  {
    #expect(try Value(encoding: duration) == .text(text))
    #expect(try Duration.decoded(from: ArgumentValue(.text(text))) == duration)
  }

  @Test func `a type may validate a value itself`()
    throws
  {
    struct Even: Decodable {
      init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer().decode(Value.self)
        guard case .list(let items) = value, items.first == .number(2) else {
          throw ArgumentError([], .argument("it is not even"))
        }
      }
    }
    #expect(try Even.decoded(from: ArgumentValue.list([.scalar(.number(2), text: "2")])) != nil)
    #expect(throws: ArgumentError.self) {
      try Even.decoded(from: ArgumentValue.list([.scalar(.number(3), text: "3")]))
    }
  }
}
