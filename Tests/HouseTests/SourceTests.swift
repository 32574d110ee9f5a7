import Foundation
import Testing

/// What the house asks of every source file, checked on the files themselves.
struct SourceTests {
  /// A file with its target.
  struct Source: Sendable, CustomTestStringConvertible {
    let target: String
    let path: String
    let text: String

    var testDescription: String { path }
    var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
  }

  static let sources = files(below: "Sources")
  static let tests = files(below: "Tests")

  private static func files(below folder: String) -> [Source] {
    let base = Repository.root.appendingPathComponent(folder)
    let paths =
      FileManager.default.enumerator(atPath: base.path)?.compactMap { $0 as? String } ?? []
    // The code of a tutorial is not part of a target; SnippetTests compiles it.
    let sources = paths.filter { $0.hasSuffix(".swift") && !$0.contains(".docc/") }
    return sources.sorted().compactMap { path in
      guard let text = try? String(contentsOf: base.appendingPathComponent(path), encoding: .utf8)
      else { return nil }
      return Source(
        target: String(path.prefix { $0 != "/" }), path: folder + "/" + path, text: text)
    }
  }

  /// What each target may import beside the standard library, as Documentation/architecture.md says.
  private static let allowedImports: [String: Set<String>] = [
    "Platform": ["PlatformShim", "SystemPackage", "Glibc", "Musl", "Darwin"],
    "YAML": ["CYaml"],
    "SQLite": ["Platform", "CSQLite"],
    "Paths": ["Platform"],
    "Schedules": ["Platform"],
    "Expressions": ["Paths"],
    "Workflows": ["Platform", "Paths", "Expressions"],
    "WorkflowReading": ["Platform", "Paths", "YAML", "Workflows"],
    "WorkflowFiles": ["Platform", "Paths", "Schedules", "YAML", "Workflows", "WorkflowReading"],
    "RepriseImport": ["Schedules", "Workflows", "WorkflowFiles", "YAML"],
    "RepriseExport": ["Schedules", "Workflows", "WorkflowFiles", "YAML"],
    "ReactiveCore": ["Combine", "PlatformShim"],
    "CombineOperators": ["ReactiveCore"],
    "ChildProcesses": ["Platform", "ChildProcessesShim", "FileTraceShim"],
    "FileWatching": ["Platform", "Paths"],
    "Masking": [],
    "Reprise": [
      "Platform", "Paths", "Schedules", "Workflows", "WorkflowFiles", "CombineOperators",
      "ChildProcesses", "Masking",
    ],
    "RepriseObservability": ["Reprise", "Masking", "Logging", "CoreMetrics", "Tracing"],
    "RepriseService": ["Reprise", "ServiceLifecycle"],
    "RepriseTesting": ["Platform", "Reprise", "Workflows"],
    "RepriseStore": ["Platform", "Paths", "Reprise"],
    "RepriseJournal": ["Platform", "Paths", "Reprise", "ChildProcesses", "SQLite"],
    "RepriseControl": ["Platform", "Reprise", "CombineOperators"],
    "RepriseTerminal": ["Platform", "Reprise", "CombineOperators"],
    "RepriseRunners": ["Platform", "Paths", "Reprise", "ChildProcesses", "Masking"],
    "RepriseHost": [
      "Platform", "Paths", "Reprise", "RepriseRunners", "RepriseTerminal", "RepriseJournal",
      "RepriseStore", "RepriseControl", "ChildProcesses", "FileWatching", "CombineOperators",
    ],
    "RepriseWeb": [
      "Platform", "Reprise", "RepriseHost", "RepriseTerminal", "RepriseJournal", "RepriseControl",
      "FileWatching", "CombineOperators",
    ],
    "RepriseWebServer": [
      "Platform", "Reprise", "RepriseHost", "RepriseTerminal", "RepriseJournal", "RepriseWeb",
      "ArgumentParser", "Hummingbird", "HummingbirdCore", "HTTPTypes", "Logging", "NIOCore",
    ],
    "RepriseCLI": [
      "Platform", "Reprise", "RepriseRunners", "RepriseHost", "RepriseTerminal", "RepriseJournal",
      "RepriseControl", "RepriseImport", "RepriseExport",
      "ChildProcesses", "CombineOperators", "ArgumentParser",
    ],
  ]

