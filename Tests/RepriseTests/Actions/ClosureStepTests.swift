import Reprise
import TestSupport
import Testing

/// Steps that are Swift closures.
struct ClosureStepTests {
  struct Version: Codable, Equatable, Sendable {
    var major: Int
    var notes: [String]
  }

  @Test func `a closure that blocks its thread does not delay process steps`() async throws {
    let other = Protected(false)
    let workflow = try Workflow("mixed") {
      Parallel {
        InOrder {
          Step("before", run: "true; true")
          Step("blocks") { _ in
            // Only the end of the other step lets this one continue.
            let end = ContinuousClock.now.advanced(by: .seconds(60))
            while !other.value && ContinuousClock.now < end {}
          }
        }
        InOrder {
          Step("slow", run: "sleep 0.2; true")
          Step("after") { _ in other.withLock { $0 = true } }
        }
      }
    }
    let run = Engine().start(workflow)
    #expect(try await run.outcome == .succeeded)
    let blocked = run.state["blocks"]
    let time = try #require(blocked?.endedAt) - #require(blocked?.startedAt)
    #expect(time < .seconds(50))
  }

  @Test func `steps pass typed values to their dependents`() async throws {
    let seen = Protected<[String]>([])
    let workflow = try Workflow("release", .parameter("count", .number, default: 2)) {
      Step("version") { _ in Version(major: 4, notes: ["a", "b"]) }
      Parallel {
        Step("number") { _ in 7 }
        Step("words") { _ in ["x", "y"] }
        Step("shell", run: "echo size=12 >> $REPRISE_OUTPUT")
        Step("many", .foreach(1...3)) { context in
          context.step.extras.item.map { "\($0.asText)!" } ?? ""
        }
      }
      Step(
        "all", .needs("version", "number", "words", "shell", "many"),
        .environment(["E": "v${{ steps.version.outputs.major }}"])
      ) { context in
        struct Size: Decodable { let size: Int }
        let version = try context.input("version", as: Version.self)
        let number: Int = try context.input("number")
        let words: [String] = try context.input("words")
        let size = try context.input("shell", as: Size.self).size
        let many: [String] = try context.inputs(of: "many")
        let count: Int = try context.parameter("count")
        let variable = context.environment["E"] ?? ""
        seen.withLock {
          $0 = [
            "\(version.major)\(version.notes)", "\(number)", "\(words)", "\(size)", "\(many)",
            "\(count)", variable,
          ]
        }
      }
    }
    let run = Engine().start(workflow)
    #expect(try await run.outcome == .succeeded)
    #expect(
      seen.value == [
        #"4["a", "b"]"#, "7", #"["x", "y"]"#, "12", #"["1!", "2!", "3!"]"#, "2", "v4",
      ])
  }

  @Test
  func `an error thrown by a step is its failure reason, and an invalid input is described`()
    async throws
  {
    struct Trouble: Error {}
    let workflow = try Workflow("trouble") {
      Parallel {
        Step("a") { _ -> Int in throw Trouble() }
        Step("b") { _ in "text" }
        InOrder {
          Step("ok") { _ in "text" }
          Step("c") { context in _ = try context.input("ok", as: Int.self) }
        }
        InOrder {
          Step("ok-2") { _ in }
          Step("d") { context in _ = try context.input("nobody", as: Int.self) }
        }
        InOrder {
          Step("many", .foreach([])) { _ in 1 }
          Step("e") { context in
            let none = try context.inputs(of: "many", as: Int.self)
            guard none.isEmpty else { return }
            _ = try context.inputs(of: "mayn", as: Int.self)
          }
        }
      }
    }
    let run = Engine().start(workflow)
    _ = try await run.outcome
    let reasons = run.state.steps.compactMap { step -> String? in
      if case .failed(let reason) = step.phase { "\(step.id): \(reason)" } else { nil }
    }
    #expect(
      reasons == [
        "a: threw an error: Trouble()",
        "c: the input \"ok\": the value must be a whole number, not \"text\"",
        "d: step \"d\" has no input \"nobody\"; it has: ok-2",
        "e: step \"e\" has no input \"mayn\"; the run has no step of this name",
      ])
  }

  @Test func `a closure under finally reads the outputs of all steps`() async throws {
    struct Trouble: Error {}
    let read = Protected<[String]>([])
    let workflow = try Workflow("end") {
      Step("build") { _ in 7 }
      Step("tell") { _ in throw Trouble() }
    } finally: {
      Step("report") { context in
        let build: Int = try context.input("build")
        let told: Int? = try context.input("tell")
        read.withLock { $0 = ["\(build)", "\(told == nil)"] + context.inputs.keys }
      }
      Step("strict") { context in _ = try context.input("tell", as: Int.self) }
    }
    let run = Engine().start(workflow)
    _ = try await run.outcome
    #expect(read.value == ["7", "true", "build"])
    #expect(run.state["report"]?.phase.isSuccess == true)
    #expect(
      run.state["strict"]?.phase
        == .failed(.badValue("the input \"tell\": that step has no output")))
  }

  @Test func `the message about a group in order names the step that is missing`() async throws {
    let workflow = try Workflow("group") {
      InOrder("g") {
        Step("a") { _ in 1 }
        Step("b") { _ in 2 }
      }
      Step("end") { try $0.inputs(of: "g", as: Int.self) }
      Step("fixed", .needs("a", "b")) { try $0.inputs(of: "g", as: Int.self) }
    }
    let run = Engine().start(workflow)
    _ = try await run.outcome
    guard case .failed(let reason)? = run.state["end"]?.phase else {
      Issue.record("it has not failed")
      return
    }
    #expect("\(reason)".hasSuffix(".needs(\"a\", \"b\")"), "\(reason)")
    #expect(run.state["fixed"]?.phase.isSuccess == true)
  }

  @Test func `the message about a step that is not needed directly says how to need it`()
    async throws
  {
    let workflow = try Workflow("skipping") {
      Step("build") { _ in 1 }
      Step("many", .foreach(1...2)) { _ in 1 }
      Step("go") { _ in 2 }
      Parallel {
        Step("publish") { try $0.input("build", as: Int.self) }
        Step("list") { try $0.inputs(of: "many", as: Int.self) }
        Step("misspelt") { try $0.input("biuld", as: Int.self) }
        Step("alone", .needs()) { try $0.input("build", as: Int.self) }
        Step("after-many", .needs("many")) { try $0.input("go", as: Int.self) }
        Step("fixed", .needs("build", "go")) { try $0.input("build", as: Int.self) }
      }
    }
    let run = Engine().start(workflow)
    _ = try await run.outcome
    let reasons = ["publish", "list", "misspelt", "alone", "after-many"].map { id -> String in
      guard case .failed(let reason)? = run.state[id]?.phase else { return id }
      return String("\(reason)".drop { $0 != ";" })
    }
    let advice = "; it does not need that step directly: add it to its needs"
    #expect(
      reasons == [
        "; it has: go\(advice), .needs(\"build\", \"go\")",
        "; it has: go\(advice), .needs(\"many\", \"go\")",
        "; it has: go; did you mean \"build\"?",
        "; it has no inputs\(advice), .needs(\"build\")",
        "; it has: many[0], many[1]\(advice)",
      ])
    #expect(run.state["fixed"]?.phase.isSuccess == true)
  }

  @Test func `secrets are masked in the reports and outputs of a step`() async throws {
    let workflow = try Workflow("secret", .secret("token", from: .environment("TOKEN"))) {
      Step("a") { context in
        let token = try context.secret("token")
        context.report("the token is \(token)")
        context.report(progress: 0.5, "with \(token)")
        return ["token": token]
      }
    }
    let secrets = try await Secrets.gather(for: workflow, environment: ["TOKEN": "hunter2hunter2"])
    let run = Engine().start(workflow, secrets: secrets)
    var reported = ""
    for await event in run.events.values { reported += "\(event)" }
    #expect(try await run.outcome == .succeeded)
    #expect(!reported.contains("hunter2") && reported.contains("the token is"))
  }

  @Test func `an output name that contains a secret fails the step and is not shown`() async throws
  {
    let workflow = try Workflow("secret", .secret("token", from: .environment("TOKEN"))) {
      Parallel {
        Step("a") { context in [try context.secret("token"): 1] }
        Step(
          "b", run: "echo \"$T=1\" >> $REPRISE_OUTPUT",
          .environment(["T": "${{ secrets.token }}"]))
      }
    }
    let secrets = try await Secrets.gather(for: workflow, environment: ["TOKEN": "hunter2hunter2"])
    let run = Engine().start(workflow, secrets: secrets)
    var reported = ""
    for await event in run.events.values { reported += "\(String(reflecting: event))" }
    guard case .failed(_, .badOutputs(let text)) = try await run.outcome else {
      Issue.record("unexpected outcome")
      return
    }
    #expect(text == "the name of an output contains a secret; put the secret into the value")
    #expect(run.state.counts.failed == 2 && !reported.contains("hunter2"))
    #expect("\(secrets) \(String(reflecting: secrets))" == "Secrets(1) Secrets(1)")
  }

  @Test(arguments: [12, 60, 61, 500])
  func `the message about a non-numeric secret does not show the secret`(_ length: Int)
    async throws
  {
    let token = String((0..<length).map { Character(UnicodeScalar(97 + UInt8($0 * 7 % 26))) })
    let workflow = try Workflow("secret", .secret("token", from: .environment("TOKEN"))) {
      Step("a", call: "count", with: ["n": "${{ secrets.token }}"])
    }
    struct Count: Decodable { let n: Int }
    var engine = Engine()
    engine.register("count", taking: Count.self) { _, count in count.n }
    let run = engine.start(
      workflow,
      secrets: try await Secrets.gather(for: workflow, environment: ["TOKEN": token]))
    guard case .failed(_, .badValue(let text)) = try await run.outcome else {
      Issue.record("unexpected outcome")
      return
    }
    #expect(text.contains("n must be a whole number") && !text.contains(token.prefix(6)))
  }

  @Test func `no message shows a truncated part of a secret`() async throws {
    let workflow = try Workflow("secret", .secret("token", from: .environment("TOKEN"))) {
      Parallel {
        Step(
          "line", run: "echo \"$T\" >> $REPRISE_OUTPUT", .environment(["T": "${{ secrets.token }}"])
        )
        Step("json", run: "true", .environment(["N": "${{ fromJSON(secrets.token) }}"]))
        Step("progress") { context in
          let text = String(repeating: "x", count: 190) + (try context.secret("token"))
          context.report(progress: 0.5, text)
          throw FailureReason.exited(status: 1)
        }
        Step(
          "file", run: "printf 'progress 0.5 %190s%s\\n' x \"$T\" >> $REPRISE_PROGRESS; exit 1",
          .environment(["T": "${{ secrets.token }}"]))
      }
    }
    let token = "1234-5678-90" + String(repeating: "abcdefg", count: 20)
    let secrets = try await Secrets.gather(for: workflow, environment: ["TOKEN": token])
    let run = Engine().start(workflow, secrets: secrets)
    var reported = ""
    var progressCount = 0
    for await event in run.events.values {
      reported += "\(event)\n"
      if case .step(_, _, .progress) = event.kind { progressCount += 1 }
    }
    #expect(run.state.counts.failed == 4 && progressCount >= 2)
    #expect(!reported.contains("1234-"))
  }

  @Test func `a run without its declared secrets starts no step`() async throws {
    let begun = Protected(0)
    let workflow = try Workflow("secret", .secret("token", from: .environment("TOKEN"))) {
      Step("a") { _ in begun.withLock { $0 += 1 } }
    } finally: {
      Step("b") { _ in begun.withLock { $0 += 1 } }
    }
    let run = Engine().start(workflow)
    guard case .abandoned(let text) = try await run.outcome else {
      Issue.record("unexpected outcome")
      return
    }
    #expect(
      text.contains("the secret \"token\" was not fetched") && text.contains("Secrets.gather"))
    #expect(begun.value == 0)
  }

  @Test func `a missing value is nil for an optional type and an error otherwise`()
    async throws
  {
    let seen = Protected<[String]>([])
    let workflow = try Workflow("nothing") {
      Parallel {
        Step("nil") { _ -> Int? in nil }
        Step("void") { _ in }
        Step("many", .foreach(1...3), .continuesOnError) { context -> Int in
          let item = try context.item(as: Int.self)
          if item == 2 { throw FailureReason.exited(status: 1) }
          return item * 10 + (context.itemIndex ?? -1)
        }
        Step("pairs", .matrix(["os": ["linux"], "size": [1, 2]])) { context in
          try context.matrix("os") + "\(try context.matrix("size", as: Int.self))"
        }
      }
      Step("read", .needs("nil", "void", "many", "pairs")) { context in
        let (first, second): (Int?, String?) = try (context.input("nil"), context.input("void"))
        let many: [Int?] = try context.inputs(of: "many")
        let pairs: [String] = try context.inputs(of: "pairs")
        seen.withLock { $0 = ["\(first as Any) \(second as Any)", "\(many)", "\(pairs)"] }
        _ = try context.input("many", as: Int.self)
      }
      Step("strict", .needs("void")) { context in _ = try context.input("void", as: Int.self) }
      Step("none", .needs()) { context in _ = try context.item(as: Int.self) }
    }
    let run = Engine().start(workflow)
    _ = try await run.outcome
    #expect(
      seen.value == ["nil nil", "[Optional(10), nil, Optional(32)]", #"["linux1", "linux2"]"#])
    let reasons = ["read", "strict", "none"].map { id -> String in
      if case .failed(let reason)? = run.state[id]?.phase { "\(reason)" } else { "" }
    }
    #expect(
      reasons == [
        "step \"read\" has no input \"many\"; it consists of several steps; use inputs(of: \"many\")",
        "the input \"void\": that step has no output",
        "step \"none\" is not part of a foreach",
      ])
  }

  @Test func `cancelling and restarting stop a closure before the next one starts`()
    async throws
  {
    let alive = Protected((now: 0, most: 0, begun: 0))
    let workflow = try Workflow("long") {
      Step("a") { _ in
        alive.withLock {
          $0.now += 1
          $0.begun += 1
          $0.most = max($0.most, $0.now)
        }
        defer { alive.withLock { $0.now -= 1 } }
        try await Gate().waitUnlessCancelled()
        try Task.checkCancellation()
      }
    }
    let run = Engine().start(workflow)
    for count in 1...5 {
      await expectEventually("generation \(count) runs") { alive.value.begun == count }
      run.restart()
    }
    await expectEventually("the last generation runs") { alive.value.begun == 6 }
    run.cancel()
    #expect(try await run.outcome == .cancelled)
    #expect(alive.value == (0, 1, 6))
  }

  @Test func `timeouts and retries apply to closures`() async throws {
    let attempts = Protected(0)
    let workflow = try Workflow("limits") {
      Parallel {
        Step("slow", .timeout(.milliseconds(50))) { _ in
          while !Task.isCancelled { await Task.yield() }
        }
        Step("flaky", .retry(Retry(limit: 3, delay: .zero))) { context in
          attempts.withLock { $0 += 1 }
          if context.attempt < 3 { throw FailureReason.exited(status: context.attempt) }
        }
      }
    }
    let run = Engine().start(workflow)
    #expect(
      try await run.outcome == .failed(step: "slow", reason: .timedOut(after: .milliseconds(50))))
    #expect(attempts.value == 3)
  }
}
