import Testing
import WorkflowLanguage

/// Files that are not valid YAML, or whose YAML is probably not what was meant.
struct BrokenYAMLTests {
  typealias Mistake = MistakeTests.Mistake

  static let mistakes = [
    // Indentation.
    Mistake("steps:\n  - id: a\n\trun: x\n", ["3:1 R0107"]),
    Mistake("steps:\n  - id: a\n  \trun: x\n", ["3:3 R0107"], hint: "use spaces"),
    Mistake(
      "steps:\n  - id: a\n    run: x\n   needs: []\n", ["4:4 R0106"],
      hint: "indented like the items above"),
    Mistake(
      "steps:\n  - id: a\n    run: x\n      needs: []\n", ["4:12 R0108"],
      hint: "indent \"needs\" like \"run\" above"),
    Mistake(
      "steps:\n  - id: a\n    run: x\n - id: b\n    run: x\n", ["4:2 R0106"]),
    Mistake("steps: - {id: a, run: x}\n", ["1:8 R0106"], hint: "put it on a line of its own"),
    Mistake("steps:\n- {id: a, run: x}\n name: y\n", ["3:2 R0106"]),
    Mistake("  name: x\nsteps: [{id: a, run: x}]\n", ["2:1 R0112"], hint: "indent"),
    Mistake(
      "name: x\n  shell: bash\nsteps: [{id: a, run: x}]\n", ["2:8 R0108"],
      hint: "indent \"shell\" like \"name\" above"),
    Mistake(
      "steps:\n- { id: a, run: echo \"slack: failed\" }\n", ["2:28 R0105"],
      hint: "quote the text if this is part of it"),
    Mistake("name: x\n  - y: z\nsteps: []\n", ["2:6 R0108"], hint: "or check the indentation"),
    Mistake(
      "env:\n  A: 1\n B: 2\nsteps: [{id: a, run: x}]\n", ["3:2 R0106"],
      hint: "indent it like the keys above"),
    Mistake("steps:\n- id: a\n  run: |\n    x\n   y\n", ["5:4 R0106"]),
    Mistake("steps:\n- id: a\n  run: |9x\n    x\n", ["3:10 R0111"]),
    Mistake(
      "steps:\n- id: a\n  run: | echo x\n", ["3:10 R0111"]),
    Mistake(
      "steps:\n- id: a\n  run: > echo x\n", ["3:10 R0111"]),
    Mistake("steps:\n- id: a\n  run: |0\n    x\n", ["3:9 R0111"]),
    // Quotes.
    Mistake(
      "name: \"x\nsteps: [{id: a, run: x}]\n", ["1:7 R0105"], hint: "close it with the same quote"),
    Mistake("name: 'it's\nsteps: [{id: a, run: x}]\n", ["1:11 R0109"], hint: "''"),
    Mistake("name: 'it's here'\nsteps: [{id: a, run: x}]\n", ["1:11 R0109"], hint: "''"),
    Mistake("name: \"a\" \"b\"\nsteps: [{id: a, run: x}]\n", ["1:11 R0109"], hint: "quote"),
    Mistake("name: \"a\" b\nsteps: [{id: a, run: x}]\n", ["1:11 R0109"], hint: "quote"),
    Mistake("name: \"a\\qb\"\nsteps: [{id: a, run: x}]\n", ["1:9 R0110"]),
    Mistake("name: \"\\xZZ\"\nsteps: [{id: a, run: x}]\n", ["1:10 R0110"]),
    Mistake("name: \"\\ud800\"\nsteps: [{id: a, run: x}]\n", ["1:10 R0110"]),
    Mistake(
      "name: \"C:\\Users\"\nsteps: [{id: a, run: x}]\n", ["1:12 R0110"],
      hint: "write \\\\ for a backslash"),
    Mistake("name: @home\nsteps: [{id: a, run: x}]\n", ["1:7 R0109"], hint: "quote the text"),
    Mistake("name: `date`\nsteps: [{id: a, run: x}]\n", ["1:7 R0109"], hint: "quote the text"),
    Mistake("name: %x\nsteps: [{id: a, run: x}]\n", ["1:7 R0109"], hint: "quote the text"),
    Mistake("steps: [{id: a, run: @x}]\n", ["1:22 R0109"], hint: "quote the text"),
    Mistake("steps: [{id: a, run: echo [x]}]\n", ["1:27 R0105"], hint: "quote"),
    Mistake("steps: [{id: a, run: x {y}}]\n", ["1:24 R0105"], hint: "quote"),
    Mistake(
      "name: *\nsteps: [{id: a, run: x}]\n", ["1:7 R0114"],
      hint: "quote the text if it begins with & or *"),
    Mistake(
      "name: &\nsteps: [{id: a, run: x}]\n", ["1:7 R0114"],
      hint: "quote the text if it begins with & or *"),
    Mistake(
      "name: *all files\nsteps: [{id: a, run: x}]\n", ["1:7 R0114"],
      hint: "quote the text if it begins with *"),
    Mistake("name: [x] y\nsteps: [{id: a, run: x}]\n", ["1:11 R0109"], hint: "quote"),
    Mistake("name: ]\nsteps: [{id: a, run: x}]\n", ["1:7 R0109"], hint: "quote"),
    Mistake("name: !\nsteps: [{id: a, run: x}]\n", ["1:7 R0113"], hint: "quote the text"),
    Mistake("name: !<x\nsteps: [{id: a, run: x}]\n", ["1:7 R0113"], hint: "quote the text"),
    Mistake("steps: [{id: a, run: x, if: ${{ true }}}]\n", ["1:29 R0109"]),
    Mistake("steps: [{id: a, run: x, env: {A: ${{ params.x }}}}]\n", ["1:34 R0109"]),
    Mistake("steps: [{id: a, exec: [x, ${{ params.x }}]}]\n", ["1:27 R0109"]),
    // Lists and maps.
    Mistake("steps: [{id: a, run: x}}]\n", ["1:24 R0105"], hint: "expected"),
    Mistake("steps: {id: a, run: x]\n", ["1:22 R0105"]),
    Mistake("steps: [{id: a, run: x},\n  {id: b, run: y\n", ["3:1 R0105"]),
    Mistake("steps: [{id: a run: x}]\n", ["1:19 R0105"], hint: "comma"),
    Mistake("steps: [{id: a, run: x}]\nname\n", ["2:1 R0108"]),
    Mistake("name: x\nsteps\n", ["2:1 R0108"]),
    Mistake("name: x\njust a text\nsteps: [{id: a, run: x}]\n", ["2:1 R0108"]),
    Mistake("steps:\n- id: a\n  run x\n", ["3:3 R0108"]),
    Mistake("just a text\n", ["1:1 R0202"]),
    Mistake("3\n", ["1:1 R0202"]),
    Mistake("~\n", ["1:1 R0102"]),
    Mistake("---\n...\n", ["1:1 R0102"]),
    Mistake("? {a: b}\n: c\nsteps: [{id: a, run: x}]\n", ["1:3 R0115"]),
    Mistake("~: x\nsteps: [{id: a, run: x}]\n", ["1:1 R0201"]),
    Mistake(
      "steps: [{id: a, run: x}]\nsteps: [{id: b, run: x}]\n", ["2:1 R0116"]),
    Mistake(
      "steps:\n- id: a\n  run: x\n  run: y\n", ["4:3 R0116"]),
    Mistake("steps: [{id: a, run: x, \"run\": y}]\n", ["1:25 R0116"]),
    // Anchors and merges.
    Mistake(
      "env: &e {A: 1}\nsteps: [{id: a, run: x, env: {<<: *f}}]\n", ["2:35 R0114"]),
    Mistake(
      "env: {<<: [3]}\nsteps: [{id: a, run: x}]\n", ["1:11 R0117"]),
    Mistake("env: {<<: }\nsteps: [{id: a, run: x}]\n", ["1:11 R0117"]),
    Mistake("x-base: 1\nsteps: [{id: a, run: x}]\n", ["1:1 R0201"]),
    Mistake("env: &e {A: [x]}\nsteps: [{id: a, run: x, env: {<<: *e}}]\n", ["1:13 R0204"]),
    Mistake(
      "defaults: {retry: &r {limit: 1, foo: 2}}\nsteps: [{id: a, run: x, retry: *r}]\n",
      ["1:33 R0201"]),
    Mistake(
      "description: &t soon\ntimeout: *t\nsteps: [{id: a, run: x}]\n", ["2:10 R0208"]),
    // Documents.
    Mistake(
      "name: x\nsteps: [{id: a, run: x}]\n--- \nsteps: []\n", ["3:1 R0112"],
      hint: "move it to a separate file"),
    Mistake("steps: [{id: a, run: x}]\n...\nname: x\n", ["3:1 R0112"]),
    Mistake("%YAML 3.0\n---\nsteps: [{id: a, run: x}]\n", ["1:1 R0112"], hint: "%YAML 1.2"),
    Mistake("%YAML 1.2\nsteps: [{id: a, run: x}]\n", ["2:1 R0112"]),
    // Characters.
    Mistake(
      "name: a\u{1}b\nsteps: [{id: a, run: x}]\n", ["1:8 R0104"]),
    Mistake(
      "name: \"é漢🙂\u{1B}[31m\"\nsteps: [{id: a, run: x}]\n", ["1:11 R0104"]),
    Mistake("name: a\u{7F}\nsteps: [{id: a, run: x}]\n", ["1:8 R0104"]),
    Mistake("name: a\u{80}\nsteps: [{id: a, run: x}]\n", ["1:8 R0104"]),
    Mistake("name: \u{A0}x: y\nsteps: [{id: a, run: x}]\n", ["1:9 R0108"]),
    Mistake("name: x\r\nsteps: []\r\n", ["2:8 R0214"]),
    Mistake("name: x\rsteps: []\r", ["2:8 R0214"]),
  ]