  private static let system: Set<String> = [
    "Dispatch", "Synchronization", "Foundation", "FoundationEssentials", "CoreServices",
  ]

  @Test func `there are sources to check`() {
    #expect(Self.sources.count > 40)
    #expect(Set(Self.sources.map(\.target)) == Set(Self.allowedImports.keys))
  }

  @Test(arguments: sources) func `a source begins by saying what it is`(_ source: Source) {
    #expect(source.text.hasPrefix("// "))
  }

  @Test(arguments: sources + tests) func `a file is short enough to be one thing`(_ source: Source)
  {
    #expect(source.lines.count <= 400)
  }

  @Test(arguments: sources) func `a target imports only what the design allows`(
    _ source: Source
  ) throws {
    let allowed = try #require(Self.allowedImports[source.target])
    for line in source.lines where line.contains("import ") && !line.hasPrefix("//") {
      let words = line.split(separator: " ")
      guard let position = words.firstIndex(of: "import"), position <= 2,
        words[..<position].allSatisfy({ ["public", "package", "@_exported"].contains($0) })
      else { continue }
      let module = String(words[position + 1])
      #expect(allowed.contains(module) || Self.system.contains(module), "\(line)")
    }
  }

  @Test(arguments: sources + tests) func `nothing is left to do`(_ source: Source) {
    for word in ["TO" + "DO", "FIX" + "ME", "XX" + "X"] {
      #expect(!source.text.contains(word), "\(word)")
    }
  }

  @Test(arguments: sources) func `platforms differ only in files that say so`(_ source: Source) {
    let saysSo = source.path.contains("+Linux") || source.path.contains("+Darwin")
    // Choosing the C library is no difference in behaviour, and done in one target.
    let conditions = source.lines.map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { $0.hasPrefix("#if") || $0.hasPrefix("#elseif") }
      .filter {
        source.target != "Platform"
          || !$0.contains("canImport(Glibc)") && !$0.contains("canImport(Musl)")
      }
      .filter { !$0.contains("canImport(FoundationEssentials)") }
      // Nor is what a trait brings, which is the same everywhere.
      .filter { !["#if Observability", "#if ServiceLifecycle", "#if Web"].contains($0) }
      // Nor is choosing who brings the publishers, which is done in one place.
      .filter {
        source.path != "Sources/ReactiveCore/Combine.swift" || !$0.contains("canImport(Combine)")
      }
    #expect(saysSo || conditions.isEmpty, "\(conditions)")
  }

