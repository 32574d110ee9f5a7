import Foundation
import Testing
import WorkflowFiles

@testable import Reprise

struct StepChangeTests {
  private static let old = """
    env: { A: "1" }
    steps:
      - { id: a, run: echo a }
      - { id: b, run: echo b, env: { B: x } }
      - { id: c, run: echo c }
    """

  private func changes(_ new: String, finished: Set<String> = ["a", "b"]) throws -> [StepChange] {
    Reprise.changes(
      ofFinished: finished, from: try Workflow(text: Self.old, file: "w.yaml"),
      to: try Workflow(text: new, file: "w.yaml"))
  }

  @Test func `unfinished steps may change, and positions in the file do not matter`() throws {
    let new = "\n\n# moved\n" + Self.old.replacingOccurrences(of: "echo c", with: "echo other")
    #expect(try changes(new) == [])
    #expect(try changes(Self.old + "\n  - { id: d, run: echo d }") == [])
  }

  @Test func `a finished step that has changed is reported with the difference`() throws {
    let changed = try changes(Self.old.replacingOccurrences(of: "echo a", with: "echo z"))
    #expect(changed.map(\.step) == ["a"])
    #expect(changed.map(\.removed) == [["run: echo a"]])
    #expect(changed.map(\.added) == [["run: echo z"]])
  }

  @Test func `settings that a finished step inherits count as well`() throws {
    let environment = try changes(Self.old.replacingOccurrences(of: "\"1\"", with: "\"2\""))
    #expect(environment.map(\.step) == ["a", "b"])
    #expect(environment[0].added == ["env: A=2"])
    #expect(try changes("dir: /tmp\n" + Self.old).map(\.step) == ["a", "b"])
    #expect(try changes("shell: bash\n" + Self.old).map(\.step) == ["a", "b"])
  }

  @Test func `a finished step that was removed is reported`() throws {
    let new = "env: { A: \"1\" }\nsteps: [{ id: a, run: echo a }, { id: c, run: echo c }]"
    #expect(try changes(new).map(\.step) == ["b"])
  }
}