  @Test(arguments: mistakes) func `an error in the YAML is reported in plain words`(
    _ mistake: Mistake
  ) {
    mistake.expectTold()
  }

  @Test(
    arguments: [
      ("", [0xFF, 0xFE, 0x6E, 0x00], "1:1"),
      ("name: ", [0xC3], "1:7"),
      ("name: ", [0xC0, 0x80], "1:7"),
      ("name: ", [0xED, 0xA0, 0x80], "1:7"),
      ("name: ", [0xF4, 0x90, 0x80, 0x80], "1:7"),
      ("\u{FEFF}name: ", [0xE9], "1:7"),
      ("description: é漢🙂", [0x80], "1:17"),
      ("# caf", [0xE9, 0x0D], "1:6"),
      ("name: x\nsteps: [{id: a, run: x}]\n", [0x00], "3:1"),
      ("", [0x00], "1:1"),
    ] as [(String, [UInt8], String)])
  func `bytes that are not text are reported with their position`(
    _ before: String, _ bytes: [UInt8], _ place: String
  ) {
    let text = Array(before.utf8) + bytes + Array("\nsteps: [{id: a, run: x}]\n".utf8)
    do {
      _ = try Workflow(bytes: text, file: "w.yaml")
      Issue.record("was accepted")
    } catch {
      #expect(error.diagnostics.found == ["\(place) R0104"], "\(error)")
    }
  }
}
