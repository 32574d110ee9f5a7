// The Tab key: the words that the completion scripts get from the command, and those of a real bash.

import Foundation
import TestSupport
import Testing

struct CompletionTests {
  private static func scenario() throws -> Scenario {
    let scenario = try Scenario()
    try scenario.write(
      """
      description: ships it
      params:
        target: { type: choice, options: [staging, production] }
        fast: { type: boolean, default: "false" }
      steps:
        - { id: build, run: make build }
        - { id: test, foreach: [1, 2], run: "true" }
      """, to: "workflows/deploy.yaml")
    try scenario.write("steps: [{ id: a, run: \"true\" }]", to: "workflows/hello.yaml")
    return scenario
  }

  /// Returns what the command offers for an argument of a subcommand, as a completion script asks.
  private func offered(
    _ line: [String], _ argument: String, shell: String, in scenario: Scenario
  ) async throws -> [String] {
    let words = ["reprise"] + line
    let call = ["---completion", line[0], "--", argument, "\(words.count - 1)"]
    let ended = try await scenario.start(
      call + ["\(words.last?.count ?? 0)"] + words, environment: ["SAP_SHELL": shell]
    ).end().succeeds()
    return ended.output.split(separator: "\n").map(String.init)
  }

  @Test func `workflows, steps, parameters and runs are offered with descriptions`() async throws {
    let scenario = try Self.scenario()
    #expect(
      try await offered(["run", ""], "positional@0", shell: "fish", in: scenario)
        == ["deploy\tships it", "hello\ta workflow"])
    #expect(
      try await offered(["run", "deploy", "--from", ""], "--from", shell: "fish", in: scenario)
        == ["build\tmake build", "test\tseveral steps", "test[0]\ttrue", "test[1]\ttrue"])
    #expect(
      try await offered(["run", "deploy", "-p", "t"], "-p", shell: "zsh", in: scenario)
        .filter { $0 != " " } == ["target=staging:choice", "target=production:choice"])
    #expect(
      try await offered(["run", "deploy", "-p", "fast="], "-p", shell: "bash", in: scenario)
        == ["fast=true", "fast=false"])
    #expect(try await offered(["show", ""], "positional@0", shell: "bash", in: scenario) == [])
    try await scenario.reprise("run", "hello").succeeds()
    let run = try #require(try await scenario.runs().first).id
    let runs = try await offered(["show", ""], "positional@0", shell: "fish", in: scenario)
    #expect(runs.map { $0.split(separator: "\t")[0] } == ["@last", "@hello", Substring(run)])
    #expect(runs.allSatisfy { $0.contains("\thello, succeeded, ") && $0.hasSuffix(" ago") })
    try scenario.write("steps: [{ id: a, run: exit 1 }]", to: "workflows/bad.yaml")
    try await scenario.reprise("run", "bad").fails(with: 1)
    let named = try await offered(["show", ""], "positional@0", shell: "bash", in: scenario)
    #expect(Array(named.prefix(4)) == ["@last", "@failed", "@bad", "@hello"])
    // The names mean what they mean to the commands: a run that timed out counts as failed.
    try scenario.write(
      "{ timeout: 100ms, steps: [{ id: a, run: sleep 60 }] }", to: "workflows/failed.yaml")
    try await scenario.reprise("run", "failed").fails(with: 3)
    let late = try await offered(["show", ""], "positional@0", shell: "fish", in: scenario)
    #expect(late.count { $0.hasPrefix("@failed\t") } == 1)
    #expect(late.contains { $0.hasPrefix("@failed\tfailed, timed-out, ") })
    #expect(
      try await offered(["logs", "@hello", ""], "positional@1", shell: "bash", in: scenario) == [
        "a"
      ]
    )
  }

  @Test func `errors in a file or folder offer nothing`() async throws {
    let scenario = try Scenario()
    try scenario.write("steps: [", to: "workflows/broken.yaml")
    #expect(
      try await offered(["run", "broken", "-p", ""], "-p", shell: "bash", in: scenario) == [])
    #expect(
      try await offered(["logs", "nosuch", ""], "positional@1", shell: "bash", in: scenario) == [])
  }

  /// The script asks the command under its name, as if it were installed.
  @Test(
    arguments: [
      ("run hel", "hello"), ("run deploy --from te", "test test[0] test[1]"),
      ("run deploy -p target=pro", "production"), ("run deploy -p target=", "staging production"),
      ("run deploy -p fas", "fast=true fast=false"), ("show @la", "last"),
      ("run deploy --to bu", "build"), ("validate ./workflows/he", "./workflows/hello.yaml"),
    ])
  func `bash completes the words of a project`(_ line: String, _ words: String) async throws {
    let scenario = try Self.scenario()
    try await scenario.reprise("run", "hello").succeeds()
    try scenario.write(
      """
      PATH=$PWD:$PATH
      eval "$(reprise --generate-completion-script bash)"
      COMP_LINE=$1 COMP_POINT=${#1}
      # As bash does, which splits at these characters, too.
      words=$(sed 's/[=@:]/ & /g' <<< "$1")
      COMP_WORDS=($words)
      [[ $1 == *" " ]] && COMP_WORDS+=("")
      COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
      current=${COMP_WORDS[COMP_CWORD]}
      [[ $current == [=@:] ]] && current=
      $(complete -p reprise | sed -E 's/.*-F ([^ ]+).*/\\1/') reprise "$current" x
      echo "${COMPREPLY[@]}"
      """, to: "complete.bash")
    let executable = Scenario.Started.executable.path
    let ended = try await scenario.shell(
      "ln -s '\(executable)' reprise && bash complete.bash 'reprise \(line)'"
    ).succeeds()
    #expect(ended.output == words + "\n", "\(ended)")
  }
}
