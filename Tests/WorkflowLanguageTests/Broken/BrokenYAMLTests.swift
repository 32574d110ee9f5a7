import Testing
import WorkflowLanguage

/// Files that are not YAML, or not meant like that.
struct BrokenYAMLTests {
  typealias Mistake = MistakeTests.Mistake

  static let mistakes = [
    // Indentation.
    Mistake("steps:\n  - id: a\n\trun: x\n", ["3:1"], "a tab cannot indent"),
    Mistake("steps:\n  - id: a\n  \trun: x\n", ["3:3"], "use spaces"),
    Mistake(
      "steps:\n  - id: a\n    run: x\n   needs: []\n", ["4:4"], "indented like the items above"),
    Mistake(
      "steps:\n  - id: a\n    run: x\n      needs: []\n", ["4:12"],
      "indent \"needs\" like \"run\" above"),
    Mistake(
      "steps:\n  - id: a\n    run: x\n - id: b\n    run: x\n", ["4:2"],
      "indented like the items above"),
    Mistake("steps: - {id: a, run: x}\n", ["1:8"], "put it on a line of its own"),
    Mistake("steps:\n- {id: a, run: x}\n name: y\n", ["3:2"], "expected here"),
    Mistake("  name: x\nsteps: [{id: a, run: x}]\n", ["2:1"], "indent"),
    Mistake(
      "name: x\n  shell: bash\nsteps: [{id: a, run: x}]\n", ["2:8"],
      "indent \"shell\" like \"name\" above"),
    Mistake(
      "steps:\n- { id: a, run: echo \"slack: failed\" }\n", ["2:28"],
      "quote the text if this is part of it"),
    Mistake("name: x\n  - y: z\nsteps: []\n", ["2:6"], "or check the indentation"),
    Mistake(
      "env:\n  A: 1\n B: 2\nsteps: [{id: a, run: x}]\n", ["3:2"], "indent it like the keys above"),
    Mistake("steps:\n- id: a\n  run: |\n    x\n   y\n", ["5:4"], "expected"),
    Mistake("steps:\n- id: a\n  run: |9x\n    x\n", ["3:10"], "begins on the next line"),
    Mistake(
      "steps:\n- id: a\n  run: | echo x\n", ["3:10"],
      "after | or > the text begins on the next line"),
    Mistake(
      "steps:\n- id: a\n  run: > echo x\n", ["3:10"],
      "after | or > the text begins on the next line"),
    Mistake("steps:\n- id: a\n  run: |0\n    x\n", ["3:9"], "1 to 9"),
    // Quotes.
    Mistake("name: \"x\nsteps: [{id: a, run: x}]\n", ["1:7"], "close it with the same quote"),
    Mistake("name: 'it's\nsteps: [{id: a, run: x}]\n", ["1:11"], "''"),
    Mistake("name: 'it's here'\nsteps: [{id: a, run: x}]\n", ["1:11"], "''"),
    Mistake("name: \"a\" \"b\"\nsteps: [{id: a, run: x}]\n", ["1:11"], "quote"),
    Mistake("name: \"a\" b\nsteps: [{id: a, run: x}]\n", ["1:11"], "quote"),
    Mistake("name: \"a\\qb\"\nsteps: [{id: a, run: x}]\n", ["1:9"], "no such escape"),
    Mistake("name: \"\\xZZ\"\nsteps: [{id: a, run: x}]\n", ["1:10"], "hexadecimal"),
    Mistake("name: \"\\ud800\"\nsteps: [{id: a, run: x}]\n", ["1:10"], "character"),
    Mistake(
      "name: \"C:\\Users\"\nsteps: [{id: a, run: x}]\n", ["1:12"], "write \\\\ for a backslash"),
    Mistake("name: @home\nsteps: [{id: a, run: x}]\n", ["1:7"], "quote the text"),
    Mistake("name: `date`\nsteps: [{id: a, run: x}]\n", ["1:7"], "quote the text"),
    Mistake("name: %x\nsteps: [{id: a, run: x}]\n", ["1:7"], "quote the text"),
    Mistake("steps: [{id: a, run: @x}]\n", ["1:22"], "quote the text"),
    Mistake("steps: [{id: a, run: echo [x]}]\n", ["1:27"], "quote"),
    Mistake("steps: [{id: a, run: x {y}}]\n", ["1:24"], "quote"),
    Mistake(
      "name: *\nsteps: [{id: a, run: x}]\n", ["1:7"], "quote the text if it begins with & or *"),
    Mistake(
      "name: &\nsteps: [{id: a, run: x}]\n", ["1:7"], "quote the text if it begins with & or *"),
    Mistake(
      "name: *all files\nsteps: [{id: a, run: x}]\n", ["1:7"],
      "quote the text if it begins with *"),
    Mistake("name: [x] y\nsteps: [{id: a, run: x}]\n", ["1:11"], "quote"),
    Mistake("name: ]\nsteps: [{id: a, run: x}]\n", ["1:7"], "quote"),
    Mistake("name: !\nsteps: [{id: a, run: x}]\n", ["1:7"], "quote the text"),
    Mistake("name: !<x\nsteps: [{id: a, run: x}]\n", ["1:7"], "quote the text"),
    Mistake("steps: [{id: a, run: x, if: ${{ true }}}]\n", ["1:29"], "quote"),
    Mistake("steps: [{id: a, run: x, env: {A: ${{ params.x }}}}]\n", ["1:34"], "quote"),
    Mistake("steps: [{id: a, exec: [x, ${{ params.x }}]}]\n", ["1:27"], "quote"),
    // Lists and maps.
    Mistake("steps: [{id: a, run: x}}]\n", ["1:24"], "expected"),
    Mistake("steps: {id: a, run: x]\n", ["1:22"], "is not closed"),
    Mistake("steps: [{id: a, run: x},\n  {id: b, run: y\n", ["3:1"], "is not closed"),
    Mistake("steps: [{id: a run: x}]\n", ["1:19"], "comma"),
    Mistake("steps: [{id: a, run: x}]\nname\n", ["2:1"], "a key without \":\""),
    Mistake("name: x\nsteps\n", ["2:1"], "a key without \":\""),
    Mistake("name: x\njust a text\nsteps: [{id: a, run: x}]\n", ["2:1"], "a key without \":\""),
    Mistake("steps:\n- id: a\n  run x\n", ["3:3"], "a key without \":\""),
    Mistake("just a text\n", ["1:1"], "a workflow is a map"),
    Mistake("3\n", ["1:1"], "a workflow is a map"),
    Mistake("~\n", ["1:1"], "the file is empty"),
    Mistake("---\n...\n", ["1:1"], "the file is empty"),
    Mistake("? {a: b}\n: c\nsteps: [{id: a, run: x}]\n", ["1:3"], "a key is a text, not a map"),
    Mistake("~: x\nsteps: [{id: a, run: x}]\n", ["1:1"], "a workflow has no key"),
    Mistake(
      "steps: [{id: a, run: x}]\nsteps: [{id: b, run: x}]\n", ["2:1"],
      "the first one is at line 1, column 1"),
    Mistake(
      "steps:\n- id: a\n  run: x\n  run: y\n", ["4:3"], "the first one is at line 3, column 3"),
    Mistake("steps: [{id: a, run: x, \"run\": y}]\n", ["1:25"], "stands here a second time"),
    // Anchors and merges.
    Mistake(
      "env: &e {A: 1}\nsteps: [{id: a, run: x, env: {<<: *f}}]\n", ["2:35"], "nothing is named &f"),
    Mistake(
      "env: {<<: [3]}\nsteps: [{id: a, run: x}]\n", ["1:11"], "<< takes a map or a list of maps"),
    Mistake("env: {<<: }\nsteps: [{id: a, run: x}]\n", ["1:11"], "<< takes a map"),
    Mistake("x-base: 1\nsteps: [{id: a, run: x}]\n", ["1:1"], "a workflow has no key \"x-base\""),
    Mistake("env: &e {A: [x]}\nsteps: [{id: a, run: x, env: {<<: *e}}]\n", ["1:13"], "not a list"),
    Mistake(
      "defaults: {retry: &r {limit: 1, foo: 2}}\nsteps: [{id: a, run: x, retry: *r}]\n", ["1:33"],
      "retry has no key \"foo\""),
    Mistake(
      "description: &t soon\ntimeout: *t\nsteps: [{id: a, run: x}]\n", ["2:10"],
      "timeout is a duration, not \"soon\""),
    // Documents.
    Mistake(
      "name: x\nsteps: [{id: a, run: x}]\n--- \nsteps: []\n", ["3:1"],
      "put it into a file of its own"),
    Mistake("steps: [{id: a, run: x}]\n...\nname: x\n", ["3:1"], "a second document"),
    Mistake("%YAML 3.0\n---\nsteps: [{id: a, run: x}]\n", ["1:1"], "%YAML 1.2"),
    Mistake("%YAML 1.2\nsteps: [{id: a, run: x}]\n", ["2:1"], "---"),
    // Characters.
    Mistake(
      "name: a\u{1}b\nsteps: [{id: a, run: x}]\n", ["1:8"],
      "a control character 0x01 cannot be part"),
    Mistake(
      "name: \"é漢🙂\u{1B}[31m\"\nsteps: [{id: a, run: x}]\n", ["1:11"],
      "a control character 0x1B cannot be part"),
    Mistake("name: a\u{7F}\nsteps: [{id: a, run: x}]\n", ["1:8"], "0x7F cannot be part"),
    Mistake("name: a\u{80}\nsteps: [{id: a, run: x}]\n", ["1:8"], "control character"),
    Mistake("name: \u{A0}x: y\nsteps: [{id: a, run: x}]\n", ["1:9"], "\":\" is not expected here"),
    Mistake("name: x\r\nsteps: []\r\n", ["2:8"], "there is no step in this list"),
    Mistake("name: x\rsteps: []\r", ["2:8"], "there is no step in this list"),
  ]

