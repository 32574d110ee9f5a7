import RepriseImport
import Testing

/// What jobs that call workflows, and steps that use actions, have in common with them, and what not.
struct GitHubCallTests {
  private func files(_ steps: String, _ path: String = "a/action.yml") -> [String: String] {
    [path: "runs: { using: composite, steps: [\(steps)] }"]
  }

  @Test func `a job goes on after an action that says so, whose own steps end with their failure`()
    throws
  {
    let own = "continue-on-error: false, shell: bash"
    let workflow = try imported(
      """
      on: push
      jobs:
        a:
          runs-on: x
          steps: [{ run: make, continue-on-error: false }, { uses: ./a, continue-on-error: true }]
        b: { needs: a, if: always(), runs-on: x, steps: [{ run: "echo ${{ needs.a.result }}" }] }
      """,
      files: files(
        """
        { run: make one, \(own) }, { run: make two, continue-on-error: true, shell: bash },
        { run: make three, shell: bash }, { if: always(), run: make four, shell: bash }
        """))
    let text = workflow.text
    #expect(text.count(of: "continue-on-error: true\n") == 4, "\(text)")
    for (step, condition) in [
      ("two", "steps.a-make-one.result != 'failure'"),
      ("three", "steps.a-make-one.result != 'failure'"),
    ] {
      #expect(text.contains("- id: a-make-\(step)\n            if: \(condition)\n"), "\(text)")
    }
    // Only the step of the job itself decides its result.
    #expect(text.contains("((steps.a-make.result == 'failure') && 'failure' || ("), "\(text)")
    #expect(!workflow.remarks.contains { $0.text.contains("continue-on-error") })
    let inner = try importedSteps(
      "- { uses: ./a, continue-on-error: true }",
      files: files("{ run: make, shell: bash }, { if: failure(), run: make it, shell: bash }"))
    #expect(inner.verdict == .inPart, "\(inner.text)")
  }

  @Test func `whether a job goes on after an action can depend on inputs of an outer one`() throws {
    let workflow = try importedSteps(
      "- { uses: ./a, with: { fast: slow } }",
      files: files(
        "{ uses: ./b, with: { fast: x }, continue-on-error: \"${{ inputs.fast == 'slow' }}\" }"
      ).merging(files("{ run: make, shell: bash }", "b/action.yml")) { $1 })
    #expect(workflow.text.contains("continue-on-error: true\n"), "\(workflow.text)")
  }

  @Test func `the jobs of a call are no jobs of the file with a similar name`() throws {
    let workflow = try imported(
      """
      on: push
      jobs:
        build: { uses: ./.github/workflows/b.yml }
        build-test: { runs-on: x, steps: [{ id: s, run: make own }], outputs: { o: "${{ steps.s.outputs.o }}" } }
        last:
          needs: build-test
          runs-on: x
          steps: [{ run: "echo ${{ needs.build-test.outputs.o }}" }]
      """,
      files: [
        ".github/workflows/b.yml":
          "on: workflow_call\njobs: { test: { runs-on: x, steps: [{ id: s, run: make called }] } }"
      ])
    let own = "- id: build-test-s-2\n            run: |\n              export"
    for part in ["needs: [build-test-s-2]\n", "steps.build-test-s-2.outputs.o", own] {
      #expect(workflow.text.contains(part), "\(workflow.text)")
    }
  }

  @Test func `a workflow that is called does not see the variables of its caller`() throws {
    let workflow = try imported(
      """
      on: push
      env: { MODE: fast, CI: "no" }
      jobs:
        a:
          runs-on: x
          container: { image: y, env: { KIND: "${{ env.MODE }}" } }
          steps: [{ run: make a }, { if: env.MODE == 'fast', run: "make ${{ env.MODE }}" }]
        b: { uses: ./.github/workflows/b.yml }
      """,
      files: [
        ".github/workflows/b.yml": """
        on: workflow_call
        jobs:
          c:
            runs-on: x
            steps: [{ run: "make c ${{ env.MODE }}" }, { if: env.MODE == '', run: make d }]
        """
      ])
    let text = workflow.text
    #expect(text.count(of: "MODE: fast\n") == 2, "\(text)")
    #expect(text.contains("env:\n  CI: \"true\"\n"), "\(text)")
    for part in ["KIND: fast\n", "run: make fast\n"] { #expect(text.contains(part), "\(text)") }
    #expect(!workflow.remarks.contains { $0.text.contains("see the variables") })
    #expect(workflow.verdict == .withNotes, "\(workflow.remarks)")
  }

  @Test func `names and services of a workflow that is called have the values of its inputs`()
    throws
  {
    let workflow = try imported(
      """
      on: push
      jobs:
        a: { runs-on: x, steps: [{ run: make }] }
        b: { uses: ./.github/workflows/b.yml, with: { db: postgres } }
      """,
      files: [
        ".github/workflows/b.yml": """
        on: { workflow_call: { inputs: { db: { type: string } } } }
        jobs:
          c:
            name: "Test ${{ inputs.db }}"
            runs-on: x
            services: { db: { image: "${{ inputs.db }}:16" } }
            steps: [{ name: "With ${{ inputs.db }}", run: make test }]
        """
      ])
    for part in ["name: Test postgres\n", "name: With postgres\n", "\"postgres:16\""] {
      #expect(workflow.text.contains(part), "\(workflow.text)")
    }
    #expect(!workflow.text.contains("params:"), "\(workflow.text)")
  }

  @Test(arguments: ["./a/", "$/a//"])
  func `an action finds its own programs however its folder is written`(_ uses: String) throws {
    let program = "echo A=b >> $GITHUB_ENV"
    let workflow = try importedSteps(
      "- uses: \(uses)",
      files: files("{ run: \"${{ github.action_path }}/env.sh\", shell: bash }")
        .merging(["a/env.sh": program]) { $1 })
    #expect(workflow.text.contains("export GITHUB_ENV=\"$REPRISE_ENV\"\n"), "\(workflow.text)")
    #expect(workflow.text.contains("format('{0}/{1}', run.working-dir, 'a')"), "\(workflow.text)")
  }

  @Test func `each file of the repository is read once`() throws {
    var reads: [String: Int] = [:]
    let files = files("{ run: make it, shell: bash }").merging([
      ".github/workflows/b.yml":
        "on: workflow_call\njobs: { c: { runs-on: x, steps: [{ uses: ./a }, { uses: ./a }] } }"
    ]) { $1 }
    let folder = ImportFolder(read: { path in
      reads[path, default: 0] += 1
      return files[path].map { Array($0.utf8) }
    })
    let text = """
      on: push
      jobs:
        a: { runs-on: x, steps: [{ uses: ./a }, { uses: ./a }, { uses: ./none }] }
        b: { uses: ./.github/workflows/b.yml }
        d: { uses: ./.github/workflows/b.yml }
      """
    let workflow = try ImportedWorkflow(
      Array(text.utf8), from: .github, path: "ci.yml", folder: folder)
    #expect(workflow.text.count(of: "run: make it\n") == 6, "\(workflow.text)")
    for path in ["a/action.yml", ".github/workflows/b.yml", "none/action.yml"] {
      #expect(reads[path] == 1, "\(path): \(reads)")
    }
  }
}
