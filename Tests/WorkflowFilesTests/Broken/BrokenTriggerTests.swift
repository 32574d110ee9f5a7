import Testing
import WorkflowFiles

/// Files with errors in triggers.
struct BrokenTriggerTests {
  typealias BrokenFile = DiagnosticTests.BrokenFile

  private static func on(_ text: String, _ found: [String], hint: String = "") -> BrokenFile {
    BrokenFile("steps: [{id: a, run: x}]\non: \(text)\n", found, hint: hint)
  }

  static let brokenFiles = [
    on("push", ["2:5 R0202"]),
    on("{}", ["2:5 R0701"]),
    on("{when-busy: queue}", ["2:5 R0701"], hint: "files, schedule, stdin, socket, after, start"),
    on("{file: [a]}", ["2:6 R0201"], hint: "did you mean \"files\"?"),
    on("{files: []}", ["2:13 R0702"]),
    on("{files: ['!a']}", ["2:13 R0702"]),
    on("{files: ['a{b']}", ["2:14 R0219"]),
    on("{files: {ignore: a}}", ["2:13 R0213"]),
    on("{files: {paths: a, ignore: '!b'}}", ["2:32 R0219"], hint: "remove the !"),
    on("{files: {paths: a, gitignore: yes}}", ["2:35 R0209"]),
    on("{files: a, when-busy: restrat}", ["2:27 R0211"], hint: "did you mean \"restart\"?"),
    on("{files: a, restart-from: affected}", ["2:16 R0217"], hint: "add when-busy: restart"),
    on(
      "{files: a, when-busy: ignore, restart-from: top}", ["2:35 R0217"],
      hint: "remove one of the two"),
    on("{files: a, when-busy: restart, restart-from: b}", ["2:50 R0211"]),
    on("{files: a, when-busy: restart, buffer: {size: 1}}", ["2:36 R0217"]),
    on("{files: a, buffer: {size: 0}}", ["2:31 R0210"]),
    on("{files: a, buffer: {size: 100001}}", ["2:31 R0210"]),
    on("{files: a, buffer: {when-full: drop}}", ["2:36 R0211"]),
    on("{files: a, debounce: soon}", ["2:26 R0208"], hint: "write it like 500ms"),
    on("{schedule: {}}", ["2:16 R0213"]),
    on("{schedule: []}", ["2:16 R0214"]),
    on("{schedule: {cron: '61 * * * *'}}", ["2:24 R0706"], hint: "minutes are 0 to 59"),
    on("{schedule: {cron: '0 0 30 2 *'}}", ["2:28 R0706"]),
    on("{schedule: {cron: '0 0 * *'}}", ["2:24 R0706"], hint: "no seconds"),
    on(
      "{schedule: {cron: '0 0 * * *', every: 1m}}", ["2:36 R0216"],
      hint: "split it into two schedules"),
    on("{schedule: {every: 1m, time-zone: UTC}}", ["2:28 R0217"]),
    on("{schedule: {every: 10ms}}", ["2:24 R0704"]),
    on("{schedule: {every: 1m, missed: never}}", ["2:36 R0211"], hint: "available: once, skip"),
    on(
      "{schedule: {cron: '0 0 * * *', time-zone: Europe/Berlni}}", ["2:47 R0705"],
      hint: "did you mean \"Europe/Berlin\"?"),
    on("{schedule: [{every: 1m}, {every: 1m}]}", ["2:30 R0703"]),
    on("{stdin: text}", ["2:13 R0211"], hint: "available: lines, json"),
    on("{socket: 1}", ["2:14 R0209"]),
    on("{after: ['']}", ["2:14 R0205"]),
    on("{files: '${{ trigger.kind }}'}", ["2:18 R0510"]),
    on("{files: '${{ matrix.a }}'}", ["2:18 R0510"]),
    BrokenFile(
      "steps: [{id: a, run: x, env: {A: \"${{ trigger.pahts }}\"}}]\n", ["1:39 R0511"],
      hint: "did you mean \"paths\"?"),
    BrokenFile(
      "steps: [{id: a, run: x, if: trigger.count == '1'}]\n", ["1:29 R0509"]),
  ]

  @Test(arguments: brokenFiles) func `an error in a trigger is reported at its position`(
    _ file: BrokenFile
  ) {
    file.expectReported()
  }
}
