import Foundation
import Testing
import WorkflowLanguage

/// Broken files among others that they use: `a.yaml` is read, and lies in a folder with the others.
struct BrokenUsesTests {
  struct Mistake: Sendable, CustomTestStringConvertible {
    let text: String
    /// The other files by name.
    let others: [String: String]
    /// `file:line:column` of each diagnostic.
    let places: [String]
    /// A part of the whole message.
    let says: String

    init(_ text: String, _ others: [String: String], _ places: [String], _ says: String) {
      self.text = text
      self.others = others
      self.places = places
      self.says = says
    }

    var testDescription: String { says }
  }

  static let mistakes = [
    Mistake(
      "steps: [{id: b, uses: sub.yaml}]\n", ["sub.yaml": "steps: [{id: c, run: x}]\n"],
      ["a.yaml:1:23"], "is no path of a workflow file"),
    Mistake(
      "steps: [{id: b, uses: /etc/hosts}]\n", [:], ["a.yaml:1:23"],
      "write it relative to this file"),
    Mistake(
      "steps: [{id: b, uses: ../sub.yaml}]\n", [:], ["a.yaml:1:23"], "is outside of the folder"),
    Mistake(
      "steps: [{id: b, uses: ./x/../../sub.yaml}]\n", [:], ["a.yaml:1:23"],
      "is outside of the folder"),
    Mistake("steps: [{id: b, uses: ./missing.yaml}]\n", [:], ["a.yaml:1:23"], "No such file"),
    Mistake("steps: [{id: b, uses: \"\"}]\n", [:], ["a.yaml:1:23"], "uses is empty"),
    Mistake("steps: [{id: b, uses: }]\n", [:], ["a.yaml:1:23"], "uses is a text, not nothing"),
    Mistake(
      "steps: [{id: b, uses: \"./${{ params.f }}.yaml\"}]\n", [:], ["a.yaml:1:23"],
      "uses cannot be computed"),
    Mistake("steps: [{id: b, uses: ./a.yaml}]\n", [:], ["a.yaml:1:23"], "in a circle"),
    Mistake(
      "steps: [{id: b, uses: ./sub.yaml}]\n", ["sub.yaml": "steps: [{id: c, uses: ./a.yaml}]\n"],
      ["sub.yaml:1:23"], "in a circle"),
    Mistake(
      "steps: [{id: b, uses: ./sub.yaml}]\n", ["sub.yaml": "steps: [{id: c, cmd: x}]\n"],
      ["sub.yaml:1:17"], "did you mean \"run\"?"),
    Mistake(
      "steps: [{id: b, uses: ./sub.yaml}]\n", ["sub.yaml": ""], ["sub.yaml:1:1"],
      "the file is empty"),
    Mistake(
      "steps: [{id: b, uses: ./sub.yaml}]\n", ["sub.yaml": "- x\n"],
      ["sub.yaml:1:1"], "a workflow is a map"),
    Mistake(
      "steps: [{id: b, uses: ./sub.yaml}]\n", ["sub.yaml": "steps: [{id: c, run: x]\n"],
      ["sub.yaml:1:23"], "is not closed"),
    Mistake(
      "steps: [{id: b, uses: ./sub.yaml}]\n",
      ["sub.yaml": "concurrency: {group: g, policy: queue}\nsteps: [{id: c, run: x}]\n"],
      ["sub.yaml:1:1"], "cannot be used by another one"),
    Mistake(
      "steps: [{id: b, uses: ./sub.yaml}]\n",
      ["sub.yaml": "steps: [{id: c, run: x}]\nfinally: [{id: d, run: x}]\n"],
      ["sub.yaml:2:1"], "cannot be used by another one"),
    Mistake(
      "steps: [{id: b, uses: ./sub.yaml, with: {y: 1}}]\n",
      ["sub.yaml": "steps: [{id: c, run: x}]\n"], ["a.yaml:1:42"], "has no parameter \"y\""),
    Mistake(
      "steps: [{id: b, uses: ./sub.yaml, with: {traget: 1}}]\n",
      ["sub.yaml": "params: {target: x}\nsteps: [{id: c, run: x}]\n"], ["a.yaml:1:42"],
      "did you mean \"target\"?"),
    Mistake(
      "steps: [{id: b, uses: ./sub.yaml}]\n",
      ["sub.yaml": "params: {target: }\nsteps: [{id: c, run: x}]\n"], ["a.yaml:1:23"],
      "add it, as in: with: { target: … }"),
    Mistake(
      "steps: [{id: b, uses: ./sub.yaml, with: {n: many}}]\n",
      ["sub.yaml": "params: {n: 1}\nsteps: [{id: c, run: x}]\n"], ["a.yaml:1:45"],
      "is a number, not \"many\""),
    Mistake(
      "steps: [{id: b, uses: ./sub.yaml, with: {f: yes}}]\n",
      ["sub.yaml": "params: {f: true}\nsteps: [{id: c, run: x}]\n"], ["a.yaml:1:45"],
      "is true or false, not \"yes\""),
    Mistake(
      "steps: [{id: b, uses: ./sub.yaml, with: {c: zzz}}]\n",
      ["sub.yaml": "params: {c: {options: [x, y]}}\nsteps: [{id: c, run: x}]\n"], ["a.yaml:1:45"],
      "it may be: x, y"),
    Mistake(
      "params: {b: true}\nsteps: [{id: b, uses: ./sub.yaml, with: {n: \"${{ params.b }}\"}}]\n",
      ["sub.yaml": "params: {n: 1}\nsteps: [{id: c, run: x}]\n"], ["a.yaml:2:45"],
      "is a number, not true or false"),
    Mistake(
      "steps: [{id: b, uses: ./sub.yaml, with: {s: [x]}}]\n",
      ["sub.yaml": "params: {s: x}\nsteps: [{id: c, run: x}]\n"], ["a.yaml:1:45"],
      "is a text, not a list"),
    Mistake(
      "steps: [{id: b, uses: ./sub.yaml, with: [s]}]\n",
      ["sub.yaml": "params: {s: x}\nsteps: [{id: c, run: x}]\n"], ["a.yaml:1:41"],
      "with is a map of names and values"),
    Mistake(
      "steps: [{id: b, uses: ./sub.yaml, with: {s: \"${{ params.s }}\"}}]\n",
      ["sub.yaml": "params: {s: x}\nsteps: [{id: c, run: x}]\n"], ["a.yaml:1:50"],
      "there is no parameter \"s\""),
    Mistake(
      "steps: [{id: z, run: x}, {id: b, needs: [], uses: ./sub.yaml, with: {s: \"${{ steps.z.outputs.o }}\"}}]\n",
      ["sub.yaml": "params: {s: x}\nsteps: [{id: c, run: x}]\n"], ["a.yaml:1:78"],
      "\"z\" may not be over"),
    Mistake(
      "params: {outer: x}\nsteps: [{id: b, uses: ./sub.yaml}]\n",
      ["sub.yaml": "steps: [{id: c, run: x, env: {A: \"${{ params.outer }}\"}}]\n"],
      ["sub.yaml:1:39"], "there is no parameter \"outer\""),
    Mistake(
      "steps: [{id: z, run: x}, {id: b, uses: ./sub.yaml}]\n",
      ["sub.yaml": "steps: [{id: c, run: x, env: {A: \"${{ steps.z.result }}\"}}]\n"],
      ["sub.yaml:1:39"], "there is no step \"z\""),
    Mistake(
      "secrets: {t: {env: T}}\nsteps: [{id: b, uses: ./sub.yaml}]\n",
      ["sub.yaml": "steps: [{id: c, run: x, env: {A: \"${{ secrets.t }}\"}}]\n"],
      ["sub.yaml:1:39"], "there is no secret \"t\""),
    Mistake(
      "steps: [{id: b, uses: ./sub.yaml}, {id: d, run: x, needs: c}]\n",
      ["sub.yaml": "steps: [{id: c, run: x}]\n"], ["a.yaml:1:59"],
      "needs \"c\", which does not exist"),
    Mistake(
      "steps: [{id: b, uses: ./sub.yaml}, {id: d, run: x, needs: b/c}]\n",
      ["sub.yaml": "steps: [{id: c, run: x}]\n"], ["a.yaml:1:59"], "needs \"b/c\""),
    Mistake(
      "steps: [{id: b, needs: b, uses: ./sub.yaml}]\n", ["sub.yaml": "steps: [{id: c, run: x}]\n"],
      ["a.yaml:1:24"], "needs itself"),
    Mistake(
      "steps: [{id: b, uses: ./sub.yaml, run: x}]\n", ["sub.yaml": "steps: [{id: c, run: x}]\n"],
      ["a.yaml:1:35"], "a step with \"uses\" has no \"run\""),
    Mistake(
      "steps: [{id: b, uses: ./sub.yaml, exec: [x]}]\n", ["sub.yaml": "steps: [{id: c, run: x}]\n"],
      ["a.yaml:1:35"], "a step with \"uses\" has no \"exec\""),
    Mistake(
      "steps: [{id: b, uses: ./sub.yaml, env: {A: b}}]\n",
      ["sub.yaml": "steps: [{id: c, run: x}]\n"], ["a.yaml:1:35"],
      "a step with \"uses\" has no \"env\""),
    Mistake(
      "steps: [{id: b, uses: ./sub.yaml, dir: d}]\n", ["sub.yaml": "steps: [{id: c, run: x}]\n"],
      ["a.yaml:1:35"], "a step with \"uses\" has no \"dir\""),
    Mistake(
      "steps: [{id: b, uses: ./sub.yaml, shell: bash}]\n",
      ["sub.yaml": "steps: [{id: c, run: x}]\n"], ["a.yaml:1:35"],
      "a step with \"uses\" has no \"shell\""),
    Mistake(
      "steps: [{id: b, uses: ./sub.yaml, timeout: 1s}]\n",
      ["sub.yaml": "steps: [{id: c, run: x}]\n"], ["a.yaml:1:35"],
      "a step with \"uses\" has no \"timeout\""),
    Mistake(
      "steps: [{id: b, uses: ./sub.yaml, retry: 1}]\n", ["sub.yaml": "steps: [{id: c, run: x}]\n"],
      ["a.yaml:1:35"], "a step with \"uses\" has no \"retry\""),
    Mistake(
      "steps: [{id: b, uses: ./sub.yaml, grace: 1s}]\n", ["sub.yaml": "steps: [{id: c, run: x}]\n"],
      ["a.yaml:1:35"], "a step with \"uses\" has no \"grace\""),
    Mistake(
      "steps: [{id: b, uses: ./sub.yaml, continue-on-error: true}]\n",
      ["sub.yaml": "steps: [{id: c, run: x}]\n"], ["a.yaml:1:35"],
      "a step with \"uses\" has no \"continue-on-error\""),
    Mistake(
      "steps: [{id: b, uses: ./sub.yaml, mutex: m}]\n", ["sub.yaml": "steps: [{id: c, run: x}]\n"],
      ["a.yaml:1:35"], "a step with \"uses\" has no \"mutex\""),
    Mistake(
      "steps: [{id: b, uses: ./sub.yaml, approval: go}]\n",
      ["sub.yaml": "steps: [{id: c, run: x}]\n"], ["a.yaml:1:35"],
      "a step with \"uses\" has no \"approval\""),
    Mistake(
      "steps: [{id: b, uses: ./sub.yaml, outputs: {a: b}}]\n",
      ["sub.yaml": "steps: [{id: c, run: x}]\n"], ["a.yaml:1:35"],
      "a step with \"uses\" has no \"outputs\""),
    Mistake(
      "steps: [{id: b, uses: ./sub.yaml, cache: {key: k}}]\n",
      ["sub.yaml": "steps: [{id: c, run: x}]\n"], ["a.yaml:1:35"],
      "a step with \"uses\" has no \"cache\""),
    Mistake(
      "steps: [{id: a, run: x}]\nfinally: [{id: b, uses: ./sub.yaml, on: failure}]\n",
      ["sub.yaml": "steps: [{id: c, run: x}]\n"], ["a.yaml:2:37"],
      "a step with \"uses\" has no \"on\""),
    Mistake(
      "steps: [{id: b, foreach: [1, 2], uses: ./sub.yaml, run: x}]\n",
      ["sub.yaml": "steps: [{id: c, run: x}]\n"], ["a.yaml:1:52"], "has no \"run\""),
    Mistake(
      "steps: [{id: b, foreach: [1, 2], uses: ./sub.yaml}]\n",
      ["sub.yaml": "steps: [{id: c, run: x, timeout: soon}]\n"], ["sub.yaml:1:34"],
      "timeout is a duration"),
    Mistake(
      "steps: [{id: z, run: x}, {id: b, uses: ./sub.yaml, with: {t: \"${{ steps.z.outputs.t }}\"}}]\n",
      ["sub.yaml": "params: {t: 1s}\nsteps: [{id: c, run: x, timeout: \"${{ params.t }}\"}]\n"],
      ["sub.yaml:2:39"], "computed by a step"),
  ]

  @Test(arguments: mistakes) func `a mistake among files is told where it is`(
    _ mistake: Mistake
  ) throws {
    // A folder within another one, so that `../sub.yaml` cannot be anybody's.
    let base = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    let folder = base.appendingPathComponent("workflows")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: base) }
    for (name, text) in mistake.others.merging(["a.yaml": mistake.text], uniquingKeysWith: { $1 }) {
      try text.write(to: folder.appendingPathComponent(name), atomically: true, encoding: .utf8)
    }
    do {
      let workflow = try Workflow(
        contentsOf: folder.path + "/a.yaml", with: Arguments(leavesOpen: true))
      Issue.record("was accepted: \(workflow.steps.map(\.id))")
    } catch {
      let places = error.diagnostics.filter { $0.severity == .error }.map { told in
        "\(told.file.split(separator: "/").last ?? ""):\(told.line):\(told.column)"
      }
      #expect(places == mistake.places, "\(error)")
      #expect(error.description.contains(mistake.says), "\(error)")
      #expect(error.mistakeCount == places.count, "\(error)")
    }
  }
}
