import Foundation
import TestSupport
import Testing

/// Input that is too large to read, store or show.
struct SizeTests {
  @Test func `too many options are refused`() async throws {
    let scenario = try Scenario()
    try scenario.write("steps: [{ id: a, run: touch ran }]", to: "w.yaml")
    let options = (0..<1001).flatMap { ["-p", "-x\($0)=1"] }
    for command in [["run", "w.yaml"], ["watch", "w.yaml"], ["trigger", "w"]] {
      let ended = try await scenario.start(command + options).end().fails(with: 2)
      #expect(ended.errors.contains("too many options: 2002, and at most 2000 are allowed"))
      #expect(ended.errors.contains("--params-file"))
    }
    #expect(!scenario.has("ran"))
  }

  @Test func `a thousand parameters may be given`() async throws {
    let scenario = try Scenario()
    let parameters = (0..<1000).map { "  x\($0):\n" }.joined()
    try scenario.write("params:\n\(parameters)steps: [{ id: a, run: touch ran }]", to: "w.yaml")
    let options = (0..<1000).flatMap { ["-p", "x\($0)=1"] }
    try await scenario.start(["run", "w.yaml", "--progress", "none"] + options).end().succeeds()
    #expect(scenario.has("ran"))
  }

  @Test func `an option with a huge value is abbreviated in messages`() async throws {
    let scenario = try Scenario()
    try scenario.write("steps: [{ id: a, run: touch ran }]", to: "w.yaml")
    let huge = String(repeating: "x", count: 100_000)
    for arguments in [
      ["run", "w.yaml", "-p", huge + "=1"], ["run", huge], [huge],
      ["run", "w.yaml", "--only", huge],
      ["run", "w.yaml", "--\(huge)"],
    ] {
      let ended = try await scenario.start(arguments).end()
      #expect(ended.status != 0)
      #expect(ended.errors.contains("…") && ended.errors.utf8.count < 5000, "\(arguments.count)")
    }
  }

  @Test func `a dry run abbreviates long needs and scripts`()
    async throws
  {
    let scenario = try Scenario()
    let script = (0..<1000).map { "      echo \($0)\n" }.joined()
    try scenario.write(
      """
      steps:
        - { id: a, run: x, foreach: { from: 1, to: 1000 } }
        - id: b
          run: |
      \(script)
      """, to: "w.yaml")
    let ended = try await scenario.reprise("run", "w.yaml", "--dry-run").succeeds()
    #expect(ended.output.contains("  b, after a[0], a[1], "))
    #expect(ended.output.contains("a[19] and 980 more\n"))
    #expect(ended.output.contains("echo 49\n      … and 950 more lines"))
    #expect(!ended.output.contains("echo 50\n"))
  }

  @Test func `a log without line feeds is read in chunks`() async throws {
    let scenario = try Scenario()
    try scenario.write("steps: [{ id: a, run: echo hello }]", to: "w.yaml")
    try await scenario.reprise("run", "w.yaml", "--progress", "none").succeeds()
    // A line that has not ended is buffered up to one mebibyte; steps do not write such lines to
    // the log.
    let ended = try await scenario.shell(
      """
      truncate -s 5M .reprise/runs/*/a/1.1.log
      '\(Scenario.Started.executable.path)' logs @last a | wc -c
      '\(Scenario.Started.executable.path)' logs @last | tail -c +1 | wc -c
      """
    ).succeeds()
    let counts = ended.output.split(separator: "\n").compactMap {
      Int($0.trimmingCharacters(in: .whitespaces))
    }
    #expect(counts.count == 2 && counts.allSatisfy { $0 > 4 << 20 }, "\(ended)")
  }
}
