// The results of closures and actions, in a package with the default settings of the compiler.

import Foundation
import Reprise
import TestSupport
import Testing

nonisolated private struct NotEncodable: Sendable {}

nonisolated private struct Order: Codable, Equatable, Sendable {
  var page: URL
  var price: Decimal
  var at = Date(timeIntervalSinceReferenceDate: 800_000_000.25)
  var note: String?
  var tags: [String: Int?] = ["a": 1, "b": nil]
  var id = UUID()
  var data = Data([0, 1, 255])
  var wait = Duration.milliseconds(1500)
  var pages: [URL]

  init() throws {
    page = try #require(URL(string: "https://example.org/a?b=c"))
    price = try #require(Decimal(string: "19.90"))
    pages = [try #require(URL(string: "file:///tmp/x%20y"))]
  }
}

struct ResultTypeTests {
  /// Returns what a later step reads of the result of an earlier one.
  private func roundTrip<T: Codable & Sendable>(_ value: T) async throws -> T {
    let first = StepOutput<T>("first")
    let copy = StepOutput<T>("copy")
    let workflow = try Workflow("trip") {
      Step(first) { _ in value }
      Step(copy, needs: first) { _, value in value }
    }
    return try await Engine().start(workflow).value(of: copy)
  }

  @Test func `a structure of standard types comes back as it was`() async throws {
    let order = try Order()
    #expect(try await roundTrip(order) == order)
    #expect(try await roundTrip(order.page) == order.page)
    #expect(try await roundTrip(order.at) == order.at)
    #expect(try await roundTrip(order.id) == order.id)
    #expect(try await roundTrip(order.data) == order.data)
    #expect(try await roundTrip(order.wait) == order.wait)
    #expect(try await roundTrip(order.tags) == order.tags)
    #expect(try await roundTrip([order]) == [order])
    let base = try #require(URL(string: "b", relativeTo: order.page))
    #expect(try await roundTrip(base).absoluteURL == base.absoluteURL)
  }

  @Test(arguments: [
    "0", "1", "-1", "19.90", "0.001", "-12345678901234567890.123456789", "1e100", "1e-100",
    "340282366920938463463374607431768211455", "3e127", "100000000000000000000",
  ])
  func `a decimal number comes back as it was`(_ text: String) async throws {
    let number = try #require(Decimal(string: text))
    #expect(try await roundTrip(number) == number)
    #expect(try await roundTrip(["n": number]) == ["n": number])
    #expect(try await roundTrip(["n": [number]]) == ["n": [number]])
  }

  @Test func `addresses and decimal numbers are texts for other steps`() async throws {
    let workflow = try Workflow("texts") {
      Parallel {
        Step("order") { _ in try Order() }
        Step("url") { _ in URL(string: "https://example.org/") }
      }
      Step("all") { context in
        let order = try context.input("order", as: [String: String].self)
        let url: URL = try context.input("url")
        return ["page": order["page"] ?? "", "price": order["price"] ?? "", "url": "\(url)"]
      }
    }
    let run = Engine().start(workflow)
    let outcome = try await run.outcome
    #expect(outcome == .succeeded, "\(outcome)")
    let outputs = try #require(run.state["all"]?.phase.values.outputs)
    #expect(
      outputs == [
        "page": "https://example.org/a?b=c", "price": "19.9", "url": "https://example.org/",
      ])
  }

  @Test func `a text that is no decimal number is refused by name`() async throws {
    let workflow = try Workflow("wrong") {
      Step("text") { _ in ["price": "12,50"] }
      Step("read") { context in
        _ = try context.input("text", as: [String: Decimal].self)
      }
    }
    let run = Engine().start(workflow)
    _ = try await run.outcome
    let message = "\(try #require(run.state["read"]?.phase))"
    #expect(message.contains(#"price must be a decimal number, not "12,50""#), "\(message)")
  }

  @Test func `a result that cannot be encoded is an error of the declaration`() throws {
    do {
      _ = try Workflow("w") { Step("x") { _ in NotEncodable() } }
      Issue.record("accepted")
    } catch {
      #expect(error.diagnostics.map(\.code) == ["R0810"])
      #expect("\(error)".contains("ResultTypeTests.swift") && "\(error)".contains("NotEncodable"))
    }
    #expect(throws: WorkflowError.self) {
      try Workflow("w") { Step("x") { _ -> NotEncodable? in nil } }
    }
    #expect(throws: WorkflowError.self) {
      try Workflow("w") { Step("x") { _ in [NotEncodable()] } }
    }
    #expect(throws: WorkflowError.self) {
      try Workflow("w") {
        Step("x") { _ in
          let result = NotEncodable()
          return result
        }
      }
    }
    #expect(throws: WorkflowError.self) {
      try Workflow("w") { Step("x") { _ in (1, NotEncodable()) } }
    }
    let any = try Workflow("w") { Step("x") { _ -> any Encodable & Sendable in 1 } }
    #expect(any.steps.count == 1)
  }

  @Test func `an action without a result is one, and a wrong result is refused`() async throws {
    struct Empty: Decodable, Sendable {}
    struct Ping: Action {
      static let name = "ping"
      func perform(in context: StepContext) async throws { context.report("pong") }
    }
    struct Measure: Action {
      static let name = "measure"
      func perform(in context: StepContext) async throws -> NotEncodable { NotEncodable() }
    }
    var engine = Engine()
    engine.register(Ping.self)
    engine.register(Measure.self)
    engine.register("closure") { _ in NotEncodable() }
    engine.register("taking", taking: Empty.self) { _, _ in NotEncodable() }
    engine.register("fine") { _ in }
    engine.register("fine-taking", taking: Empty.self) { _, _ in }
    let actions = engine.actions
    for name in ["ping", "fine", "fine-taking"] {
      let run = engine.start(try Workflow("w", actions: actions) { Step("x", call: name) })
      #expect(try await run.outcome == .succeeded, "\(name)")
    }
    for name in ["measure", "closure", "taking"] {
      do {
        _ = try Workflow("w", actions: actions) { Step("x", call: name) }
        Issue.record("accepted")
      } catch {
        #expect(error.diagnostics.map(\.code) == ["R0810"])
      }
    }
  }
}
