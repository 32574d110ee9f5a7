// Values of a result that would be another text than there.

import RepriseImport
import Testing

struct GitHubTextTests {
  @Test(arguments: [
    "if [ -z x ]; then\n        echo \"NEW=1\" >> $GITHUB_ENV\n      fi",
    "[ -z x ] && echo \"NEW=1\" >> $GITHUB_ENV",
    "if [ -z x ]; then echo \"NEW=1\" >> $GITHUB_ENV; fi",
  ])
  func `a variable that a script sets on a condition keeps the value of this machine`(
    _ script: String
  ) throws {
    let workflow = try importedSteps("- id: a\n  run: |\n      \(script)\n- run: make")
    #expect(
      workflow.text.contains("NEW: ${{ steps.a.outputs.NEW || env.NEW || '' }}"),
      "\(workflow.text)")
    #expect(workflow.text.contains("[ -n \"$NEW\" ] || unset NEW\n      make"))
    #expect(workflow.remarks.contains { $0.text.contains("if this step does not set NEW") })
  }

  @Test func `a variable that a script sets in any case needs no test`() throws {
    let workflow = try importedSteps(
      """
      - id: a
        run: |
          if true; then
            make
          fi
          { echo "NEW=1"; } >> $GITHUB_ENV
      - run: make
      """)
    #expect(workflow.text.contains("NEW: ${{ steps.a.outputs.NEW || '' }}"), "\(workflow.text)")
  }

  @Test(arguments: [
    ("shell: pwsh", "\"x=$true\" >> $env:GITHUB_OUTPUT", true),
    ("shell: bash", "echo x=$(python is.py) >> $GITHUB_OUTPUT", true),
    ("shell: bash", "echo x=true >> $GITHUB_OUTPUT", false),
  ])
  func `a text that a program computes is compared without case`(
    _ shell: String, _ script: String, _ isLower: Bool
  ) throws {
    let workflow = try importedSteps(
      "- id: a\n  \(shell)\n  run: |\n    \(script)\n- { if: steps.a.outputs.x == 'true', run: make }"
    )
    let lower = "if: lower(steps.a.outputs.x || '') == 'true'"
    #expect(workflow.text.contains(lower) == isLower, "\(workflow.text)")
  }

  @Test func `the branch of the repository is that of origin`() throws {
    let files = [".git/refs/remotes/origin/HEAD": "ref: refs/remotes/origin/trunk\n"]
    let workflow = try importedSteps(
      "- run: ls ${{ github.ref_name }} ${{ github.event.repository.default_branch }}",
      files: files)
    #expect(
      workflow.text.contains("github_ref_name:\n    default: trunk\n"), "\(workflow.text)")
    #expect(workflow.text.contains("default_branch:\n    default: trunk\n"))
  }

  @Test func `a variable of an action can have the value of an outer one of its name`() throws {
    let action = """
      inputs: { version: {} }
      runs:
        using: composite
        steps:
          - { shell: bash, run: make, env: { VERSION: "${{ inputs.version }}" } }
      """
    let workflow = try importedSteps(
      "- { uses: ./a, with: { version: \"${{ env.VERSION }}\" } }",
      job: "    env: { VERSION: 1.2.3 }\n", files: ["a/action.yml": action])
    #expect(workflow.text.contains("VERSION: \"1.2.3\"\n"), "\(workflow.text)")
    #expect(!workflow.text.contains("VERSION: \"\""))
  }

  @Test(arguments: [
    ("github.sha", ", with values for all its runs: -p github_sha=…"), ("github.ref", ""),
  ])
  func `a schedule says which values its watch needs`(_ name: String, _ end: String) throws {
    let workflow = try imported(
      """
      on: { schedule: [{ cron: 0 0 * * 0 }] }
      jobs: { a: { runs-on: ubuntu-latest, steps: [{ run: "ls ${{ \(name) }}" }] } }
      """)
    let note = "schedule: needs a \"reprise watch\" that runs" + end
    #expect(workflow.remarks.contains { $0.text == note }, "\(workflow.remarks)")
  }

  @Test func `env has only the variables of the file`() throws {
    let workflow = try importedSteps("- { if: env.HOME == '', run: make }")
    #expect(!workflow.text.contains("env.HOME"), "\(workflow.text)")
    #expect(workflow.remarks.contains { $0.text.contains("there is no variable \"HOME\"") })
  }

  @Test(arguments: [
    ("{ workflow_dispatch: {}, push: { tags: ['v*'] } }", "github_ref", "run: a ${{ github.ref }}"),
    ("[push, pull_request, merge_group]", "github_event_after", "run: a ${{ github.event.after }}"),
    ("[release, push]", "github_event_release_name", "run: a ${{ github.event.release.name }}"),
  ])
  func `a value that the default event has is no empty text or other ref`(
    _ events: String, _ name: String, _ step: String
  ) throws {
    let workflow = try imported(
      "on: \(events)\njobs: { a: { runs-on: x, steps: [{ \(step.replacing("run: ", with: "run: '"))' }] } }"
    )
    #expect(
      workflow.remarks.contains { $0.text.hasSuffix("\(name), which has no default value") },
      "\(workflow.remarks)")
  }

  @Test func `the result of a job of which nothing runs is a note, or missing if it is alone`()
    throws
  {
    func text(_ needs: String) throws -> ImportedWorkflow {
      try imported(
        """
        on: push
        jobs:
          a: { runs-on: ubuntu-latest, steps: [{ uses: codecov/codecov-action@v4 }] }
          b: { runs-on: ubuntu-latest, steps: [{ run: make }] }
          c:
            runs-on: ubuntu-latest
            needs: [\(needs)]
            if: always()
            steps: [{ run: "echo ${{ needs.a.result }}" }]
        """)
    }
    let alone = try text("a")
    #expect(alone.text.contains("needs.a.result: nothing of the job runs here"), "\(alone.text)")
    #expect(alone.verdict == .inPart)
    let beside = try text("a, b")
    #expect(beside.verdict == .withNotes, "\(beside.remarks)")
    #expect(beside.remarks.contains { $0.text.hasPrefix("needs.a.result: success, because") })
  }
}
