// `checkRunner`: what every runner promises, checked with steps that really run there.

import Platform
public import Reprise

/// Checks what every runner promises, with steps that really run there; for the authors of runners.
///
///     try await checkRunner("mine", ["queue": "short"], in: "/shared/check") {
///       var engine = Engine()
///       engine.register(MyRunner.self)
///       return engine
///     }
///
/// Steps end with the status of their program, and run once each; their lines and outputs arrive; a time
/// limit and a cancel leave nothing of them, also before they have begun; if the runner survives its
/// engine, the next engine goes on with them. It takes about as long as forty short steps, and 10 s.
///
/// - Parameters:
///   - kind: The name of the kind of the runner.
///   - settings: Its settings.
///   - folder: A folder that this machine and those of the steps share, which is made if it is missing. Each call
///     makes a folder of its own in it, and leaves that behind; the records of attempts are kept there, too,
///     unless the engine names another folder.
///   - limit: The time after which a promise counts as broken.
///   - makeEngine: Returns an engine that knows the runner, a new one with each call.
/// - Throws: ``RunnerCheckError`` with the promises that are broken, after all were tried; or the error of
///   `makeEngine`, or that of the task when it is cancelled.
public func checkRunner(
  _ kind: String, _ settings: [String: TemplateValue] = [:], in folder: String,
  limit: Duration = .seconds(300), makingEngine makeEngine: @escaping @Sendable () throws -> Engine
) async throws {
  var broken: [String] = []
  let root = "\(folder)/check-\(String(UInt64.random(in: .min ... .max), radix: 36))"
  for (position, promise) in RunnerCheck.promises.enumerated() {
    let check = RunnerCheck(
      kind: kind, settings: settings, root: root, folder: "\(root)/\(position + 1)",
      limit: limit, makeEngine: makeEngine)
    do {
      try makeFolderTree(check.folder)
      try await promise.keep(check)
    } catch let problem as RunnerCheck.Broken {
      broken.append("\(promise.text): \(problem.text)")
    }
  }
  if !broken.isEmpty { throw RunnerCheckError(broken: broken) }
}

/// The promises that a runner has not kept.
public struct RunnerCheckError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The promises, each with what was seen instead.
  public let broken: [String]

  /// The promises, one a line.
  public var description: String { broken.joined(separator: "\n") }
}

/// The check of one promise, in a folder of its own.
struct RunnerCheck: Sendable {
  /// What was seen instead of what was promised.
  struct Broken: Error {
    let text: String
  }

  static let promises: [(text: String, keep: @Sendable (RunnerCheck) async throws -> Void)] = [
    ("a step ends with the status of its program", { try await $0.checkStatus() }),
    ("lines and outputs arrive, in their order", { try await $0.checkOutput() }),
    ("steps that run at once run once each", { try await $0.checkMany() }),
    ("a failed attempt is made again", { try await $0.checkRetry() }),
    ("a time limit leaves nothing of a step", { try await $0.checkTimeout() }),
    ("a cancel leaves nothing of a step", { try await $0.checkCancel(whenBegun: true) }),
    ("a cancel at once leaves nothing", { try await $0.checkCancel(whenBegun: false) }),
    ("the next engine goes on with a step", { try await $0.checkAdoption() }),
  ]

  let kind: String
  let settings: [String: TemplateValue]
  let root: String
  let folder: String
  let limit: Duration
  let makeEngine: @Sendable () throws -> Engine

  private static let clock = SystemClock()
  /// Beats until it is killed, and does not end when it is asked to.
  private static let beating: StaticString =
    "trap '' TERM; echo begun >> begun; while :; do echo >> beats; sleep 0.05; done"

  // MARK: The promises

  private func checkStatus() async throws {
    let good = try await ended([step("a", "exit 0")])
    try expect(good.outcome == .succeeded, "\(good.outcome) instead of a success")
    let bad = try await ended([step("a", "exit 7")])
    try expect(
      bad.outcome == .failed(step: "a", reason: .exited(status: 7)),
      "\(bad.outcome) instead of the status 7")
  }

  private func checkOutput() async throws {
    let run = try await ended([
      step(
        "a",
        "for i in 1 2 3 4 5 6 7 8 9; do echo $i; done; echo 'x=two words' > \"$REPRISE_OUTPUT\"")
    ])
    try expect(run.outcome == .succeeded, "\(run.outcome)")
    let lines = run.state["a"]?.output.lines.map(\.text) ?? []
    try expect(lines == (1...9).map { "\($0)" }, "the lines \(lines) instead of 1 to 9")
    let phase = run.state["a"]?.phase
    try expect(phase == .succeeded(["x": "two words"]), "the step is \(phase as Any)")
  }

