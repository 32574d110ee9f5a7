import Foundation
import Testing
import WorkflowFiles

/// Broken files together with the files that they use: `a.yaml` is read from a folder that contains
/// the others.
struct BrokenUsesTests {
  struct BrokenFile: Sendable, CustomTestStringConvertible {
    let text: String
    /// The other files by name.
    let others: [String: String]
    /// `file:line:column code` of each diagnostic.
    let found: [String]
    /// A part of one of the hints.
    let hint: String

    init(_ text: String, _ others: [String: String], _ found: [String], hint: String = "") {
      self.text = text
      self.others = others
      self.found = found
      self.hint = hint
    }

    var testDescription: String { "\(found.joined(separator: ", ")) \(hint)" }
  }

  static let brokenFiles = [
    BrokenFile(
      "steps: [{id: b, uses: sub.yaml}]\n", ["sub.yaml": "steps: [{id: c, run: x}]\n"],
      ["a.yaml:1:23 R0805"]),
    BrokenFile(
      "steps: [{id: b, uses: /etc/hosts}]\n", [:], ["a.yaml:1:23 R0805"],
      hint: "write a path relative to this file"),
    BrokenFile(
      "steps: [{id: b, uses: ../sub.yaml}]\n", [:], ["a.yaml:1:23 R0101"]),
    BrokenFile(
      "steps: [{id: b, uses: ./x/../../sub.yaml}]\n", [:], ["a.yaml:1:23 R0101"]),
    BrokenFile("steps: [{id: b, uses: ./missing.yaml}]\n", [:], ["a.yaml:1:23 R0101"]),
    BrokenFile("steps: [{id: b, uses: \"\"}]\n", [:], ["a.yaml:1:23 R0205"]),
    BrokenFile("steps: [{id: b, uses: }]\n", [:], ["a.yaml:1:23 R0204"]),
    BrokenFile(
      "steps: [{id: b, uses: \"./${{ params.f }}.yaml\"}]\n", [:], ["a.yaml:1:23 R0206"]),
    BrokenFile("steps: [{id: b, uses: ./a.yaml}]\n", [:], ["a.yaml:1:23 R0806"]),
    BrokenFile(
      "steps: [{id: b, uses: ./sub.yaml}]\n", ["sub.yaml": "steps: [{id: c, uses: ./a.yaml}]\n"],
      ["sub.yaml:1:23 R0806"]),
    BrokenFile(
      "steps: [{id: b, uses: ./sub.yaml}]\n", ["sub.yaml": "steps: [{id: c, cmd: x}]\n"],
      ["sub.yaml:1:17 R0201"], hint: "did you mean \"run\"?"),
    BrokenFile(
      "steps: [{id: b, uses: ./sub.yaml}]\n", ["sub.yaml": ""], ["sub.yaml:1:1 R0102"]),
    BrokenFile(
      "steps: [{id: b, uses: ./sub.yaml}]\n", ["sub.yaml": "- x\n"],
      ["sub.yaml:1:1 R0202"]),
    BrokenFile(
      "steps: [{id: b, uses: ./sub.yaml}]\n", ["sub.yaml": "steps: [{id: c, run: x]\n"],
      ["sub.yaml:1:23 R0105"]),
    BrokenFile(
      "steps: [{id: b, uses: ./sub.yaml}]\n",
      ["sub.yaml": "concurrency: {group: g, policy: queue}\nsteps: [{id: c, run: x}]\n"],
      ["sub.yaml:1:1 R0807"]),
    BrokenFile(
      "steps: [{id: b, uses: ./sub.yaml}]\n",
      ["sub.yaml": "steps: [{id: c, run: x}]\nfinally: [{id: d, needs: c, run: x}]\n"],
      ["sub.yaml:2:19 R0217"]),
    BrokenFile(
      "steps: [{id: b, uses: ./sub.yaml, with: {y: 1}}]\n",
      ["sub.yaml": "steps: [{id: c, run: x}]\n"], ["a.yaml:1:42 R0603"]),
    BrokenFile(
      "steps: [{id: b, uses: ./sub.yaml, with: {traget: 1}}]\n",
      ["sub.yaml": "params: {target: x}\nsteps: [{id: c, run: x}]\n"], ["a.yaml:1:42 R0603"],
      hint: "did you mean \"target\"?"),
    BrokenFile(
      "steps: [{id: b, uses: ./sub.yaml}]\n",
      ["sub.yaml": "params: {target: }\nsteps: [{id: c, run: x}]\n"], ["a.yaml:1:23 R0604"],
      hint: "add it, as in: with: { target: … }"),
    BrokenFile(
      "steps: [{id: b, uses: ./sub.yaml, with: {n: many}}]\n",
      ["sub.yaml": "params: {n: 1}\nsteps: [{id: c, run: x}]\n"], ["a.yaml:1:45 R0602"]),
    BrokenFile(
      "steps: [{id: b, uses: ./sub.yaml, with: {f: yes}}]\n",
      ["sub.yaml": "params: {f: true}\nsteps: [{id: c, run: x}]\n"], ["a.yaml:1:45 R0602"]),
    BrokenFile(
      "steps: [{id: b, uses: ./sub.yaml, with: {c: zzz}}]\n",
      ["sub.yaml": "params: {c: {options: [x, y]}}\nsteps: [{id: c, run: x}]\n"],
      ["a.yaml:1:45 R0602"]),
    BrokenFile(
      "params: {b: true}\nsteps: [{id: b, uses: ./sub.yaml, with: {n: \"${{ params.b }}\"}}]\n",
      ["sub.yaml": "params: {n: 1}\nsteps: [{id: c, run: x}]\n"], ["a.yaml:2:45 R0602"]),
    BrokenFile(
      "steps: [{id: b, uses: ./sub.yaml, with: {s: [x]}}]\n",
      ["sub.yaml": "params: {s: x}\nsteps: [{id: c, run: x}]\n"], ["a.yaml:1:45 R0204"]),
    BrokenFile(
      "steps: [{id: b, uses: ./sub.yaml, with: [s]}]\n",
      ["sub.yaml": "params: {s: x}\nsteps: [{id: c, run: x}]\n"], ["a.yaml:1:41 R0202"]),
    BrokenFile(
      "steps: [{id: b, uses: ./sub.yaml, with: {s: \"${{ params.s }}\"}}]\n",
      ["sub.yaml": "params: {s: x}\nsteps: [{id: c, run: x}]\n"], ["a.yaml:1:50 R0511"]),
    BrokenFile(
      "steps: [{id: z, run: x}, {id: b, needs: [], uses: ./sub.yaml, with: {s: \"${{ steps.z.outputs.o }}\"}}]\n",
      ["sub.yaml": "params: {s: x}\nsteps: [{id: c, run: x}]\n"], ["a.yaml:1:78 R0518"]),
    BrokenFile(
      "params: {outer: x}\nsteps: [{id: b, uses: ./sub.yaml}]\n",
      ["sub.yaml": "steps: [{id: c, run: x, env: {A: \"${{ params.outer }}\"}}]\n"],
      ["sub.yaml:1:39 R0511"]),
    BrokenFile(
      "steps: [{id: z, run: x}, {id: b, uses: ./sub.yaml}]\n",
      ["sub.yaml": "steps: [{id: c, run: x, env: {A: \"${{ steps.z.result }}\"}}]\n"],
      ["sub.yaml:1:39 R0511"]),
    BrokenFile(
      "secrets: {t: {env: T}}\nsteps: [{id: b, uses: ./sub.yaml}]\n",
      ["sub.yaml": "steps: [{id: c, run: x, env: {A: \"${{ secrets.t }}\"}}]\n"],
      ["sub.yaml:1:39 R0511"]),
    BrokenFile(
      "steps: [{id: b, uses: ./sub.yaml}, {id: d, run: x, needs: c}]\n",
      ["sub.yaml": "steps: [{id: c, run: x}]\n"], ["a.yaml:1:59 R0401"]),
    BrokenFile(
      "steps: [{id: b, uses: ./sub.yaml}, {id: d, run: x, needs: b/c}]\n",
      ["sub.yaml": "steps: [{id: c, run: x}]\n"], ["a.yaml:1:59 R0401"]),
    BrokenFile(
      "steps: [{id: b, needs: b, uses: ./sub.yaml}]\n", ["sub.yaml": "steps: [{id: c, run: x}]\n"],
      ["a.yaml:1:24 R0403"]),
    BrokenFile(
      "steps: [{id: b, uses: ./sub.yaml, run: x}]\n", ["sub.yaml": "steps: [{id: c, run: x}]\n"],
      ["a.yaml:1:35 R0217"]),
    BrokenFile(
      "steps: [{id: b, uses: ./sub.yaml, exec: [x]}]\n", ["sub.yaml": "steps: [{id: c, run: x}]\n"],
      ["a.yaml:1:35 R0217"]),
    BrokenFile(
      "steps: [{id: b, uses: ./sub.yaml, timeout: soon}]\n",
      ["sub.yaml": "steps: [{id: c, run: x}]\n"], ["a.yaml:1:44 R0208"]),
    BrokenFile(
      "steps: [{id: b, run: x}]\nfinally: [{id: f, uses: ./sub.yaml, retry: 1}]\n",
      ["sub.yaml": "steps: [{id: c, run: x}]\n"], ["a.yaml:2:37 R0217"]),
    BrokenFile(
      "steps: [{id: b, uses: ./sub.yaml, grace: 1s}]\n", ["sub.yaml": "steps: [{id: c, run: x}]\n"],
      ["a.yaml:1:35 R0217"]),
    BrokenFile(
      "steps: [{id: b, uses: ./sub.yaml, mutex: m}]\n",
      ["sub.yaml": "steps: [{id: c, mutex: n, run: x}]\n"], ["sub.yaml:1:17 R0217"]),
    BrokenFile(
      "steps: [{id: b, uses: ./sub.yaml, approval: go}]\n",
      ["sub.yaml": "steps: [{id: c, run: x}]\n"], ["a.yaml:1:35 R0217"]),
    BrokenFile(
      "steps: [{id: b, uses: ./sub.yaml, outputs: {a: b}}]\n",
      ["sub.yaml": "steps: [{id: c, run: x}]\n"], ["a.yaml:1:35 R0217"]),
    BrokenFile(
      "steps: [{id: b, uses: ./sub.yaml, cache: {key: k}}]\n",
      ["sub.yaml": "steps: [{id: c, run: x}]\n"], ["a.yaml:1:35 R0217"]),
    BrokenFile(
      "steps: [{id: a, run: x}]\nfinally: [{id: b, uses: ./sub.yaml, when: failure}]\n",
      ["sub.yaml": "steps: [{id: c, run: x}]\n"], ["a.yaml:2:37 R0217"]),
    BrokenFile(
      "steps: [{id: b, foreach: [1, 2], uses: ./sub.yaml, run: x}]\n",
      ["sub.yaml": "steps: [{id: c, run: x}]\n"], ["a.yaml:1:52 R0217"]),
    BrokenFile(
      "steps: [{id: b, foreach: [1, 2], uses: ./sub.yaml}]\n",
      ["sub.yaml": "steps: [{id: c, run: x, timeout: soon}]\n"], ["sub.yaml:1:34 R0208"]),
    BrokenFile(
      "steps: [{id: z, run: x}, {id: b, uses: ./sub.yaml, with: {t: \"${{ steps.z.outputs.t }}\"}}]\n",
      ["sub.yaml": "params: {t: 1s}\nsteps: [{id: c, run: x, timeout: \"${{ params.t }}\"}]\n"],
      ["sub.yaml:2:39 R0522"]),
  ]

  @Test(arguments: brokenFiles) func `an error across files is reported at its position`(
    _ file: BrokenFile
  ) throws {
    // A nested folder, so that `../sub.yaml` cannot refer to a file of another process.
    let base = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    let folder = base.appendingPathComponent("workflows")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: base) }
    for (name, text) in file.others.merging(["a.yaml": file.text], uniquingKeysWith: { $1 }) {
      try text.write(to: folder.appendingPathComponent(name), atomically: true, encoding: .utf8)
    }
    do {
      let workflow = try Workflow(
        contentsOf: folder.path + "/a.yaml", with: Arguments(allowsMissing: true))
      Issue.record("was accepted: \(workflow.steps.map(\.id))")
    } catch {
      let errors = error.diagnostics.filter { $0.severity == .error }
      let files = errors.map { $0.file.split(separator: "/").last ?? "" }
      #expect(zip(files, errors.found).map { "\($0):\($1)" } == file.found, "\(error)")
      #expect(errors.haveHint(file.hint), "\(error)")
      #expect(error.errorCount == errors.count, "\(error)")
    }
  }
}
