import Testing
import WorkflowLanguage

/// Broken files, each with the places of its mistakes and words that must be told.
struct MistakeTests {
  struct Mistake: Sendable, CustomTestStringConvertible {
    let text: String
    /// `line:column` of each diagnostic.
    let places: [String]
    /// A part of the whole message.
    let says: String

    init(_ text: String, _ places: [String], _ says: String) {
      self.text = text
      self.places = places
      self.says = says
    }

    var testDescription: String { says }
  }

  static let mistakes = [
    // Files as a whole.
    Mistake("", ["1:1"], "the file is empty"),
    Mistake("# only a comment\n", ["1:1"], "the file is empty"),
    Mistake("steps: [{id: a, run: x}]\n---\nsteps: []\n", ["2:1"], "a second document"),
    Mistake("- a\n", ["1:1"], "a workflow is a map"),
    Mistake("name: x\n", ["1:1"], "a workflow needs \"steps\""),
    Mistake("steps:\n\t- a\n", ["2:1"], "a tab cannot indent"),
    Mistake("name: a\0b\n", ["1:8"], "a NUL cannot be part"),
    Mistake("steps: [{id: a, run: \"x}]\n", ["1:22"], "never closed"),
    Mistake("steps: [{id: a, run: x}\n", ["2:1"], "is not closed"),
    Mistake("steps: [{id: a, run: x]\n", ["1:23"], "is not closed"),
    Mistake("name: a: b\n", ["1:8"], "a \":\" is not expected here"),
    Mistake("steps:\n- id: a\n run: x\n", ["3:2"], "expected here"),
    Mistake("steps: [*nobody]\n", ["1:9"], "nothing is named &nobody"),
    Mistake("env: &e {A: *e}\nsteps: [{id: a, run: x}]\n", ["1:13"], "has no end"),
    Mistake("name: a\nname: b\nsteps: [{id: a, run: x}]\n", ["2:1"], "stands here a second time"),
    Mistake("? [a]\n: b\nsteps: [{id: a, run: x}]\n", ["1:3"], "a key is a text"),
    Mistake("env: {<<: 3}\nsteps: [{id: a, run: x}]\n", ["1:11"], "<< takes a map"),
    Mistake("name: \"\\q\"\n", ["1:8"], "no such escape"),
    // Keys.
    Mistake("stepz: [{id: a, run: x}]\n", ["1:1"], "did you mean \"steps\"?"),
    Mistake("jobs: [{id: a, run: x}]\n", ["1:1"], "did you mean \"steps\"?"),
    Mistake(
      "maxParallel: 2\nsteps: [{id: a, run: x}]\n", ["1:1"], "did you mean \"max-parallel\"?"),
    Mistake(
      "steps: [{id: a, run: x, depends_on: b}]\n", ["1:25", "1:37"], "did you mean \"needs\"?"),
    Mistake("steps: [{id: a, cmd: x}]\n", ["1:17"], "did you mean \"run\"?"),
    Mistake("steps: [{id: a, run: x, colour: red}]\n", ["1:25"], "it may have: id, needs"),
    // Types.
    Mistake("name: [a]\nsteps: [{id: a, run: x}]\n", ["1:7"], "name is a text, not a list"),
    Mistake("name:\nsteps: [{id: a, run: x}]\n", ["1:6"], "name is a text, not nothing"),
    Mistake("steps: x\n", ["1:8"], "a list of steps is expected here"),
    Mistake("steps: []\n", ["1:8"], "there is no step in this list"),
    Mistake("steps: [x]\n", ["1:9"], "a step is a map"),
    Mistake(
      "concurrency: deploy\nsteps: [{id: a, run: x}]\n", ["1:14"], "concurrency is a map"),
    Mistake(
      "concurrency: {group: g}\nsteps: [{id: a, run: x}]\n", ["1:14"],
      "needs a \"group\" and a \"policy\""),
    Mistake(
      "concurrency: {group: g, policy: queu}\nsteps: [{id: a, run: x}]\n", ["1:33"],
      "did you mean \"queue\"?"),
    Mistake(
      "concurrency: {group: g, cancel-in-progress: true}\nsteps: [{id: a, run: x}]\n",
      ["1:25"], "did you mean \"policy\"?"),
    Mistake("steps: [{id: a, run: x, retry: 0}]\n", ["1:32"], "a whole number from 1"),
    Mistake("steps: [{id: a, run: x, retry: {delay: 1s}}]\n", ["1:32"], "retry needs a \"limit\""),
    Mistake(
      "steps: [{id: a, run: x, retry: {limit: 1, backoff: exponental}}]\n", ["1:52"],
      "did you mean \"exponential\"?"),
    Mistake(
      "steps: [{id: a, run: x, retry: {limit: 1, factor: 2}}]\n", ["1:51"],
      "\"backoff: exponential\" only"),
    Mistake(
      "steps: [{id: a, run: x, retry: {limit: 1, jitter: 2}}]\n", ["1:51"], "from 0 to 1"),
    Mistake(
      "steps: [{id: a, run: x, retry: {limit: 1, on: [0, 256]}}]\n", ["1:48", "1:51"],
      "at most 255"),
    Mistake("steps: [{id: a, run: x, retries: 2}]\n", ["1:25"], "did you mean \"retry\"?"),
    Mistake("max-parallel: 0\nsteps: [{id: a, run: x}]\n", ["1:15"], "a whole number from 1"),
    Mistake("max-parallel: \"2\"\nsteps: [{id: a, run: x}]\n", ["1:15"], "a whole number from 1"),
    Mistake("timeout: soon\nsteps: [{id: a, run: x}]\n", ["1:10"], "is a duration, not \"soon\""),
    Mistake("timeout: 0\nsteps: [{id: a, run: x}]\n", ["1:10"], "write it like 500ms"),
    Mistake("grace: -1s\nsteps: [{id: a, run: x}]\n", ["1:8"], "grace is a duration"),
    Mistake("env: [a]\nsteps: [{id: a, run: x}]\n", ["1:6"], "env is a map"),
    Mistake("env: {1A: x}\nsteps: [{id: a, run: x}]\n", ["1:7"], "cannot be the name"),
    Mistake("env: {REPRISE_X: x}\nsteps: [{id: a, run: x}]\n", ["1:7"], "set by Reprise itself"),
    Mistake("env: {A: }\nsteps: [{id: a, run: x}]\n", ["1:10"], "has no value"),
    Mistake("env: {A: [x]}\nsteps: [{id: a, run: x}]\n", ["1:10"], "not a list"),
    Mistake("shell: []\nsteps: [{id: a, run: x}]\n", ["1:8"], "shell names no program"),
    // Steps.
    Mistake("steps: [{run: x}]\n", ["1:9"], "a step needs an \"id\""),
    Mistake("steps: [{id: a b, run: x}]\n", ["1:14"], "cannot be an id"),
    Mistake("steps: [{id: _a, run: x}]\n", ["1:14"], "cannot be an id"),
    Mistake(
      "steps: [{id: a, run: x}, {id: a, run: x}]\n", ["1:31"], "a step \"a\" already, at line 1"),
    Mistake("steps: [{id: a}]\n", ["1:9"], "this step does nothing"),
    Mistake("steps: [{id: a, run: x, exec: [x]}]\n", ["1:25"], "not both"),
    Mistake("steps: [{id: a, run: \"  \"}]\n", ["1:22"], "run is empty"),
    Mistake("steps:\n- id: a\n  run:\n", ["3:7"], "run is a text, not nothing"),
    Mistake("steps: [{id: a, exec: []}]\n", ["1:23"], "exec names no program"),
    Mistake("steps: [{id: a, exec: git status}]\n", ["1:23"], "a list of texts is expected"),
    Mistake("steps: [{id: a, exec: [git, [x]]}]\n", ["1:29"], "an argument is a text"),
    Mistake("steps:\n- id: a\n  run: {echo a: b}\n", ["3:8"], "quote this: 'echo a: b'"),
    Mistake("steps:\n- id: a\n  run: echo ${{ x }}\n", ["3:13"], "bind it in env"),
    Mistake(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ x }}\"}\n", ["4:17"], "there is no \"x\""),
    // Groups.
    Mistake("steps: [{parallel: []}]\n", ["1:20"], "there is no branch"),
    Mistake("steps: [{parallel: x}]\n", ["1:20"], "a list of branches is expected"),
    Mistake(
      "steps: [{parallel: [{id: a, run: x}], needs: []}]\n", ["1:39"], "no \"needs\" of its own"),
    Mistake("steps: [{parallel: [{id: a, run: x}], env: {}}]\n", ["1:39"], "no key \"env\""),
    Mistake("steps: [{steps: [{id: a, run: x}], name: b}]\n", ["1:36"], "a nested list has no key"),
    // Needs.
    Mistake(
      "steps: [{id: build, run: x}, {id: b, run: x, needs: [biuld]}]\n", ["1:54"],
      "did you mean \"build\"?"),
    Mistake("steps: [{id: a, run: x, needs: [a]}]\n", ["1:33"], "step \"a\" needs itself"),
    Mistake(
      "steps: [{id: a, run: x}, {id: b, run: x, needs: [a, a]}]\n", ["1:53"], "is needed already"),
    Mistake("steps: [{id: a, run: x, needs: {b: c}}]\n", ["1:32"], "an id or a list of ids"),
    Mistake(
      "steps:\n- {id: a, run: x, needs: [c]}\n- {id: b, run: x, needs: [a]}\n- {id: c, run: x, needs: [b]}\n",
      ["2:27"], "dependency cycle: a -> c -> b -> a"),
    // Several at once.
    Mistake(
      "nam: x\nsteps:\n- {id: a, run: x, needs: [b]}\n- {id: a, rum: x}\n",
      ["1:1", "3:27", "4:8", "4:11"], "mistakes"),
  ]

  @Test(arguments: mistakes) func `a mistake is told where it is`(_ mistake: Mistake) {
    do {
      let workflow = try Workflow(text: mistake.text, file: "w.yaml")
      Issue.record("was accepted: \(workflow.steps)")
    } catch {
      let places = error.diagnostics.map { "\($0.line):\($0.column)" }
      #expect(places == mistake.places, "\(error)")
      #expect(error.description.contains(mistake.says), "\(error)")
    }
  }

  @Test func `a mistake is shown with its line and a caret below the word`() {
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

  @Test func `bytes that are not UTF-8 are told with their place`() {
    let bytes = Array("name: x\ndescription: caf".utf8) + [0xE9, 0x0A]
    do {
      _ = try Workflow(bytes: bytes, file: "w.yaml")
      Issue.record("was accepted")
    } catch {
      #expect(error.diagnostics.map { "\($0.line):\($0.column)" } == ["2:17"])
      #expect(error.description.contains("save the file as UTF-8"))
    }
  }

  @Test func `nesting is limited, and deep files are refused at once`() {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    for (depth, isTooDeep) in [(100, false), (101, true), (200_000, true)] {
      do {
        _ = try Workflow(text: nested(depth), file: "w.yaml")
        Issue.record("was accepted")
      } catch {
        #expect(error.description.contains("nested deeper than 100") == isTooDeep)
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
      #expect(error.description.contains("expand to more than 100000 values"))
    }
  }

  @Test func `a file over 64 MiB is refused`() {
    do {
      _ = try Workflow(bytes: Array(repeating: 0x20, count: 64 << 20 + 1), file: "w.yaml")
      Issue.record("was accepted")
    } catch {
      #expect(error.description.contains("at most 67108864 are read"))
    }
  }

  @Test func `a file that cannot be read says why`() {
    for (path, reason) in [("/no/such/file.yaml", "No such file"), ("/", "Is a directory")] {
      do {
        _ = try Workflow(contentsOf: path)
        Issue.record("was accepted")
      } catch {
        #expect(error.description.contains("\(path): error[R0101]: cannot be read: \(reason)"))
      }
    }
  }

  @Test func `no message carries what a terminal would obey`() {
    do {
      _ = try Workflow(
        text: "\"\\e[31m\": 1\nsteps: [{id: \"\\e]0;x\\a\", run: x}]\n", file: "w.yaml")
      Issue.record("was accepted")
    } catch {
      #expect(!error.description.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
    }
  }
}