  private func checkMany() async throws {
    let run = try await ended(
      (1...20).map { step("s\($0)", "echo \"$REPRISE_STEP_ID\" >> done; sleep 0.2") })
    try expect(run.outcome == .succeeded, "\(run.outcome)")
    let done = lines("done").sorted()
    try expect(done == (1...20).map { "s\($0)" }.sorted(), "what has run is \(done)")
  }

  private func checkRetry() async throws {
    let run = try await ended([
      step(
        "a", "echo >> tries; test $(wc -l < tries) -ge 3",
        .retry(Retry(limit: 3, delay: .milliseconds(10))))
    ])
    try expect(
      run.outcome == .succeeded && run.state["a"]?.attempt == 3,
      "\(run.outcome) after attempt \(run.state["a"]?.attempt ?? 0) instead of 3")
  }

  private func checkTimeout() async throws {
    let run = try await ended([
      step("a", Self.beating, .timeout(.seconds(1)), .grace(.milliseconds(100)))
    ])
    try expect(
      run.outcome == .failed(step: "a", reason: .timedOut(after: .seconds(1))), "\(run.outcome)")
    try await expectNothingGoesOn()
  }

  private func checkCancel(whenBegun: Bool) async throws {
    let (run, _) = try started([step("a", Self.beating, .grace(.milliseconds(100)))])
    try await eventually("it has not begun") {
      whenBegun
        ? !lines("beats").isEmpty
        : run.state["a"].map { $0.placement != nil || $0.attempt > 0 } == true
    }
    run.cancel()
    let outcome = try await end(of: run)
    try expect(outcome == .cancelled, "\(outcome) instead of cancelled")
    try await expectNothingGoesOn()
  }

  private func checkAdoption() async throws {
    let steps = [step("a", "echo begun >> begun; until [ -e go ]; do sleep 0.05; done")]
    let (first, workflow) = try started(steps)
    try await eventually("it has not begun") { !lines("begun").isEmpty }
    guard first.state["a"]?.placement?.place.survives == true else {
      first.cancel()
      _ = try await end(of: first)
      return
    }
    // Released, it would be cancelled, which does not happen to an engine that has died.
    _ = Unmanaged.passRetained(first)
    let second = try engine().resume(first.state, with: workflow)
    try writeFile([], to: folder + "/go", overwriting: true)
    let outcome = try await end(of: second)
    try expect(outcome == .succeeded, "\(outcome)")
    try expect(lines("begun").count == 1, "it has begun \(lines("begun").count) times")
  }

  // MARK: Steps and runs

  private func step(_ id: String, _ script: StaticString, _ more: StepSetting...) -> Step {
    Step(
      id, run: script, .all([.runner(kind, settings), .directory("\(folder)"), .needs([])] + more))
  }

  private func engine() throws -> Engine {
    var engine = try makeEngine()
    engine.surroundings.attempts = engine.surroundings.attempts ?? root + "/attempts"
    return engine
  }

  private func started(_ steps: [Step]) throws -> (Run, Workflow) {
    let engine = try engine()
    let workflow = try Workflow("runner-check", .maxParallel(20), actions: engine.actions) {
      for step in steps { step }
    }
    return (engine.start(workflow), workflow)
  }

  private func ended(_ steps: [Step]) async throws -> (outcome: RunOutcome, state: RunState) {
    let (run, _) = try started(steps)
    return (try await end(of: run), run.state)
  }

  private func end(of run: Run) async throws -> RunOutcome {
    try await eventually("the run does not end") {
      if case .ended = run.state.phase { true } else { false }
    }
    return try await run.outcome
  }

  private func lines(_ name: String) -> [String] {
    let bytes = fileContents(folder + "/" + name) ?? []
    return bytes.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast()
      .map { String(decoding: $0, as: UTF8.self) }
  }

  // MARK: What is expected

  private func expect(_ condition: Bool, _ seen: @autoclosure () -> String) throws(Broken) {
    if !condition { throw Broken(text: seen()) }
  }

  private func eventually(_ problem: String, _ condition: () -> Bool) async throws {
    let start = Self.clock.now
    while !condition() {
      try expect(Self.clock.now - start < limit, "\(problem) within \(limit)")
      try await Self.clock.sleep(for: .milliseconds(10))
    }
  }

  private func expectNothingGoesOn() async throws {
    let count = lines("beats").count
    try await Self.clock.sleep(for: .milliseconds(500))
    try expect(lines("beats").count == count, "it goes on")
  }
}
