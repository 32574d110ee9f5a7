import Foundation
import Reprise
import RepriseJournal
import TestSupport
import Testing

/// Runs on a machine that is at its limits.
@Suite(.serialized) struct FaultTests {
  private static let workflow = """
    steps:
      - { id: a, run: "echo a >> ledger" }
      - { id: b, run: "echo b >> ledger; head -c 600000 /dev/zero | tr '\\\\0' x | fold -w 100" }
      - { id: c, run: "echo c >> ledger" }
    """

  /// Whether this test may mount a small tmpfs.
  static let canMount: Bool = {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = [
      "-c",
      "d=$(mktemp -d) && mount -t tmpfs tmpfs $d 2>/dev/null && umount $d; s=$?; rmdir $d; exit $s",
    ]
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }()

  /// Runs a test body with a scenario whose folder `state` is a file system of `size` KiB.
  private func withDisk(_ size: Int, _ body: (Scenario) async throws -> Void) async throws {
    let scenario = try Scenario()
    try scenario.write(Self.workflow, to: "w.yaml")
    try await scenario.shell("mkdir state; mount -t tmpfs -o size=\(size)k tmpfs state").succeeds()
    do {
      try await body(scenario)
    } catch {
      Issue.record(error)
    }
    try await scenario.shell("umount -l state").succeeds()
  }

