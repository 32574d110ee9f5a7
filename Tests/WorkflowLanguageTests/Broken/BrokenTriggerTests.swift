import Testing
import WorkflowLanguage

/// Files whose mistakes are in what starts runs.
struct BrokenTriggerTests {
  typealias Mistake = MistakeTests.Mistake

  private static func on(_ text: String, _ places: [String], _ says: String) -> Mistake {
    Mistake("steps: [{id: a, run: x}]\non: \(text)\n", places, says)
  }

  static let mistakes = [
    on("push", ["2:5"], "on is a map"),
    on("{}", ["2:5"], "nothing under \"on\" starts a run"),
    on("{when-busy: queue}", ["2:5"], "files, schedule, stdin, socket, after, start"),
    on("{file: [a]}", ["2:6"], "did you mean \"files\"?"),
    on("{files: []}", ["2:13"], "names no file"),
    on("{files: ['!a']}", ["2:13"], "names no file"),
    on("{files: ['a{b']}", ["2:14"], "is never closed"),
    on("{files: {ignore: a}}", ["2:13"], "\"paths\""),
    on("{files: {paths: a, ignore: '!b'}}", ["2:32"], "leave the ! out"),
    on("{files: {paths: a, gitignore: yes}}", ["2:35"], "true or false"),
    on("{files: a, when-busy: restrat}", ["2:27"], "did you mean \"restart\"?"),
    on("{files: a, restart-from: affected}", ["2:16"], "add when-busy: restart"),
    on("{files: a, when-busy: ignore, restart-from: top}", ["2:35"], "leave one of them out"),
    on("{files: a, when-busy: restart, restart-from: b}", ["2:50"], "place to restart from"),
    on("{files: a, when-busy: restart, buffer: {size: 1}}", ["2:36"], "when-busy: queue"),
    on("{files: a, buffer: {size: 0}}", ["2:31"], "size is a whole number from 1"),
    on("{files: a, buffer: {size: 100001}}", ["2:31"], "at most 100000"),
    on("{files: a, buffer: {when-full: drop}}", ["2:36"], "policy for a full buffer"),
    on("{files: a, debounce: soon}", ["2:26"], "write it like 500ms"),
    on("{schedule: {}}", ["2:16"], "needs \"cron\" or \"every\""),
    on("{schedule: []}", ["2:16"], "no point in time"),
    on("{schedule: {cron: '61 * * * *'}}", ["2:24"], "minutes are 0 to 59"),
    on("{schedule: {cron: '0 0 30 2 *'}}", ["2:28"], "never comes"),
    on("{schedule: {cron: '0 0 * *'}}", ["2:24"], "five"),
    on("{schedule: {cron: '0 0 * * *', every: 1m}}", ["2:36"], "make two of them"),
    on("{schedule: {every: 1m, time-zone: UTC}}", ["2:28"], "counts only with \"cron\""),
    on("{schedule: {every: 10ms}}", ["2:24"], "at least a second"),
    on("{schedule: {every: 1m, missed: never}}", ["2:36"], "there are: once, skip"),
    on(
      "{schedule: {cron: '0 0 * * *', time-zone: Europe/Berlni}}", ["2:47"],
      "did you mean \"Europe/Berlin\"?"),
    on("{schedule: [{every: 1m}, {every: 1m}]}", ["2:30"], "stands here twice"),
    on("{stdin: text}", ["2:13"], "there are: lines, json"),
    on("{socket: 1}", ["2:14"], "true or false"),
    on("{after: ['']}", ["2:14"], "after is empty"),
    on("{files: '${{ trigger.kind }}'}", ["2:18"], "\"trigger\" cannot be used in on"),
    on("{files: '${{ matrix.a }}'}", ["2:18"], "\"matrix\" cannot be used in on"),
    Mistake(
      "steps: [{id: a, run: x, env: {A: \"${{ trigger.pahts }}\"}}]\n", ["1:39"],
      "did you mean \"paths\"?"),
    Mistake(
      "steps: [{id: a, run: x, if: trigger.count == '1'}]\n", ["1:29"],
      "are never equal"),
  ]

  @Test(arguments: mistakes) func `a mistake in what starts runs is told where it is`(
    _ mistake: Mistake
  ) {
    mistake.expectTold()
  }
}
