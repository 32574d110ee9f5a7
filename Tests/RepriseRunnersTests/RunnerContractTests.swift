import Foundation
import Reprise
import TestSupport
import Testing

@testable import RepriseRunners

/// What every runner promises, checked with real processes where the runner runs them.
struct RunnerContractTests {
  @Test(
    arguments: RunnerCase.all,
    [("exit 0", nil), ("exit 7", 7), ("sh -c 'kill -9 $$' || exit $?", 137)])
  func `a step ends with the status of its program`(
    _ runner: RunnerCase, _ ending: (script: String, status: Int?)
  ) async throws {
    let folder = try TemporaryFolder()
    let (outcome, _, _) = try await runner.outcome(
      of: "steps: [{ id: a, run: \"echo; \(ending.script)\" }]", in: folder)
    switch ending.status {
    case nil: #expect(outcome == .succeeded)
    case let status?:
      #expect(outcome == .failed(step: "a", reason: .exited(status: status)))
    }
  }

  @Test(arguments: RunnerCase.all)
  func `outputs, progress and both streams arrive`(_ runner: RunnerCase) async throws {
    let folder = try TemporaryFolder()
    let (outcome, events, state) = try await runner.outcome(
      of: #"""
        steps:
          - id: a
            separate-streams: true
            env: { GIVEN: "from the file" }
            run: |
              echo "$GIVEN"
              echo oops >&2
              echo "progress 0.5 half" > "$REPRISE_PROGRESS"
              printf 'x=1\ny<<END\ntwo\nlines\nEND\n' > "$REPRISE_OUTPUT"
              sleep 0.2
          - { id: b, run: 'test "$X" = 1', env: { X: "${{ steps.a.outputs.x }}" } }
        """#, in: folder)
    #expect(outcome == .succeeded)
    #expect(state["a"]?.phase == .succeeded(["x": "1", "y": "two\nlines"]))
    func has(_ event: Event.StepEvent) -> Bool {
      events.contains { $0.kind == .step("a", attempt: 1, event) }
    }
    #expect(has(.output(.standardOutput, text: "from the file", isPartial: false)))
    #expect(has(.output(.standardError, text: "oops", isPartial: false)))
    #expect(has(.progress(0.5, "half")))
  }

  @Test(arguments: RunnerCase.all)
  func `lines of both streams keep their order`(_ runner: RunnerCase) async throws {
    let folder = try TemporaryFolder()
    let (outcome, events, _) = try await runner.outcome(
      of: #"""
        steps:
          - id: a
            run: for i in 1 2 3 4 5 6 7 8 9; do echo "out $i"; echo "err $i" >&2; done
        """#, in: folder)
    #expect(outcome == .succeeded)
    let lines = events.flatMap { event -> [Substring] in
      guard case .step(_, _, .output(_, let text, false)) = event.kind else { return [] }
      return text.split(separator: "\n")
    }
    #expect(lines.map(String.init) == (1...9).flatMap { ["out \($0)", "err \($0)"] })
  }

  @Test(arguments: RunnerCase.all)
  func `output goes to a pseudo-terminal`(_ runner: RunnerCase) async throws {
    let folder = try TemporaryFolder()
    let (outcome, events, _) = try await runner.outcome(
      of: """
        steps:
          - { id: a, tty: true, run: "test -t 1 && test -t 2 && ! test -t 0 && echo yes; seq 9999" }
        """, in: folder)
    #expect(outcome == .succeeded)
    let lines = events.flatMap { event -> [Substring] in
      guard case .step(_, _, .output(_, let text, false)) = event.kind else { return [] }
      return text.split(separator: "\n")
    }
    #expect(lines.map(String.init) == ["yes"] + (1...9999).map(String.init))
  }

  @Test(arguments: RunnerCase.all)
  func `ten megabytes of output arrive whole and in order`(_ runner: RunnerCase) async throws {
    let folder = try TemporaryFolder()
    let (outcome, events, _) = try await runner.outcome(
      of: "steps: [{ id: a, run: \"echo; seq 1 1400000\" }]", in: folder)
    #expect(outcome == .succeeded)
    var next = 1
    for event in events {
      guard case .step(_, _, .output(_, let text, false)) = event.kind else { continue }
      for line in text.split(separator: "\n") {
        guard Int(line) == next else {
          Issue.record("\(line) instead of \(next)")
          return
        }
        next += 1
      }
    }
    #expect(next == 1_400_001)
  }

  /// A process that cuts all ties: a session of its own, no parent, deaf to SIGTERM.
  private static let stubborn = """
    trap '' TERM; (setsid sh -c "trap '' TERM; echo away >> here; sleep 600" > /dev/null 2>&1 &) ; \
    (sleep 600 & sleep 600) & echo up >> here; wait; sleep 600
    """

  @Test(arguments: RunnerCase.all)
  func `after a cancel no process is left, however it detached`(_ runner: RunnerCase) async throws {
    let folder = try TemporaryFolder()
    let run = RunnerCase.engine(in: folder).start(
      try runner.workflow("grace: 200ms\nsteps:\n  - id: a\n    run: |\n      \(Self.stubborn)\n"))
    await expectEventually("the processes run") { folder.lines("here").count >= 2 }
    let entry = "REPRISE_RUN_ID=\(run.id)"
    #expect(!processes(startedWith: entry).isEmpty)
    run.cancel()
    #expect(try await run.outcome == .cancelled)
    #expect(processes(startedWith: entry) == [])
  }

  /// Several trees end at once: an orphan that is ending no longer shows to which one it belongs.
  @Test(arguments: RunnerCase.all)
  func `after a cancel no process of several steps is left`(_ runner: RunnerCase) async throws {
    for _ in 1...3 {
      let folder = try TemporaryFolder()
      let run = RunnerCase.engine(in: folder).start(
        try runner.workflow(
          """
          grace: 200ms
          steps:
            - id: a
              foreach: [1, 2, 3, 4, 5, 6]
              run: |
                \(Self.stubborn)
          """))
      await expectEventually("the processes run") { folder.lines("here").count >= 12 }
      let entry = "REPRISE_RUN_ID=\(run.id)"
      run.cancel()
      #expect(try await run.outcome == .cancelled)
      #expect(processes(startedWith: entry) == [])
    }
  }

  @Test(arguments: RunnerCase.all)
  func `a restart begins when nothing of the attempt before is left`(
    _ runner: RunnerCase
  ) async throws {
    let folder = try TemporaryFolder()
    // The lock is held by every process of the attempt, so an overlap is seen.
    let run = RunnerCase.engine(in: folder).start(
      try runner.workflow(
        """
        grace: 200ms
        steps:
          - id: a
            run: |
              exec 9>lock; flock -n 9 || echo overlap >> overlaps
              echo up >> begun
              (setsid sleep 600 &) ; trap '' TERM; sleep 600

        """))
    for generation in 1...3 {
      await expectEventually("generation \(generation) runs") {
        folder.lines("begun").count == generation
      }
      if generation < 3 { run.restart() }
    }
    run.cancel()
    #expect(try await run.outcome == .cancelled)
    #expect(folder.lines("overlaps") == [] && folder.lines("begun").count == 3)
  }

  @Test(arguments: RunnerCase.all)
  func `a time limit ends the step where it runs`(_ runner: RunnerCase) async throws {
    let folder = try TemporaryFolder()
    let (outcome, _, state) = try await runner.outcome(
      of: "grace: 0s\nsteps: [{ id: a, run: sleep 600, timeout: 500ms }]", in: folder)
    #expect(outcome == .failed(step: "a", reason: .timedOut(after: .milliseconds(500))))
    #expect(state.run.map { processes(startedWith: "REPRISE_RUN_ID=\($0)") } == [])
  }

  @Test(arguments: RunnerCase.all)
  func `a failed attempt is made again`(_ runner: RunnerCase) async throws {
    let folder = try TemporaryFolder()
    let (outcome, _, state) = try await runner.outcome(
      of: """
        steps:
          - { id: a, retry: { limit: 3, delay: 10ms }, run: echo x >> tries; test $(wc -l < tries) -ge 3 }
        """, in: folder)
    #expect(outcome == .succeeded)
    #expect(state["a"]?.attempt == 3 && folder.lines("tries").count == 3)
  }

  @Test(arguments: RunnerCase.all)
  func `a secret is in no command line, and masked wherever output is written`(
    _ runner: RunnerCase
  ) async throws {
    let folder = try TemporaryFolder()
    let secret = "tr0ub4dor-\(UInt32.random(in: 0 ... .max))"
    try folder.write("secret", secret.utf8)
    let workflow = try runner.workflow(
      """
      secrets: { TOKEN: { file: \(folder.path)/secret } }
      steps:
        - id: a
          env: { TOKEN: "${{ secrets.TOKEN }}" }
          run: |
            echo "it is $TOKEN"; touch up
            while ! test -e go; do sleep 0.05; done

      """)
    let secrets = try await Secrets.gather(for: workflow)
    let run = RunnerCase.engine(in: folder).start(workflow, secrets: secrets)
    let path = folder.path + "/up"
    await expectEventually("the step runs") { FileManager.default.fileExists(atPath: path) }
    #expect(processes(with: secret) == [])
    await expectEventually("its output has arrived") {
      run.state["a"]?.output.lines.contains { $0.text == "it is ***" } ?? false
    }
    let attempts = folder.path + "/.attempts"
    for file in FileManager.default.enumerator(atPath: attempts) ?? .init() {
      let data = FileManager.default.contents(atPath: "\(attempts)/\(file)") ?? Data()
      #expect(data.range(of: Data(secret.utf8)) == nil, "\(file)")
    }
    try folder.write("go")
    #expect(try await run.outcome == .succeeded)
  }

  @Test(arguments: RunnerCase.all)
  func `thirty steps at once run once each`(_ runner: RunnerCase) async throws {
    let folder = try TemporaryFolder()
    let (outcome, _, _) = try await runner.outcome(
      of: """
        steps:
          - { id: a, foreach: { from: 1, to: 30 }, run: "echo $REPRISE_STEP_ID >> done" }
        """, in: folder)
    #expect(outcome == .succeeded)
    #expect(Set(folder.lines("done")).count == 30 && folder.lines("done").count == 30)
  }

  @Test(arguments: RunnerCase.all)
  func `as many steps run at once as the runner allows`(_ runner: RunnerCase) async throws {
    let folder = try TemporaryFolder()
    let settings = String(runner.settings.dropLast())
    let separator = settings.contains(":") ? ", " : ""
    let limited = RunnerCase(
      kind: runner.kind, settings: settings + separator + "\"max-parallel\": 1}")
    let (outcome, _, _) = try await limited.outcome(
      of: """
        steps:
          - id: a
            foreach: [1, 2, 3]
            run: mkdir busy || echo overlap >> overlaps; sleep 0.1; rmdir busy
        """, in: folder)
    #expect(outcome == .succeeded && folder.lines("overlaps") == [])
  }

  @Test(arguments: RunnerCase.all)
  func `a step that fails, or whose time is over, leaves what it has written`(
    _ runner: RunnerCase
  ) async throws {
    let folder = try TemporaryFolder()
    let (_, _, state) = try await runner.outcome(
      of: #"""
        steps:
          - parallel:
              - { id: a, run: "echo v=1 > $REPRISE_OUTPUT; exit 3" }
              - { id: b, timeout: 3s, run: "echo v=2 > $REPRISE_OUTPUT; sleep 600" }
        finally:
          - id: c
            env: { A: "${{ steps.a.outputs.v }}", B: "${{ steps.b.outputs.v }}" }
            run: test "$A $B" = "1 2"
        """#, in: folder)
    #expect(state["a"]?.phase == .failed(.exited(status: 3)) && state["a"]?.written == ["v": "1"])
    #expect(state["b"]?.phase == .failed(.timedOut(after: .seconds(3))))
    #expect(state["b"]?.written == ["v": "2"])
    #expect(state["c"]?.phase.isSuccess == true)
  }

  @Test(arguments: RunnerCase.all)
  func `a step that is stopped leaves what it has written`(_ runner: RunnerCase) async throws {
    let folder = try TemporaryFolder()
    let run = RunnerCase.engine(in: folder).start(
      try runner.workflow(
        #"""
        steps:
          - id: a
            run: |
              seq 100000 | sed 's/^/value /; 1s/^/v=/' | head -c 500000 | tr '\n' ' ' > "$REPRISE_OUTPUT"
              echo up >> here
              sleep 600
        finally: [{ id: b, env: { V: "${{ steps.a.outputs.v }}" }, run: 'test "${#V}" -gt 100' }]
        """#))
    await expectEventually("it has written") { folder.lines("here").count == 1 }
    run.cancel()
    #expect(try await run.outcome == .cancelled)
    #expect((run.state["a"]?.written["v"]?.utf8.count ?? 0) > 490_000)
    #expect(run.state["b"]?.phase.isFinal == true)
  }
}
