import TestSupport
import Testing
import WorkflowFiles

/// Requirements on all broken files: they are refused quickly and with readable messages.
struct BrokenFileTests {
  @Test(arguments: [
    BrokenWorkflowTests.brokenFiles, BrokenValueTests.brokenFiles, BrokenStepTests.brokenFiles,
    BrokenExpressionTests.brokenFiles, BrokenConditionTests.brokenFiles,
    BrokenPlaceTests.brokenFiles,
    BrokenGroupTests.brokenFiles, BrokenYAMLTests.brokenFiles,
  ])
  func `each broken file is refused within a second`(_ brokenFiles: [DiagnosticTests.BrokenFile]) {
    for file in brokenFiles {
      let time = processorTime {
        _ = try? Workflow(text: file.text, file: "w.yaml", with: Arguments(allowsMissing: true))
      }
      #expect(time < promised(.seconds(1)), "\(file.text)")
    }
  }

  /// Broken texts whose size grows with a number.
  static let growing: [(name: String, text: @Sendable (Int) -> String)] = [
    (
      "an unknown name in each step",
      { count in
        "steps:\n"
          + (0..<count).map { "- {id: s\($0), run: x, env: {A: \"${{ x }}\"}}\n" }.joined()
      }
    ),
    (
      "an unknown need in each step",
      { count in
        "steps:\n" + (0..<count).map { "- {id: step\($0), run: x, needs: no\($0)}\n" }.joined()
      }
    ),
    (
      "an unknown step in each condition",
      { count in
        let steps = (0..<count).map { number in
          "- {id: step\(number), run: x, if: steps.no\(number).result == 'failure'}\n"
        }
        return "steps:\n" + steps.joined()
      }
    ),
    (
      "many expressions in a script",
      { count in
        "steps:\n- id: a\n  run: " + String(repeating: "${{ params.a }} ", count: count) + "\n"
      }
    ),
    (
      "many needs, one of them twice",
      { count in
        "steps:\n" + (0..<count).map { "- {id: s\($0), run: x, needs: []}\n" }.joined()
          + "- {id: z, run: x, needs: [" + (0..<count).map { "s\($0)" }.joined(separator: ", ")
          + ", s1]}\n"
      }
    ),
    (
      "many errors on one line",
      { count in
        let values = (0..<count).map { "A\($0): \"${{ x }}\"" }
        return "env: {" + values.joined(separator: ", ") + "}\nsteps: [{id: a, run: x}]\n"
      }
    ),
  ]

  @Test(arguments: growing.indices)
  func `the time to report errors is linear in the size of the file`(_ index: Int) {
    let text = Self.growing[index].text(5000)
    let time = processorTime {
      #expect(throws: WorkflowError.self) { try Workflow(text: text, file: "w.yaml") }
    }
    #expect(time < promised(.seconds(10)), "\(Self.growing[index].name)")
  }

  @Test(arguments: growing.indices)
  func `the report of a large file is short`(_ index: Int) {
    do {
      _ = try Workflow(text: Self.growing[index].text(1000), file: "w.yaml")
      Issue.record("was accepted")
    } catch {
      // At most a hundred errors, each with its line truncated to the width of a terminal.
      #expect(error.description.utf8.count < 200_000, "\(Self.growing[index].name)")
    }
  }

  @Test func `an error far along a line is shown with its surroundings`() {
    let text = "env: {A: \"" + String(repeating: "y", count: 5000) + " ${{ x }}\"}\n"
    do {
      _ = try Workflow(text: text + "steps: [{id: a, run: x}]\n", file: "w.yaml")
      Issue.record("was accepted")
    } catch {
      #expect(error.diagnostics.map(\.column) == [5016])
      #expect(error.description.utf8.count < 1000)
      #expect(error.description.contains("${{ x }}"))
    }
  }

  @Test func `a long cycle is abbreviated`() {
    let steps = (0..<5000).map { "- {id: step\($0), run: x, needs: step\(($0 + 1) % 5000)}\n" }
    do {
      _ = try Workflow(text: "steps:\n" + steps.joined(), file: "w.yaml")
      Issue.record("was accepted")
    } catch {
      #expect(error.diagnostics.map(\.line) == [2])
      #expect(error.description.contains("dependency cycle: step0 -> step1 -> "))
      #expect(error.description.utf8.count < 2000)
    }
  }
}

extension DiagnosticTests.BrokenFile {
  /// Phrases from the messages of libyaml.
  private static let foreignWords = [
    "did not find expected", "found character", "found unexpected", "while scanning",
    "while parsing", "could not find", "found undefined", "found duplicate", "libyaml",
  ]

  /// Expects that the text is refused with the expected errors at the expected positions.
  func expectReported(sourceLocation: SourceLocation = #_sourceLocation) {
    do {
      let workflow = try Workflow(text: text, file: "w.yaml", with: Arguments(allowsMissing: true))
      Issue.record(
        "was accepted: \(text)\n\(workflow.steps.map(\.id))", sourceLocation: sourceLocation)
    } catch {
      let reported = error.diagnostics.filter { $0.severity == .error }
      #expect(reported.found == found, "\(error)", sourceLocation: sourceLocation)
      #expect(reported.haveHint(hint), "\(error)", sourceLocation: sourceLocation)
      #expect(error.errorCount == reported.count, "\(error)", sourceLocation: sourceLocation)
      for words in Self.foreignWords {
        #expect(!error.description.contains(words), "\(error)", sourceLocation: sourceLocation)
      }
    }
  }
}
