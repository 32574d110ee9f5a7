import Foundation
import Reprise
import Testing

@testable import RepriseJournal

struct StepChangesTests {
  private static let old = """
    env: { A: "1" }
    steps:
      - { id: a, run: echo a }
      - { id: b, run: echo b, env: { B: x } }
      - { id: c, run: echo c }
    """

  private func changes(_ new: String, finished: Set<String> = ["a", "b"]) throws -> [StepChange] {
    RepriseJournal.changes(
      ofFinished: finished, from: try Workflow(text: Self.old, file: "w.yaml"),
      to: try Workflow(text: new, file: "w.yaml"))
  }

  @Test func `what is not finished may change, and places in the file mean nothing`() throws {
    let new = "\n\n# moved\n" + Self.old.replacingOccurrences(of: "echo c", with: "echo other")
    #expect(try changes(new) == [])
    #expect(try changes(Self.old + "\n  - { id: d, run: echo d }") == [])
  }

  @Test func `a finished step that has changed is told with the difference`() throws {
    let changed = try changes(Self.old.replacingOccurrences(of: "echo a", with: "echo z"))
    #expect(changed == [StepChange(step: "a", removed: ["run: echo a"], added: ["run: echo z"])])
  }

  @Test func `what is around a finished step counts as well`() throws {
    let environment = try changes(Self.old.replacingOccurrences(of: "\"1\"", with: "\"2\""))
    #expect(environment.map(\.step) == ["a", "b"])
    #expect(environment[0].added == ["env: A=2"])
    #expect(try changes("dir: /tmp\n" + Self.old).map(\.step) == ["a", "b"])
    #expect(try changes("shell: bash\n" + Self.old).map(\.step) == ["a", "b"])
  }

  @Test func `a finished step that is gone is told`() throws {
    let new = "env: { A: \"1\" }\nsteps: [{ id: a, run: echo a }, { id: c, run: echo c }]"
    #expect(try changes(new).map(\.step) == ["b"])
  }
}
