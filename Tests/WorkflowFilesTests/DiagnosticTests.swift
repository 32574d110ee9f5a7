import Testing
import WorkflowFiles

/// Broken files, each with the positions and codes of its errors.
struct DiagnosticTests {
  struct BrokenFile: Sendable, CustomTestStringConvertible {
    let text: String
    /// `line:column code` of each diagnostic.
    let found: [String]
    /// A part of one of the hints.
    let hint: String

    init(_ text: String, _ found: [String], hint: String = "") {
      self.text = text
      self.found = found
      self.hint = hint
    }

    var testDescription: String { "\(found.joined(separator: ", ")) \(hint)" }
  }

  static let brokenFiles = [
    // Files as a whole.
    BrokenFile("", ["1:1 R0102"]),
    BrokenFile("# only a comment\n", ["1:1 R0102"]),
    BrokenFile("steps: [{id: a, run: x}]\n---\nsteps: []\n", ["2:1 R0112"]),
    BrokenFile("- a\n", ["1:1 R0202"]),
    BrokenFile("name: x\n", ["1:1 R0213"]),
    BrokenFile("steps:\n\t- a\n", ["2:1 R0107"]),
    BrokenFile("name: a\0b\n", ["1:8 R0104"]),
    BrokenFile("steps: [{id: a, run: \"x}]\n", ["1:22 R0105"]),
    BrokenFile("steps: [{id: a, run: x}\n", ["2:1 R0105"]),
    BrokenFile("steps: [{id: a, run: x]\n", ["1:23 R0105"]),
    BrokenFile("name: a: b\n", ["1:8 R0108"]),
    BrokenFile("steps:\n- id: a\n run: x\n", ["3:2 R0106"]),
    BrokenFile("steps: [*nobody]\n", ["1:9 R0114"]),
    BrokenFile("env: &e {A: *e}\nsteps: [{id: a, run: x}]\n", ["1:13 R0114"]),
    BrokenFile("name: a\nname: b\nsteps: [{id: a, run: x}]\n", ["2:1 R0116"]),
    BrokenFile("? [a]\n: b\nsteps: [{id: a, run: x}]\n", ["1:3 R0115"]),
    BrokenFile("env: {<<: 3}\nsteps: [{id: a, run: x}]\n", ["1:11 R0117"]),
    BrokenFile("name: \"\\q\"\n", ["1:8 R0110"]),
    // Keys.
    BrokenFile("stepz: [{id: a, run: x}]\n", ["1:1 R0201"], hint: "did you mean \"steps\"?"),
    BrokenFile("jobs: [{id: a, run: x}]\n", ["1:1 R0201"], hint: "did you mean \"steps\"?"),
    BrokenFile(
      "maxParallel: 2\nsteps: [{id: a, run: x}]\n", ["1:1 R0201"],
      hint: "did you mean \"max-parallel\"?"),
    BrokenFile(
      "steps: [{id: a, run: x, depends_on: b}]\n", ["1:25 R0201", "1:37 R0401"],
      hint: "did you mean \"needs\"?"),
    BrokenFile("steps: [{id: a, cmd: x}]\n", ["1:17 R0201"], hint: "did you mean \"run\"?"),
    BrokenFile(
      "steps: [{id: a, run: x, colour: red}]\n", ["1:25 R0201"], hint: "valid keys: id, name, needs"
    ),
    // Types.
    BrokenFile("name: [a]\nsteps: [{id: a, run: x}]\n", ["1:7 R0204"]),
    BrokenFile("name:\nsteps: [{id: a, run: x}]\n", ["1:6 R0204"]),
    BrokenFile("steps: x\n", ["1:8 R0203"]),
    BrokenFile("steps: []\n", ["1:8 R0214"]),
    BrokenFile("steps: [x]\n", ["1:9 R0202"]),
    BrokenFile(
      "concurrency: deploy\nsteps: [{id: a, run: x}]\n", ["1:14 R0202"]),
    BrokenFile(
      "concurrency: {group: g}\nsteps: [{id: a, run: x}]\n", ["1:14 R0213"]),
    BrokenFile(
      "concurrency: {group: g, policy: queu}\nsteps: [{id: a, run: x}]\n", ["1:33 R0211"],
      hint: "did you mean \"queue\"?"),
    BrokenFile(
      "concurrency: {group: g, cancel-in-progress: true}\nsteps: [{id: a, run: x}]\n",
      ["1:25 R0201"], hint: "did you mean \"policy\"?"),
    BrokenFile("steps: [{id: a, run: x, retry: 0}]\n", ["1:32 R0210"]),
    BrokenFile("steps: [{id: a, run: x, retry: {delay: 1s}}]\n", ["1:32 R0213"]),
    BrokenFile(
      "steps: [{id: a, run: x, retry: {limit: 1, backoff: exponental}}]\n", ["1:52 R0211"],
      hint: "did you mean \"exponential\"?"),
    BrokenFile(
      "steps: [{id: a, run: x, retry: {limit: 1, factor: 2}}]\n", ["1:51 R0217"]),
    BrokenFile(
      "steps: [{id: a, run: x, retry: {limit: 1, jitter: 2}}]\n", ["1:51 R0210"]),
    BrokenFile(
      "steps: [{id: a, run: x, retry: {limit: 1, for: [0, 256]}}]\n", ["1:49 R0210", "1:52 R0210"]),
    BrokenFile(
      "steps: [{id: a, run: x, retries: 2}]\n", ["1:25 R0201"], hint: "did you mean \"retry\"?"),
    BrokenFile("max-parallel: 0\nsteps: [{id: a, run: x}]\n", ["1:15 R0210"]),
    BrokenFile("max-parallel: \"2\"\nsteps: [{id: a, run: x}]\n", ["1:15 R0210"]),
    BrokenFile("timeout: soon\nsteps: [{id: a, run: x}]\n", ["1:10 R0208"]),
    BrokenFile(
      "timeout: 0\nsteps: [{id: a, run: x}]\n", ["1:10 R0208"], hint: "write it like 500ms"),
    BrokenFile("grace: -1s\nsteps: [{id: a, run: x}]\n", ["1:8 R0208"]),
    BrokenFile("env: [a]\nsteps: [{id: a, run: x}]\n", ["1:6 R0202"]),
    BrokenFile("env: {1A: x}\nsteps: [{id: a, run: x}]\n", ["1:7 R0212"]),
    BrokenFile("env: {REPRISE_X: x}\nsteps: [{id: a, run: x}]\n", ["1:7 R0212"]),
    BrokenFile("env: {A: }\nsteps: [{id: a, run: x}]\n", ["1:10 R0218"]),
    BrokenFile("env: {A: [x]}\nsteps: [{id: a, run: x}]\n", ["1:10 R0204"]),
    BrokenFile("shell: []\nsteps: [{id: a, run: x}]\n", ["1:8 R0215"]),
    // Steps.
    BrokenFile("steps: [{id: a b, run: x}]\n", ["1:14 R0302"]),
    BrokenFile("steps: [{id: _a, run: x}]\n", ["1:14 R0302"]),
    BrokenFile(
      "steps: [{id: a, run: x}, {id: a, run: x}]\n", ["1:31 R0303"]),
    BrokenFile("steps: [{id: a}]\n", ["1:9 R0301"]),
    BrokenFile("steps: [{id: a, run: x, exec: [x]}]\n", ["1:25 R0216"]),
    BrokenFile("steps: [{id: a, run: \"  \"}]\n", ["1:22 R0205"]),
    BrokenFile("steps:\n- id: a\n  run:\n", ["3:7 R0204"]),
    BrokenFile("steps: [{id: a, exec: []}]\n", ["1:23 R0215"]),
    BrokenFile("steps: [{id: a, exec: git status}]\n", ["1:23 R0203"]),
    BrokenFile("steps: [{id: a, exec: [git, [x]]}]\n", ["1:29 R0204"]),
    BrokenFile(
      "steps:\n- id: a\n  run: {echo a: b}\n", ["3:8 R0204"], hint: "quote this: 'echo a: b'"),
    BrokenFile("steps:\n- id: a\n  run: echo ${{ x }}\n", ["3:13 R0304"], hint: "bind it in env"),
    BrokenFile(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ x }}\"}\n", ["4:17 R0505"]),
    // Groups.
    BrokenFile("steps: [{parallel: []}]\n", ["1:20 R0214"]),
    BrokenFile("steps: [{parallel: x}]\n", ["1:20 R0203"]),
    BrokenFile("steps: [{parallel: [{id: a, run: x}], retry: {}}]\n", ["1:46 R0213"]),
    BrokenFile("steps: [{parallel: [{id: a, run: x}], timeout: x}]\n", ["1:48 R0208"]),
    BrokenFile("steps: [{steps: [{id: a, run: x}], mutex: \"\"}]\n", ["1:43 R0205"]),
    // Needs.
    BrokenFile(
      "steps: [{id: build, run: x}, {id: b, run: x, needs: [biuld]}]\n", ["1:54 R0401"],
      hint: "did you mean \"build\"?"),
    BrokenFile("steps: [{id: a, run: x, needs: [a]}]\n", ["1:33 R0403"]),
    BrokenFile(
      "steps: [{id: a, run: x}, {id: b, run: x, needs: [a, a]}]\n", ["1:53 R0404"]),
    BrokenFile("steps: [{id: a, run: x, needs: {b: c}}]\n", ["1:36 R0211"]),
    BrokenFile(
      "steps:\n- {id: a, run: x, needs: [c]}\n- {id: b, run: x, needs: [a]}\n- {id: c, run: x, needs: [b]}\n",
      ["2:27 R0402"]),
    // Several at once.
    BrokenFile(
      "nam: x\nsteps:\n- {id: a, run: x, needs: [b]}\n- {id: a, rum: x}\n",
      ["1:1 R0201", "3:27 R0401", "4:8 R0303", "4:11 R0201"]),
  ]

  @Test(arguments: brokenFiles) func `an error is reported at its position`(_ file: BrokenFile) {
    do {
      let workflow = try Workflow(text: file.text, file: "w.yaml")
      Issue.record("was accepted: \(workflow.steps)")
    } catch {
      #expect(error.diagnostics.found == file.found, "\(error)")
      #expect(error.diagnostics.haveHint(file.hint), "\(error)")
    }
  }

  @Test func `an error is shown with its line and a caret below the word`() {
    let text = "steps:\n  - { id: build, run: make }\n  - { id: deploy, run: x, needs: [biuld] }\n"
    #expect(throws: WorkflowError.self) { try Workflow(text: text, file: "release.yaml") }
    do {
      _ = try Workflow(text: text, file: "workflows/release.yaml")
    } catch {
      #expect(
        error.description == """
          workflows/release.yaml:3:35: error[R0401]: step "deploy" needs "biuld", which does not exist
              3 |   - { id: deploy, run: x, needs: [biuld] }
                |                                   ^~~~~ did you mean "build"?
          """)
    }
  }

  @Test func `bytes that are not UTF-8 are reported with their position`() {
    let bytes = Array("name: x\ndescription: caf".utf8) + [0xE9, 0x0A]
    do {
      _ = try Workflow(bytes: bytes, file: "w.yaml")
      Issue.record("was accepted")
    } catch {
      #expect(error.diagnostics.found == ["2:17 R0104"])
    }
  }

  @Test func `nesting is limited, and deeply nested files are refused quickly`() {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    for (depth, isTooDeep) in [(100, false), (101, true), (200_000, true)] {
      do {
        _ = try Workflow(text: nested(depth), file: "w.yaml")
        Issue.record("was accepted")
      } catch {
        #expect((error.diagnostics.first?.code == "R0103") == isTooDeep)
      }
    }
  }

  @Test func `an alias bomb is refused`() {
    var text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    for level in 1..<12 {
      let uses = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
      text += "a\(level): &a\(level) [\(uses)]\n"
    }
    do {
      _ = try Workflow(text: text, file: "w.yaml")
      Issue.record("was accepted")
    } catch {
      #expect(error.diagnostics.map(\.code) == ["R0103"])
    }
  }

  @Test(arguments: [(90, false), (110, true)])
  func `aliases may expand to 100,000 values`(_ uses: Int, _ isRefused: Bool) {
    let list = Array(repeating: "x", count: 999).joined(separator: ", ")
    let aliases = Array(repeating: "*a", count: uses).joined(separator: ", ")
    #expect {
      _ = try Workflow(text: "a: &a [\(list)]\nb: [\(aliases)]\n", file: "w.yaml")
    } throws: { error in
      let codes = (error as? WorkflowError)?.diagnostics.map(\.code)
      return codes?.contains("R0103") == isRefused
    }
  }

  @Test func `a file over 64 MiB is refused`() {
    do {
      _ = try Workflow(bytes: Array(repeating: 0x20, count: 64 << 20 + 1), file: "w.yaml")
      Issue.record("was accepted")
    } catch {
      #expect(error.diagnostics.found == ["1:1 R0103"])
    }
  }

  @Test func `the reason why a file cannot be read is reported`() {
    for (path, reason) in [("/no/such/file.yaml", "No such file"), ("/", "Is a directory")] {
      do {
        _ = try Workflow(contentsOf: path)
        Issue.record("was accepted")
      } catch {
        #expect(error.description.contains("\(path): error[R0101]: cannot be read: \(reason)"))
      }
    }
  }

  @Test func `no message contains terminal control characters`() {
    do {
      _ = try Workflow(
        text: "\"\\e[31m\": 1\nsteps: [{id: \"\\e]0;x\\a\", run: x}]\n", file: "w.yaml")
      Issue.record("was accepted")
    } catch {
      #expect(!error.description.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
    }
  }
}