  @Test(arguments: sources) func `an escape from checking gives its reason`(_ source: Source) {
    for (number, line) in source.lines.enumerated()
    where line.contains("@unchecked Sendable") || line.contains("nonisolated(unsafe)") {
      let before = source.lines[max(0, number - 6)...number]
      let after = source.lines[number...min(source.lines.count - 1, number + 3)]
      #expect(
        (before + after).contains { $0.contains("// @unchecked:") || $0.contains("// unsafe:") },
        "line \(number + 1)")
    }
  }

  /// Whether a line takes a type out of the checks for data races.
  private static func isUnchecked(_ line: String) -> Bool {
    let code = line.prefix { $0 != "/" }
    return code.contains("@unchecked Sendable") || code.contains("nonisolated(unsafe)")
  }

  @Test func `at most ten types are not checked for data races`() {
    let unchecked = Self.sources.flatMap { source in
      source.lines.filter { Self.isUnchecked(String($0)) }.map { "\(source.path): \($0)" }
    }
    #expect(unchecked.count <= 10 && !unchecked.isEmpty, "\(unchecked)")
    #expect(Self.isUnchecked("final class A: @unchecked Sendable {"))
    #expect(!Self.isUnchecked("// @unchecked Sendable would be wrong here"))
  }

  /// What waits for a time to pass, and why it has to.
  private static let sleepers = [
    "Platform/Descriptors.swift": "declares the pause",
    "Reprise/Execution/AttemptProcess+Service.swift": "the time within which a service is ready",
    "Reprise/Execution/ServiceCheck.swift": "nothing reports that a port is open",
    "Reprise/Runtime/RunClock.swift": "the clock of runs, which tests replace",
    "ChildProcesses/Guardian/Guardian.swift": "a process without threads, and not their parent",
    "ChildProcesses/Guardian/ForegroundLink.swift": "nothing reports a change of the session",
    "ChildProcesses/Guardian/Leftovers.swift": "processes that are no children report no end",
    "ChildProcesses/Guardian/ControlGroup+Linux.swift": "the kernel removes a group a moment later",
    "CombineOperators/Publishers.RetryAfter.swift": "the default of an argument, for tests",
    "RepriseControl/ControlSocket.swift": "nothing reports that there are descriptors again",
  ]

  private static func sleeps(_ text: String) -> Bool {
    ["Task" + ".sleep", "pauseThread(", "us" + "leep(", "nano" + "sleep(", "Thread" + ".sleep"]
      .contains(where: text.contains)
  }

  @Test func `sources wait for events, and not for time`() {
    let found = Self.sources.filter { Self.sleeps($0.text) }.map {
      String($0.path.dropFirst("Sources/".count))
    }
    #expect(Set(found).subtracting(Self.sleepers.keys) == [])
    // What does not sleep any more needs no reason.
    #expect(Set(Self.sleepers.keys).subtracting(found) == [])
    #expect(Self.sleeps("while !isOver { try await Task" + ".sleep(for: .milliseconds(20)) }"))
  }

  /// What is measured by a clock that is set comes out wrong: durations and times of runs use another one.
  @Test(arguments: sources) func `the clock on the wall is read in one place of the engine`(
    _ source: Source
  ) {
    // The time of the last change of a file is on the wall clock, too.
    let readers = [
      "Platform/Clocks.swift", "Reprise/Runtime/WallClock.swift",
      "FileWatching/FolderListing.swift",
    ]
    guard !readers.contains(where: source.path.hasSuffix) else { return }
    for call in [
      "CLOCK_REALTIME", "gettimeofday", "Date()", "Date.now", "timeIntervalSince", "wallDeadline",
      "DispatchWallTime", "wallClockTime()", "time(nil)",
    ] where source.path != "Sources/Reprise/Runtime/RunClock.swift" {
      #expect(!source.text.contains(call), "\(call)")
    }
  }

  @Test(arguments: tests) func `random tests have a seed that they print`(_ source: Source) {
    #expect(!source.text.contains("System" + "RandomNumberGenerator"))
  }

  /// Those that do more in it, and those that keep a time to the letter in it.
  @Test func `make soak runs every test that has another form there`() throws {
    let makefile = try Repository.text(of: "Makefile")
    let line = try #require(makefile.split(separator: "\n").first { $0.hasPrefix("SOAK ?= ") })
    let named = Set(line.dropFirst("SOAK ?= ".count).split(separator: "|").map(String.init))
    let marks = [", so" + "ak:", "promi" + "sed(", "isSo" + "ak"]
    let others = Self.tests.filter { source in
      source.target != "TestSupport" && marks.contains(where: source.text.contains)
    }
    // An extension is part of the suite whose name comes before the plus sign.
    let suites = others.compactMap { source in
      source.path.split(separator: "/").last?.prefix { $0 != "." && $0 != "+" }
    }
    #expect(Set(suites.map(String.init)).subtracting(named) == [])
  }

  @Test(arguments: tests) func `no test sleeps to wait for something`(_ source: Source) {
    for call in ["Task" + ".sleep", "us" + "leep(", "Thread" + ".sleep"] {
      #expect(!source.text.contains(call), "\(call)")
    }
  }
}
