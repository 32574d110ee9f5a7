import Foundation
import Reprise
import TestSupport
import Testing

/// Promise 23: changes of the system clock do not affect runs.
@Suite(.serialized) struct ClockTests {
  /// A preloaded library that adds the seconds given in a file to the wall clock of its process.
  private static let library = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <fcntl.h>
    #include <stdlib.h>
    #include <sys/time.h>
    #include <time.h>
    #include <unistd.h>

    static long offset(void) {
      const char *path = getenv("CLOCK_OFFSET_FILE");
      int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
      char text[32] = "";
      if (file < 0) return 0;
      ssize_t count = read(file, text, sizeof text - 1);
      close(file);
      return count > 0 ? atol(text) : 0;
    }

    int clock_gettime(clockid_t id, struct timespec *time) {
      int (*next)(clockid_t, struct timespec *) = dlsym(RTLD_NEXT, "clock_gettime");
      int result = next(id, time);
      if (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE) time->tv_sec += offset();
      return result;
    }

    int gettimeofday(struct timeval *restrict time, void *restrict zone) {
      struct timespec now;
      clock_gettime(CLOCK_REALTIME, &now);
      time->tv_sec = now.tv_sec;
      time->tv_usec = now.tv_nsec / 1000;
      return 0;
    }

    time_t time(time_t *result) {
      struct timespec now;
      clock_gettime(CLOCK_REALTIME, &now);
      if (result) *result = now.tv_sec;
      return now.tv_sec;
    }
    """

  fileprivate static let canShiftTheClock: Bool = {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let hasCompiler = path.split(separator: ":").contains { access($0 + "/clang", X_OK) == 0 }
    return hasCompiler && FileManager.default.fileExists(atPath: "/proc/self/exe")
  }()

  @Test(.enabled(if: canShiftTheClock))
  func `setting the clock by days does not affect durations, order, timeouts or retries`()
    async throws
  {
    let scenario = try Scenario()
    try scenario.write(Self.library, to: "clock.c")
    try await scenario.shell("clang -shared -fPIC -O1 -o clock.so clock.c -ldl").succeeds()
    try scenario.write(
      """
      timeout: 60s
      grace: 1s
      steps:
        - { id: retried, retry: { limit: 2, delay: 300ms }, run: "echo x >> tries; [ $(wc -l < tries) = 3 ]" }
        - { id: slow, timeout: 1s, continue-on-error: true, run: sleep 60 }
        - { id: last, run: sleep 0.3 }
      """, to: "w.yaml")
    let folder = scenario.folder.path
    let shifted = ["LD_PRELOAD": folder + "/clock.so", "CLOCK_OFFSET_FILE": folder + "/offset"]
    try scenario.write("0", to: "offset")
    let start = ContinuousClock.now
    let started = try scenario.start(["run", "w.yaml", "--progress", "json"], environment: shifted)
    await expectEventually("it runs") { scenario.has("tries") }
    let setting = Task {
      // Move the clock forward, back, and to the original time.
      while true {
        for days in [1, -1, 365, 0] {
          try scenario.write("\(days * 86_400)", to: "offset")
          try await SystemClock().sleep(for: .milliseconds(20))
        }
      }
    }
    let ended = try await started.end().succeeds()
    let elapsed = ContinuousClock.now - start
    setting.cancel()
    _ = try? await setting.value
    let events = try ended.output.split(separator: "\n").map {
      try JSONDecoder().decode(Event.self, from: Data($0.utf8))
    }
    var state = RunState()
    for event in events { try state.apply(event) }
    #expect(
      zip(events, events.dropFirst()).allSatisfy { $0.time <= $1.time }, "times never go backwards")
    let first = try #require(events.first).time
    let last = try #require(events.last).time
    #expect(last - first <= elapsed && elapsed < promised(.seconds(6)), "\(elapsed)")
    #expect(last - first >= .milliseconds(600 + 1000 + 300), "no duration was shortened")
    let slow = try #require(state["slow"])
    #expect(slow.phase == .failed(.timedOut(after: .seconds(1))), "\(slow.phase)")
    #expect(scenario.read("tries") == "x\nx\nx\n")
    // Control: a run that starts now has the shifted time.
    try scenario.write("\(86_400 * 3)", to: "offset")
    try scenario.write("steps: [{ id: a, run: date +%s > date }]", to: "next.yaml")
    let next = try await scenario.start(
      ["run", "next.yaml", "--progress", "json"], environment: shifted
    ).end().succeeds()
    let line = try #require(next.output.split(separator: "\n").first)
    let later = try JSONDecoder().decode(Event.self, from: Data(line.utf8)).time
    #expect(later - first > .seconds(86_400 * 2))
    #expect((Double(scenario.read("date").dropLast()) ?? 0) - Date().timeIntervalSince1970 > 86_400)
  }
}
