import Foundation
import Platform
import Reprise
import TestSupport
import Testing

/// Requests to stop that arrive as several signals, and engines that cannot follow them.
@Suite(.serialized) struct StopTests {
  private static let bothSent = [
    [SIGTERM, SIGTERM], [SIGINT, SIGTERM], [SIGTERM, SIGINT, SIGTERM],
  ]

  /// A step that needs six seconds to clean up, longer than any timer that is not its grace period.
  private static let slow = """
    grace: 20s
    steps:
      - id: work
        run: |
          trap 'echo cleaning; sleep 6; touch cleaned; exit 1' TERM
          touch began
          while :; do sleep 0.05; done
    finally:
      - { id: unlock, run: touch unlocked }
    """

  @Test(arguments: bothSent)
  func `signals of one request leave the grace period and finally`(
    _ signals: [Int32]
  ) async throws {
    let scenario = try Scenario()
    try scenario.write(Self.slow, to: "w.yaml")
    let started = try scenario.start(["run", "w.yaml"])
    await expectEventually("the step runs") { scenario.has("began") }
    for signal in signals {
      started.send(signal)
      // A pause, because the kernel merges equal signals that are pending; not of the shell, whose
      // `sleep` may start later, on a busy machine, than signals of one request may be apart.
      try await SystemClock().sleep(for: .milliseconds(2))
    }
    let ended = try await started.end()
    // Of several that are pending, the kernel delivers the one with the least number first.
    #expect(signals.contains(ended.status - 128), "\(ended)")
    #expect(scenario.has("cleaned") && scenario.has("unlocked"), "\(ended)")
  }

  /// `timeout` signals its child, and then its group.
  @Test func `a time limit of the shell leaves the grace period and finally`() async throws {
    let scenario = try Scenario()
    try scenario.write(Self.slow.replacing("sleep 6", with: "sleep 0.3"), to: "w.yaml")
    let ended = try await scenario.shell(
      """
      for i in 1 2 3 4 5; do
        rm -f began cleaned unlocked
        timeout 1 \(Scenario.Started.executable.path) run w.yaml
        test -e began && ! test -e unlocked && echo LOST
      done
      """)
    #expect(!ended.output.contains("LOST"), "\(ended)")
  }

  @Test func `signals of one request to a watch leave the grace period and finally`()
    async throws
  {
    let scenario = try Scenario()
    try scenario.write("on: { start: true }\n" + Self.slow, to: "w.yaml")
    let started = try scenario.start(["watch", "w.yaml"])
    await expectEventually("the step runs") { scenario.has("began") }
    started.send(SIGTERM)
    started.send(SIGINT)
    let ended = try await started.end()
    #expect(scenario.has("cleaned") && scenario.has("unlocked"), "\(ended)")
  }

  @Test func `signals of one request to an engine leave the grace period and finally`()
    async throws
  {
    let scenario = try Scenario()
    try scenario.write(Self.slow, to: "w.yaml")
    let client = try EngineClient(scenario)
    _ = try await client.start("w.yaml")
    await expectEventually("the step runs") { scenario.has("began") }
    client.send(SIGINT)
    client.send(SIGTERM)
    #expect(await client.endOfOutput() == 130)
    #expect(scenario.has("cleaned") && scenario.has("unlocked"))
  }

  #if os(Linux)
  /// A regression test: the guardian stopped itself as well, and no one resumed it.
  @Test func `an engine that alone was stopped and resumed goes on with its steps`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      "steps: [{ id: a, run: \"touch began; until test -e go; do sleep 0.02; done\" }]",
      to: "w.yaml")
    let started = try scenario.start(["run", "w.yaml"])
    await expectEventually("the step runs") { scenario.has("began") }
    let engine = try #require(children(of: started.id).first)
    kill(engine, SIGSTOP)
    let step = try #require(children(of: engine).first)
    // A shell that has just forked waits in D until its stopped child goes on.
    await expectEventually("the step is stopped with it") {
      ["T", "D"].contains(state(of: step))
    }
    #expect(state(of: started.id) != "T")
    kill(engine, SIGCONT)
    await expectEventually("the step goes on") { state(of: step) != "T" }
    // If the guardian has stopped as well, after all, it would never end.
    kill(started.id, SIGCONT)
    try scenario.write("", to: "go")
    try await started.end().succeeds()
  }

  private func children(of process: Int32) -> [Int32] {
    let tasks =
      (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
    return tasks.flatMap { task in
      let text = try? String(
        contentsOfFile: "/proc/\(process)/task/\(task)/children", encoding: .utf8)
      return (text ?? "").split(separator: " ").compactMap { Int32($0) }
    }
  }

  /// Returns the state of a process, such as `S` or `T`.
  private func state(of process: Int32) -> String {
    let text = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
    return text.split(separator: ")").last?.split(separator: " ").first.map(String.init) ?? ""
  }

  /// A library that lets no thread be created while a file exists.
  private static let library = #"""
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <errno.h>
    #include <pthread.h>
    #include <stdlib.h>
    #include <unistd.h>

    int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                       void *argument) {
      typedef int create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
      const char *path = getenv("NO_THREADS_FILE");
      if (path && access(path, F_OK) == 0) return EAGAIN;
      return ((create *)dlsym(RTLD_NEXT, "pthread_create"))(thread, attributes, start, argument);
    }
    """#

  private static let hasCompiler = (ProcessInfo.processInfo.environment["PATH"] ?? "")
    .split(separator: ":").contains { access($0 + "/clang", X_OK) == 0 }

  /// A regression test: Dispatch waits for a thread that it cannot have, and the engine waited for
  /// ten minutes, until it got two signals.
  @Test(.enabled(if: hasCompiler))
  func `an engine that can get no more threads ends with the reason, and can be resumed`()
    async throws
  {
    let scenario = try Scenario()
    try scenario.write(Self.library, to: "threads.c")
    try await scenario.shell("clang -shared -fPIC -O1 -o threads.so threads.c -ldl").succeeds()
    // Idle threads end after five seconds; then there are too few for what follows.
    let steps = (0..<40).map {
      "      - { id: s\($0), cache: { inputs: w.yaml }, run: \"true\" }\n"
    }
    try scenario.write(
      """
      steps:
        - { id: quiet, run: "touch began none; sleep 8" }
        - parallel:
      \(steps.joined())
      """, to: "w.yaml")
    let folder = scenario.folder.path
    let started = try scenario.start(
      ["run", "w.yaml"],
      environment: ["LD_PRELOAD": folder + "/threads.so", "NO_THREADS_FILE": folder + "/none"])
    let ended = try await started.end()
    // With luck, the threads that it has are enough.
    guard ended.status != 0 else { return }
    ended.fails(with: 4)
    #expect(ended.errors.contains("it could get no more threads"), "\(ended)")
    #expect(ended.errors.contains("reprise resume"), "\(ended)")
    try FileManager.default.removeItem(atPath: folder + "/none")
    try await scenario.reprise("resume", "@last").succeeds()
  }
  #endif
}