  @Test(.enabled(if: canMount), arguments: [60, 100, 140, 200, 300])
  func `a full disk ends a run with a clear error, and it can be resumed when there is space`(
    _ size: Int
  ) async throws {
    try await withDisk(size) { scenario in
      let arguments = ["--state-dir", "state", "--progress", "none"]
      let ended = try await scenario.start(["run", "w.yaml"] + arguments).end()
      ended.fails(with: 4)
      #expect(ended.errors.contains("full") || ended.errors.contains("No space left"))
      #expect(ended.errors.contains("KiB are free"))
      try await scenario.shell("mount -o remount,size=20m state").succeeds()
      let journal = try Journal(StateDirectory(path: scenario.folder.path + "/state"))
      #expect(try journal.integrityProblems() == [])
      guard let run = try journal.runs().first else { return }
      let done = try journal.state(of: run).steps.filter(\.phase.isSuccess).map(\.id)
      try await scenario.start(["resume", "@last"] + arguments).end().succeeds()
      let ledger = scenario.read("ledger").split(separator: "\n").map(String.init)
      for step in done { #expect(ledger.filter { $0 == step }.count == 1, "\(step)") }
      #expect(Set(ledger) == ["a", "b", "c"])
    }
  }

  @Test(.enabled(if: canMount))
  func `a read-only state directory is reported before any step runs`()
    async throws
  {
    try await withDisk(2000) { scenario in
      try await scenario.reprise("run", "w.yaml", "--state-dir", "state").succeeds()
      try await scenario.shell("mount -o remount,ro state").succeeds()
      let ended = try await scenario.reprise("run", "w.yaml", "--state-dir", "state").fails(with: 4)
      #expect(ended.errors.contains("Read-only file system"))
      #expect(ended.errors.contains("--no-journal"))
      #expect(ended.output.isEmpty, "nothing was run")
      try await scenario.reprise("run", "w.yaml", "--no-journal").succeeds()
    }
  }

  @Test func `a damaged journal is reported before any step runs`() async throws {
    let scenario = try Scenario()
    try scenario.write(Self.workflow, to: "w.yaml")
    try await scenario.reprise("run", "w.yaml").succeeds()
    // SQLite would repair the database from the write-ahead log.
    try await scenario.shell("rm -f .reprise/journal.db-*").succeeds()
    try scenario.write(String(repeating: "no database ", count: 5000), to: ".reprise/journal.db")
    for command in [["run", "w.yaml"], ["runs"], ["show", "@last"], ["resume", "@last"]] {
      let ended = try await scenario.start(command).end().fails(with: 4)
      #expect(ended.errors.contains("is damaged") && ended.errors.contains("move it away"))
    }
    #expect(scenario.read("ledger") == "a\nb\nc\n")
  }

  @Test(arguments: [24, 40, 64]) func `a run that runs out of descriptors ends with a hint`(
    _ limit: Int
  ) async throws {
    let scenario = try Scenario()
    let steps = (0..<60).map { "      - { id: s\($0), run: sleep 0.2; echo x }\n" }.joined()
    try scenario.write(
      "steps:\n  - parallel:\n"
        + steps.replacingOccurrences(of: "run: ", with: "run: \"").replacingOccurrences(
          of: "echo x }", with: "echo x\" }"), to: "w.yaml")
    let reprise = Scenario.Started.executable.path
    let ended = try await scenario.shell(
      "ulimit -n \(limit); timeout 30 \(reprise) run w.yaml --progress none")
    #expect([0, 1, 4].contains(ended.status), "\(ended.status)")
    if ended.status != 0 { #expect(ended.errors.contains("ulimit -n"), "\(ended.errors)") }
    let statuses = try await scenario.runs().map(\.status)
    #expect(
      statuses.allSatisfy { ["succeeded", "failed", "abandoned"].contains($0) }, "\(statuses)")
    // With fewer descriptors in use the run succeeds, and steps that had succeeded are not run
    // again.
    if ended.status != 0, !statuses.isEmpty {
      try await scenario.reprise("resume", "@last", "--progress", "none").succeeds()
    }
  }

  @Test(
    .enabled(if: getuid() == 0),
    arguments: ["--nproc=6", "--nproc=9", "--as=209715200", "--as=260000000", "--as=419430400"])
  func `a run that cannot get threads or memory ends with the reason`(_ limit: String) async throws
  {
    let scenario = try Scenario()
    try scenario.write("steps: [{ id: a, run: \"true\" }]", to: "w.yaml")
    try await scenario.shell(
      "cp \(Scenario.Started.executable.path) reprise; chmod 755 . reprise; mkdir -m 700 state; "
        + "chown 61235:61235 state"
    ).succeeds()
    let ended = try await scenario.shell(
      // `timeout` runs outside of the limits; otherwise they would apply to it too.
      "timeout -k 5 60 setpriv --reuid=61235 --regid=61235 --clear-groups prlimit \(limit) "
        + "./reprise run w.yaml --progress none --state-dir state")
    #expect([0, 1, 4, 127, 134].contains(ended.status), "\(ended)")
    if ended.status != 0 { #expect(ended.errors.contains("ulimit"), "\(ended)") }
  }

  @Test(
    .enabled(if: getuid() == 0),
    arguments: ["--nproc=2", "--nproc=5", "--as=40000000", "--data=6000000"],
    ["runs", "validate w.yaml", "schema"])
  func `a command without a run ends, too, if it cannot get threads`(
    _ limit: String, _ command: String
  ) async throws {
    let scenario = try Scenario()
    try scenario.write("steps: [{ id: a, run: \"true\" }]", to: "w.yaml")
    try await scenario.shell(
      "cp \(Scenario.Started.executable.path) reprise; chmod 755 . reprise"
    ).succeeds()
    let ended = try await scenario.shell(
      "timeout -k 2 60 setpriv --reuid=61236 --regid=61236 --clear-groups prlimit \(limit) "
        + "./reprise \(command)")
    #expect([0, 4, 127, 134].contains(ended.status), "\(ended)")
    if ended.status == 4 { #expect(ended.errors.contains("ulimit"), "\(ended)") }
  }

  /// A regression test: these commands used the project of the root folder.
  @Test(arguments: ["runs", "show @last", "prune --keep 1", "resume @last"])
  func `in a deleted working directory no other project is used`(
    _ command: String
  ) async throws {
    let scenario = try Scenario()
    let ended = try await scenario.shell(
      "mkdir gone; cd gone; rmdir ../gone; \(Scenario.Started.executable.path) \(command)")
    #expect(ended.status == 4, "\(ended)")
    #expect(ended.errors.contains("the working directory no longer exists"), "\(ended)")
  }

  /// The display cannot write, and the end of the run waits for it, so the engine does not react to
  /// signals.
  @Test func `an engine that does not end after two signals is killed by its guardian`()
    async throws
  {
    let scenario = try Scenario()
    try scenario.write(
      "steps: [{ id: a, run: \"true > began; while true; do echo xxxxxxxxxxxxxxxxxxxxxxxx; done\" }]",
      to: "w.yaml")
    let ended = try await scenario.shell(
      """
      mkfifo pipe; exec 3<> pipe
      \(Scenario.Started.executable.path) run w.yaml --progress plain > pipe & run=$!
      until test -e began; do sleep 0.02; done; sleep 1
      kill -TERM $run; sleep 0.5; kill -TERM $run
      wait $run
      """)
    #expect(ended.status == 143, "\(ended)")
    #expect(ended.errors.contains("did not end within 10 s of the second signal"))
    #expect(ended.errors.contains("reprise resume"))
    try await scenario.reprise("runs").succeeds()
  }

  @Test(.enabled(if: getuid() == 0), arguments: [14, 25])
  func `steps fail with the reason when no process can be created`(_ limit: Int) async throws {
    let scenario = try Scenario()
    let steps = (0..<60).map { "      - { id: s\($0), exec: [sleep, \"3\"] }\n" }.joined()
    try scenario.write("steps:\n  - parallel:\n" + steps, to: "w.yaml")
    // The steps must run at the same time, however slowly they start. The limit does not apply to
    // root and counts all processes of a user, so use a user id without other processes. Copy the
    // executable, because that user may not have access to the build folder.
    try await scenario.shell(
      "cp \(Scenario.Started.executable.path) reprise; chmod 755 . reprise; mkdir -m 700 state; "
        + "chown 61234:61234 state"
    ).succeeds()
    let ended = try await scenario.shell(
      "setpriv --reuid=61234 --regid=61234 --clear-groups prlimit --nproc=\(limit) "
        + "timeout 30 ./reprise run w.yaml --progress none --state-dir state")
    #expect([1, 4].contains(ended.status), "\(ended)")
    #expect(ended.errors.contains("ulimit -u"), "\(ended.errors)")
  }
}
