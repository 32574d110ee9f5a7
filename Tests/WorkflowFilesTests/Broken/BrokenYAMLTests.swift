import Testing
import WorkflowFiles

/// Files that are not valid YAML, or whose YAML is probably not what was meant.
struct BrokenYAMLTests {
  typealias BrokenFile = DiagnosticTests.BrokenFile

  static let brokenFiles = [
    // Indentation.
    BrokenFile("steps:\n  - id: a\n\trun: x\n", ["3:1 R0107"]),
    BrokenFile("steps:\n  - id: a\n  \trun: x\n", ["3:3 R0107"], hint: "use spaces"),
    BrokenFile(
      "steps:\n  - id: a\n    run: x\n   needs: []\n", ["4:4 R0106"],
      hint: "indented like the items above"),
    BrokenFile(
      "steps:\n  - id: a\n    run: x\n      needs: []\n", ["4:12 R0108"],
      hint: "indent \"needs\" like \"run\" above"),
    BrokenFile(
      "steps:\n  - id: a\n    run: x\n - id: b\n    run: x\n", ["4:2 R0106"]),
    BrokenFile("steps: - {id: a, run: x}\n", ["1:8 R0106"], hint: "put it on a line of its own"),
    BrokenFile("steps:\n- {id: a, run: x}\n name: y\n", ["3:2 R0106"]),
    BrokenFile("  name: x\nsteps: [{id: a, run: x}]\n", ["2:1 R0112"], hint: "indent"),
    BrokenFile(
      "name: x\n  shell: bash\nsteps: [{id: a, run: x}]\n", ["2:8 R0108"],
      hint: "indent \"shell\" like \"name\" above"),
    BrokenFile(
      "steps:\n- { id: a, run: echo \"slack: failed\" }\n", ["2:28 R0105"],
      hint: "quote the text if this is part of it"),
    BrokenFile("name: x\n  - y: z\nsteps: []\n", ["2:6 R0108"], hint: "or check the indentation"),
    BrokenFile(
      "env:\n  A: 1\n B: 2\nsteps: [{id: a, run: x}]\n", ["3:2 R0106"],
      hint: "indent it like the keys above"),
    BrokenFile("steps:\n- id: a\n  run: |\n    x\n   y\n", ["5:4 R0106"]),
    BrokenFile("steps:\n- id: a\n  run: |9x\n    x\n", ["3:10 R0111"]),
    BrokenFile(
      "steps:\n- id: a\n  run: | echo x\n", ["3:10 R0111"]),
    BrokenFile(
      "steps:\n- id: a\n  run: > echo x\n", ["3:10 R0111"]),
    BrokenFile("steps:\n- id: a\n  run: |0\n    x\n", ["3:9 R0111"]),
    // Quotes.
    BrokenFile(
      "name: \"x\nsteps: [{id: a, run: x}]\n", ["1:7 R0105"], hint: "close it with the same quote"),
    BrokenFile("name: 'it's\nsteps: [{id: a, run: x}]\n", ["1:11 R0109"], hint: "''"),
    BrokenFile("name: 'it's here'\nsteps: [{id: a, run: x}]\n", ["1:11 R0109"], hint: "''"),
    BrokenFile("name: \"a\" \"b\"\nsteps: [{id: a, run: x}]\n", ["1:11 R0109"], hint: "quote"),
    BrokenFile("name: \"a\" b\nsteps: [{id: a, run: x}]\n", ["1:11 R0109"], hint: "quote"),
    BrokenFile("name: \"a\\qb\"\nsteps: [{id: a, run: x}]\n", ["1:9 R0110"]),
    BrokenFile("name: \"\\xZZ\"\nsteps: [{id: a, run: x}]\n", ["1:10 R0110"]),
    BrokenFile("name: \"\\ud800\"\nsteps: [{id: a, run: x}]\n", ["1:10 R0110"]),
    BrokenFile(
      "name: \"C:\\Users\"\nsteps: [{id: a, run: x}]\n", ["1:12 R0110"],
      hint: "write \\\\ for a backslash"),
    BrokenFile("name: @home\nsteps: [{id: a, run: x}]\n", ["1:7 R0109"], hint: "quote the text"),
    BrokenFile("name: `date`\nsteps: [{id: a, run: x}]\n", ["1:7 R0109"], hint: "quote the text"),
    BrokenFile("name: %x\nsteps: [{id: a, run: x}]\n", ["1:7 R0109"], hint: "quote the text"),
    BrokenFile("steps: [{id: a, run: @x}]\n", ["1:22 R0109"], hint: "quote the text"),
    BrokenFile("steps: [{id: a, run: echo [x]}]\n", ["1:27 R0105"], hint: "quote"),
    BrokenFile("steps: [{id: a, run: x {y}}]\n", ["1:24 R0105"], hint: "quote"),
    BrokenFile(
      "name: *\nsteps: [{id: a, run: x}]\n", ["1:7 R0114"],
      hint: "quote the text if it begins with & or *"),
    BrokenFile(
      "name: &\nsteps: [{id: a, run: x}]\n", ["1:7 R0114"],
      hint: "quote the text if it begins with & or *"),
    BrokenFile(
      "name: *all files\nsteps: [{id: a, run: x}]\n", ["1:7 R0114"],
      hint: "quote the text if it begins with *"),
    BrokenFile("name: [x] y\nsteps: [{id: a, run: x}]\n", ["1:11 R0109"], hint: "quote"),
    BrokenFile("name: ]\nsteps: [{id: a, run: x}]\n", ["1:7 R0109"], hint: "quote"),
    BrokenFile("name: !\nsteps: [{id: a, run: x}]\n", ["1:7 R0113"], hint: "quote the text"),
    BrokenFile("name: !<x\nsteps: [{id: a, run: x}]\n", ["1:7 R0113"], hint: "quote the text"),
    BrokenFile("steps: [{id: a, run: x, if: ${{ true }}}]\n", ["1:29 R0109"]),
    BrokenFile("steps: [{id: a, run: x, env: {A: ${{ params.x }}}}]\n", ["1:34 R0109"]),
    BrokenFile("steps: [{id: a, exec: [x, ${{ params.x }}]}]\n", ["1:27 R0109"]),
    // Lists and maps.
    BrokenFile(
      "steps:\n- { id: a, run: echo 'x=[]' >> y }\n", ["2:25 R0105"], hint: "quote all of the text"),
    BrokenFile(
      "steps:\n- { id: a, run: echo x # y }\n- { id: b, run: x }\n", ["2:24 R0105"],
      hint: "a comment begins here"),
    BrokenFile("steps:\n- { id: a, run: 'x'; y }\n", ["2:20 R0109"], hint: "quote all of it"),
    BrokenFile("steps: [{id: a, run: x}}]\n", ["1:24 R0105"], hint: "expected"),
    BrokenFile("steps: {id: a, run: x]\n", ["1:22 R0105"]),
    BrokenFile("steps: [{id: a, run: x},\n  {id: b, run: y\n", ["3:1 R0105"]),
    BrokenFile("steps: [{id: a run: x}]\n", ["1:19 R0105"], hint: "comma"),
    BrokenFile("steps: [{id: a, run: x}]\nname\n", ["2:1 R0108"]),
    BrokenFile("name: x\nsteps\n", ["2:1 R0108"]),
    BrokenFile("name: x\njust a text\nsteps: [{id: a, run: x}]\n", ["2:1 R0108"]),
    BrokenFile("steps:\n- id: a\n  run x\n", ["3:3 R0108"]),
    BrokenFile("just a text\n", ["1:1 R0202"]),
    BrokenFile("3\n", ["1:1 R0202"]),
    BrokenFile("~\n", ["1:1 R0102"]),
    BrokenFile("---\n...\n", ["1:1 R0102"]),
    BrokenFile("? {a: b}\n: c\nsteps: [{id: a, run: x}]\n", ["1:3 R0115"]),
    BrokenFile("~: x\nsteps: [{id: a, run: x}]\n", ["1:1 R0201"]),
    BrokenFile(
      "steps: [{id: a, run: x}]\nsteps: [{id: b, run: x}]\n", ["2:1 R0116"]),
    BrokenFile(
      "steps:\n- id: a\n  run: x\n  run: y\n", ["4:3 R0116"]),
    BrokenFile("steps: [{id: a, run: x, \"run\": y}]\n", ["1:25 R0116"]),
    // Anchors and merges.
    BrokenFile(
      "env: &e {A: 1}\nsteps: [{id: a, run: x, env: {<<: *f}}]\n", ["2:35 R0114"]),
    BrokenFile(
      "env: {<<: [3]}\nsteps: [{id: a, run: x}]\n", ["1:11 R0117"]),
    BrokenFile("env: {<<: }\nsteps: [{id: a, run: x}]\n", ["1:11 R0117"]),
    BrokenFile("x-base: 1\nsteps: [{id: a, run: x}]\n", ["1:1 R0201"]),
    BrokenFile("env: &e {A: [x]}\nsteps: [{id: a, run: x, env: {<<: *e}}]\n", ["1:13 R0204"]),
    BrokenFile(
      "defaults: {retry: &r {limit: 1, foo: 2}}\nsteps: [{id: a, run: x, retry: *r}]\n",
      ["1:33 R0201"]),
    BrokenFile(
      "description: &t soon\ntimeout: *t\nsteps: [{id: a, run: x}]\n", ["2:10 R0208"]),
    // Documents.
    BrokenFile(
      "name: x\nsteps: [{id: a, run: x}]\n--- \nsteps: []\n", ["3:1 R0112"],
      hint: "move it to a separate file"),
    BrokenFile("steps: [{id: a, run: x}]\n...\nname: x\n", ["3:1 R0112"]),
    BrokenFile("%YAML 3.0\n---\nsteps: [{id: a, run: x}]\n", ["1:1 R0112"], hint: "%YAML 1.2"),
    BrokenFile("%YAML 1.2\nsteps: [{id: a, run: x}]\n", ["2:1 R0112"]),
    // Characters.
    BrokenFile(
      "name: a\u{1}b\nsteps: [{id: a, run: x}]\n", ["1:8 R0104"]),
    BrokenFile(
      "name: \"é漢🙂\u{1B}[31m\"\nsteps: [{id: a, run: x}]\n", ["1:11 R0104"]),
    BrokenFile("name: a\u{7F}\nsteps: [{id: a, run: x}]\n", ["1:8 R0104"]),
    BrokenFile("name: a\u{80}\nsteps: [{id: a, run: x}]\n", ["1:8 R0104"]),
    BrokenFile("name: \u{A0}x: y\nsteps: [{id: a, run: x}]\n", ["1:9 R0108"]),
    BrokenFile("name: x\r\nsteps: []\r\n", ["2:8 R0214"]),
    BrokenFile("name: x\rsteps: []\r", ["2:8 R0214"]),
  ]

  @Test(arguments: brokenFiles) func `an error in the YAML is reported in plain words`(
    _ file: BrokenFile
  ) {
    file.expectReported()
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
