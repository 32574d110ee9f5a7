import Foundation
import Testing

@testable import WorkflowFiles

/// Workflow files that use other workflow files.
struct UsesTests {
  private final class Files {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "reprise-uses-\(UUID().uuidString)")

    init(_ texts: [String: String]) throws {
      for (path, text) in texts {
        let url = folder.appendingPathComponent(path)
        try FileManager.default.createDirectory(
          at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: url, atomically: true, encoding: .utf8)
      }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func workflow(_ path: String = "main.yaml") throws(WorkflowError) -> Workflow {
      try Workflow(contentsOf: folder.appendingPathComponent(path).path)
    }
  }

  private static let build = """
    params: { target: {}, level: { type: number, default: 1 } }
    env: { TARGET: "${{ params.target }}" }
    shell: bash
    steps:
      - { id: compile, run: x }
      - parallel: [{ id: link, run: x }, { id: strip, run: x }]
    outputs: { file: "${{ steps.compile.outputs.file }}" }
    """

  @Test func `the steps of the used file replace the step`() throws {
    let files = try Files([
      "main.yaml": """
      steps:
        - { id: tag, run: x }
        - { id: build, uses: ./parts/build.yaml, with: { target: "${{ steps.tag.outputs.t }}" } }
        - { id: show, exec: [echo, "${{ steps.build.outputs.file }}"] }
      """, "parts/build.yaml": Self.build,
    ])
    let workflow = try files.workflow()
    #expect(
      workflow.steps.map(\.id) == ["tag", "build/compile", "build/link", "build/strip", "show"])
    #expect(workflow.steps[1].needs == ["tag"])
    #expect(workflow.steps[4].needs == ["build/link", "build/strip"])
    #expect(workflow.steps[1].shell == .named("bash"))
    #expect(workflow.sources.keys.sorted() == ["parts/build.yaml"])
    let values = RunValues(
      run: "r", generation: 1, environment: [:], secrets: { _, _ in nil },
      step: { id in
        id == "tag"
          ? StepValues(result: "success", outputs: ["t": "arm"])
          : StepValues(result: "success", outputs: ["file": "a.out"])
      }, status: .success, hashFiles: { _ in "" })
    #expect(try workflow.resolved(workflow.steps[1], values).environment == ["TARGET": "arm"])
    #expect(try workflow.resolved(workflow.steps[4], values).action == .exec(["echo", "a.out"]))
    // The sources that are recorded with a run are read without the disk, wherever the file was.
    let main = try String(
      contentsOf: files.folder.appendingPathComponent("main.yaml"), encoding: .utf8)
    let again = try Workflow(
      bytes: Array(main.utf8), file: "/elsewhere/main.yaml", sources: .kept(workflow.sources))
    #expect(again.steps == workflow.steps)
  }

  @Test func `a file can be used many times`() throws {
    let files = try Files([
      "main.yaml": """
      steps:
        - { id: b, foreach: [x86, arm], uses: ./build.yaml, with: { target: "${{ item }}" } }
        - { id: show, exec: [echo, "${{ join(steps.b.outputs.file, ' ') }}"] }
      """, "build.yaml": Self.build,
    ])
    let workflow = try files.workflow()
    #expect(workflow.steps.count == 7)
    #expect(workflow.steps[3].id == "b[1]/compile")
    let values = RunValues(
      run: "r", generation: 1, environment: [:], secrets: { _, _ in nil },
      step: { StepValues(result: "success", outputs: ["file": $0]) }, status: .success,
      hashFiles: { _ in "" })
    #expect(
      try workflow.resolved(workflow.steps[6], values).action
        == .exec(["echo", "b[0]/compile b[1]/compile"]))
    #expect(try workflow.resolved(workflow.steps[3], values).environment == ["TARGET": "arm"])
  }

  @Test(arguments: [
    ("./gone.yaml", "", "R0101"), ("./../up.yaml", "", "R0805"), ("build.yaml", "", "R0805"),
    ("./main.yaml", "", "R0806"), ("./build.yaml", "", "R0604"),
    ("./build.yaml", "with: { target: x, traget: y }", "R0603"),
    ("./build.yaml", "with: { target: x, level: high }", "R0602"),
    ("./build.yaml", "with: { target: x }, run: y", "R0217"), ("./finally.yaml", "", "R0807"),
    ("./broken.yaml", "", "R0201"), ("./a.yaml", "", "R0806"), ("./deep1.yaml", "", "R0305"),
    ("./link.yaml", "", "R0805"),
  ]) func `a file that cannot be used is reported at the step that uses it`(
    _ path: String, _ more: String, _ code: String
  ) throws {
    var texts = [
      "main.yaml": "steps: [{ id: s, uses: \(path)\(more.isEmpty ? "" : ", " + more) }]\n",
      "build.yaml": Self.build,
      "finally.yaml":
        "steps: [{id: a, run: x}]\nconcurrency: { group: a, policy: queue }\n",
      "broken.yaml": "steps: [{id: a, rum: x}]\n", "a.yaml": "steps: [{id: a, uses: ./b.yaml}]\n",
      "b.yaml": "steps: [{id: a, uses: ./a.yaml}]\n",
    ]
    for level in 1...20 {
      texts["deep\(level).yaml"] = "steps: [{id: a, uses: ./deep\(level + 1).yaml}]\n"
    }
    let files = try Files(texts)
    try FileManager.default.createSymbolicLink(
      atPath: files.folder.path + "/link.yaml", withDestinationPath: "/etc/hosts")
    do {
      _ = try files.workflow()
      Issue.record("was accepted")
    } catch {
      #expect(error.diagnostics.contains { $0.code == code }, "\(error)")
      #expect(error.diagnostics.allSatisfy { $0.line > 0 })
    }
  }

  @Test(arguments: [
    ([".git/HEAD"], "work/deep/main.yaml", "../../shared/s.yaml", true),
    (["work/.git/HEAD"], "work/deep/main.yaml", "../../shared/s.yaml", false),
    ([], "workflows/main.yaml", "../shared/s.yaml", true),
    ([], "workflows/deep/main.yaml", "../../shared/s.yaml", true),
    ([], "work/main.yaml", "../shared/s.yaml", false),
  ]) func `used files can be anywhere in the project`(
    _ others: [String], _ main: String, _ path: String, _ isAllowed: Bool
  ) throws {
    var texts = [
      main: "steps: [{ id: a, uses: \(path) }]\n",
      "shared/s.yaml": "steps: [{ id: b, uses: ./t.yaml }]\n",
      "shared/t.yaml": "steps: [{ id: c, run: x }]\n",
    ]
    for other in others { texts[other] = "x" }
    let files = try Files(texts)
    do throws(WorkflowError) {
      let workflow = try files.workflow(main)
      #expect(isAllowed)
      #expect(workflow.steps.map(\.id) == ["a/b/c"])
      let again = try Workflow(
        bytes: Array((texts[main] ?? "").utf8), file: "/elsewhere/x/y/main.yaml",
        sources: .kept(workflow.sources))
      #expect(again.steps == workflow.steps)
    } catch {
      #expect(!isAllowed, "\(error)")
      #expect(error.diagnostics.map(\.code) == ["R0805"])
    }
  }

  @Test func `a link out of the project is not followed`() throws {
    let files = try Files([
      "p/.git/HEAD": "x", "p/w/main.yaml": "steps: [{ id: a, uses: ../link.yaml }]\n",
      "other.yaml": "steps: [{ id: c, run: x }]\n",
    ])
    try FileManager.default.createSymbolicLink(
      atPath: files.folder.path + "/p/link.yaml", withDestinationPath: "../other.yaml")
    do throws(WorkflowError) {
      _ = try files.workflow("p/w/main.yaml")
      Issue.record("was accepted")
    } catch {
      #expect(error.diagnostics.map(\.code) == ["R0805"])
    }
  }

  // MARK: Several workflows in a file

  @Test func `a file can use workflows of its own and of other files`() throws {
    let files = try Files([
      "main.yaml": """
      workflows:
        greet:
          params: { name: {} }
          steps: [{ id: say, env: { NAME: "${{ params.name }}" }, run: x }]
          outputs: { name: "${{ params.name }}" }
        twice:
          steps:
            - { id: one, uses: "#greet", with: { name: a } }
            - { id: two, uses: "./lib.yaml#greet", with: { name: b } }
      steps:
        - { id: first, uses: "#greet", with: { name: world } }
        - { id: second, uses: "#twice" }
        - { id: last, exec: [x, "${{ steps.first.outputs.name }}"] }
      """,
      "lib.yaml": """
      workflows: { greet: { params: { name: {} }, steps: [{ id: shout, run: x }] } }
      """,
    ])
    let workflow = try files.workflow()
    #expect(
      workflow.steps.map(\.id) == ["first/say", "second/one/say", "second/two/shout", "last"])
    #expect(workflow.sources.keys.sorted() == ["lib.yaml"])
    let main = try String(
      contentsOf: files.folder.appendingPathComponent("main.yaml"), encoding: .utf8)
    let again = try Workflow(
      bytes: Array(main.utf8), file: "/elsewhere/main.yaml", sources: .kept(workflow.sources))
    #expect(again.steps == workflow.steps)
  }

  @Test(arguments: [
    ("steps: [{ id: a, uses: '#b' }]", "R0808"), ("steps: [{ id: a, uses: '#' }]", "R0808"),
    (
      "workflows: { b: { steps: [{ id: c, uses: '#b' }] } }\nsteps: [{ id: a, uses: '#b' }]",
      "R0806"
    ),
    (
      "workflows: { b: { steps: [{ id: c, uses: ./main.yaml }] } }\nsteps: [{ id: a, uses: '#b' }]",
      "R0806"
    ),
    ("workflows: { b: { stepz: [] } }\nsteps: [{ id: a, run: x }]", "R0201"),
    ("workflows: [b]\nsteps: [{ id: a, run: x }]", "R0202"),
    (
      "workflows: { b: { steps: [{ id: c, run: x, needs: z }] } }\nsteps: [{ id: a, uses: '#b' }]",
      "R0401"
    ),
  ]) func `a wrong workflow in a file is reported`(_ text: String, _ code: String) throws {
    let files = try Files(["main.yaml": text])
    do throws(WorkflowError) {
      _ = try files.workflow()
      Issue.record("was accepted")
    } catch {
      #expect(error.diagnostics.map(\.code) == [code], "\(error)")
    }
  }

  @Test func `a workflow of a file is read like a file of its own`() throws {
    let text = """
      params: { x: {} }
      workflows:
        greet: { params: { y: z }, steps: [{ id: say, run: x }] }
        again: { steps: [{ id: a, uses: "#greet" }] }
        round: { steps: [{ id: a, uses: "#round" }] }
      steps: [{ id: main, run: x }]
      """
    func source(_ part: String?) -> WorkflowText {
      WorkflowText(Array(text.utf8), file: "w.yaml", part: part)
    }
    func codes(_ part: String) -> [String] {
      do throws(WorkflowError) {
        _ = try source(part).workflow(with: Arguments(), actions: nil)
        return []
      } catch {
        return error.diagnostics.map(\.code)
      }
    }
    let again = try source("again").workflow(with: Arguments(), actions: nil)
    #expect(again.name == "again" && again.steps.map(\.id) == ["a/say"])
    #expect(source("greet").parameters.map(\.name) == ["y"])
    #expect(source(nil).parameters.map(\.name) == ["x"])
    #expect(source("greet").line(ofStep: "say") == 3 && source("greet").line(ofStep: "main") == nil)
    #expect(codes("round") == ["R0806"] && codes("gret") == ["R0808"])
    #expect(source(nil).namesOfParts == ["greet", "again", "round"])
  }
}