  @Test(arguments: mistakes) func `a mistake in the YAML is told in plain words`(_ mistake: Mistake)
  {
    mistake.expectTold()
  }

  @Test(
    arguments: [
      ("", [0xFF, 0xFE, 0x6E, 0x00], "1:1", "save the file as UTF-8"),
      ("name: ", [0xC3], "1:7", "save the file as UTF-8"),
      ("name: ", [0xC0, 0x80], "1:7", "save the file as UTF-8"),
      ("name: ", [0xED, 0xA0, 0x80], "1:7", "save the file as UTF-8"),
      ("name: ", [0xF4, 0x90, 0x80, 0x80], "1:7", "save the file as UTF-8"),
      ("\u{FEFF}name: ", [0xE9], "1:7", "save the file as UTF-8"),
      ("description: é漢🙂", [0x80], "1:17", "save the file as UTF-8"),
      ("# caf", [0xE9, 0x0D], "1:6", "save the file as UTF-8"),
      ("name: x\nsteps: [{id: a, run: x}]\n", [0x00], "3:1", "a NUL cannot be part"),
      ("", [0x00], "1:1", "a NUL cannot be part"),
    ] as [(String, [UInt8], String, String)])
  func `bytes that are no text are told with their place`(
    _ before: String, _ bytes: [UInt8], _ place: String, _ says: String
  ) {
    let text = Array(before.utf8) + bytes + Array("\nsteps: [{id: a, run: x}]\n".utf8)
    do {
      _ = try Workflow(bytes: text, file: "w.yaml")
      Issue.record("was accepted")
    } catch {
      #expect(error.diagnostics.map { "\($0.line):\($0.column)" } == [place], "\(error)")
      #expect(error.description.contains(says), "\(error)")
    }
  }
}
