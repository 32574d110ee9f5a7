import Foundation
import Reprise
import RepriseJournal
import TestSupport
import Testing

/// Engines that are killed, and runs that are resumed.
@Suite(.serialized) struct KillTests {
  /// Eight layers of five steps, in which each step needs two steps of the previous layer.
  ///
  /// A step records its generation when it starts, and holds a lock while any of its processes
  /// lives.
  private static let workflow: String = {
    var text = "name: forty\nmax-parallel: 4\nsteps:\n"
    for layer in 0..<8 {
      for position in 0..<5 {
        let needs =
          layer == 0 ? "" : "s\(layer - 1)-\(position), s\(layer - 1)-\((position + 1) % 5)"
        text += """
            - id: s\(layer)-\(position)
              needs: [\(needs)]
              run: |
                exec 9> lock-$REPRISE_STEP_ID
                flock -n 9 || echo $REPRISE_STEP_ID >> overlaps
                echo $REPRISE_STEP_ID $REPRISE_GENERATION >> ledger
                sleep 0.0\(1 + (layer + position) % 4)

          """
      }
    }
    return text
  }()

  /// Kills the engine, its guardian or both at a random moment.
  ///
  /// Neither may leave a process for more than a second.
  @Test
  func
    `a step that was recorded as succeeded is never run again, however often the engine is killed`()
    async throws
  {
    var generator = SeededGenerator.announced()
    var kills = 0
    var resumes = 0
    let clock = SystemClock()
    let count = rounds(8, soak: 500)
    var round = 0
    // On a fast machine many runs end before they are killed.
    while round < count || (kills < count / 2 && round < count * 5) {
      defer { round += 1 }
      let scenario = try Scenario()
      try scenario.write(Self.workflow, to: "w.yaml")
      // A resume keeps the durability level of the run.
      let level = Durability.allCases[round % Durability.allCases.count].rawValue
      var arguments = ["run", "w.yaml", "--progress", "none", "--durability", level]
      while true {
        let started = try scenario.start(arguments)
        let isFinal = resumes > 0 && Int.random(in: 0..<3, using: &generator) == 0
        if !isFinal {
          try await clock.sleep(for: .milliseconds(Int.random(in: 0...900, using: &generator)))
          let victims = Self.engineAndGuardian(started.id)
          let chosen = Int.random(in: 0..<3, using: &generator)
          for (position, victim) in victims.enumerated() where chosen == 2 || chosen == position {
            kill(victim, SIGKILL)
            kills += 1
          }
          let ended = try await started.end()
          // An engine that was killed before the run was recorded has left nothing to resume.
          let runs = try await scenario.runs()
          guard let run = runs.first else { continue }
          if ended.status == 0 { break }
          if chosen != 2 || victims.count < 2 {
            await expectEventually(
              "nothing is left of round \(round)",
              within: promised(.seconds(1), busy: .seconds(30))
            ) {
              processes(startedWith: "REPRISE_RUN_ID=\(run.id)").isEmpty
            }
          }
          arguments = ["resume", "@last", "--progress", "none"]
          resumes += 1
        } else {
          let ended = try await started.end()
          guard ended.status != 2 || arguments[0] == "run" else { break }
          ended.succeeds()
          break
        }
      }
      try await verify(scenario, round)
    }
    #expect(kills >= count / 2, "the campaign killed enough processes")
  }

  private func verify(_ scenario: Scenario, _ round: Int) async throws {
    let journal = try scenario.journal()
    let run = try journal.run(named: "@last")
    #expect(run.status == .succeeded, "round \(round)")
    #expect(try journal.integrityProblems() == [])
    #expect(scenario.read("overlaps") == "", "round \(round)")
    #expect(processes(startedWith: "REPRISE_RUN_ID=\(run.id)") == [])
    // The generations in which each step started, and in which it was recorded as succeeded.
    var begun: [String: [Int]] = [:]
    for line in scenario.read("ledger").split(separator: "\n") {
      let words = line.split(separator: " ")
      begun[String(words[0]), default: []].append(Int(words[1]) ?? 0)
    }
    var succeeded: [String: [Int]] = [:]
    for event in try journal.events(of: run) {
      if case .step(let id, _, .succeeded) = event.kind {
        succeeded[id, default: []].append(event.generation)
      }
    }
    #expect(succeeded.count == 40, "no step is lost")
    for (step, generations) in succeeded {
      #expect(generations.count == 1, "\(step) is recorded once in round \(round)")
      let times = begun[step] ?? []
      #expect(times.max() == generations[0], "\(step) did not start after its success: \(times)")
      #expect(times.filter { $0 == generations[0] }.count == 1, "\(step) started once")
    }
  }

  /// Returns the process that was started, followed by its child.
  static func engineAndGuardian(_ id: Int32) -> [Int32] {
    let children =
      (try? String(contentsOfFile: "/proc/\(id)/task/\(id)/children", encoding: .utf8)) ?? ""
    return [id] + children.split(separator: " ").compactMap { Int32($0) }.prefix(1)
  }

  static let nastyScripts = [
    "sleep MARK",
    "trap '' TERM HUP INT; sleep MARK; sleep MARK",
    "(setsid sleep MARK &); sleep MARK",
    "(setsid env -i sh -c 'sleep MARK & exit' &); sleep MARK",
    "(setsid sh -c 'trap \\\"\\\" TERM HUP; sleep MARK; sleep MARK' &); sleep MARK",
    "sleep MARK & kill -STOP $!; sleep MARK",
    "sleep MARK & yes",
    "for i in 1 2 3 4 5; do (sleep 0 &); done; sleep MARK",
    "storm() { for i in $(seq 400); do (sleep MARK &) ; done; }; storm & storm; sleep MARK",
  ]

  @Test(arguments: nastyScripts, [0, 1])
  func `no process is left a second after the engine or its guardian was killed`(
    _ script: String, _ victim: Int
  ) async throws {
    for _ in 0..<rounds(1, soak: 50) {
      let scenario = try Scenario()
      let mark = "\(Int.random(in: 100_000...999_999)).\(Int.random(in: 1000...9999))"
      try scenario.write(
        "steps: [{ id: a, run: \"\(script.replacingOccurrences(of: "MARK", with: mark))\" }]",
        to: "w.yaml")
      let started = try scenario.start(["run", "w.yaml", "--progress", "none"])
      await expectEventually("the tree lives") { !processes(with: mark).isEmpty }
      let victims = Self.engineAndGuardian(started.id)
      try #require(victims.count == 2)
      kill(victims[victim], SIGKILL)
      let ended = try await started.end()
      #expect(ended.status == SIGKILL)
      await expectEventually("nothing is left", within: promised(.seconds(1), busy: .seconds(30))) {
        processes(with: mark).isEmpty
      }
      #expect(try await scenario.runs().map(\.status) == ["interrupted"])
      #expect(victim == 0 || ended.errors.contains("reprise resume"))
    }
  }

  @Test func `the guardian removes the temporary files of a killed engine`()
    async throws
  {
    let scenario = try Scenario()
    try scenario.write("", to: "tmp/keep")
    try scenario.write(
      "steps: [{ id: a, run: \"true > began; exec sleep 1000\" }]", to: "w.yaml")
    let folder = scenario.folder.path + "/tmp"
    let started = try scenario.start(
      ["run", "w.yaml", "--progress", "none"], environment: ["TMPDIR": folder])
    await expectEventually("the step runs") { scenario.has("began") }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count > 1)
    let victims = Self.engineAndGuardian(started.id)
    try #require(victims.count == 2)
    kill(victims[1], SIGKILL)
    #expect(try await started.end().status == SIGKILL)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["keep"])
  }

  /// A control group still contains a process that has left its session and cleared its
  /// environment.
  @Test(.enabled(if: canMakeControlGroups))
  func `the next command terminates processes that have cut all ties to the run`() async throws {
    try await expectEndedByNextCommand("(setsid env -i sleep MARK &); sleep MARK")
  }

  @Test(.enabled(if: canMakeControlGroups))
  func `a step is in the control group of its run from the start`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      "steps: [{ id: a, run: \"grep ^0:: /proc/self/cgroup > group\" }]", to: "w.yaml")
    try await scenario.reprise("run", "w.yaml", "--progress", "none").succeeds()
    let group = scenario.read("group")
    #expect(group.contains("/reprise-"), "\(group)")
  }

  /// Whether this process may create control groups.
  static let canMakeControlGroups: Bool = {
    let mounts = (try? String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8)) ?? ""
    let groups = (try? String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8)) ?? ""
    let mount = mounts.split(separator: "\n").first { $0.contains(" - cgroup2 ") }
    let own = groups.split(separator: "\n").first { $0.hasPrefix("0::") }
    guard let mount, let own else { return false }
    let folder = mount.split(separator: " ")[4] + own.dropFirst(3)
    let isKillable = access("\(folder)/cgroup.procs", W_OK) == 0
    let trial = "\(folder)/reprise-test-\(getpid())"
    guard isKillable, mkdir(trial, 0o755) == 0 else { return false }
    defer { rmdir(trial) }
    return access(trial + "/cgroup.kill", W_OK) == 0
  }()

  @Test func `the next command terminates processes that survive engine and guardian`() async throws
  {
    try await expectEndedByNextCommand("(setsid sleep MARK &); sleep MARK")
  }

  /// Kills engine and guardian together while a script runs, and expects that the next command
  /// terminates the leftover processes.
  private func expectEndedByNextCommand(_ script: String) async throws {
    let scenario = try Scenario()
    let mark = "\(Int.random(in: 100_000...999_999)).\(Int.random(in: 1000...9999))"
    try scenario.write(
      "steps: [{ id: a, run: \"\(script.replacingOccurrences(of: "MARK", with: mark))\" }]",
      to: "w.yaml")
    let started = try scenario.start(["run", "w.yaml", "--progress", "none"])
    await expectEventually("the tree lives") { processes(with: mark).count >= 3 }
    for victim in Self.engineAndGuardian(started.id) { kill(victim, SIGKILL) }
    _ = try await started.end()
    #expect(try await scenario.runs().map(\.status) == ["interrupted"])
    #expect(processes(with: mark) == [])
  }
}
