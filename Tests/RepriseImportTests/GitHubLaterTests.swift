// What actions do besides the command that they run.

import RepriseImport
import Testing

struct GitHubLaterTests {
  @Test(arguments: [
    (
      "dtolnay/rust-toolchain@v1", "{ toolchain: nightly, targets: wasm32 }",
      "RUSTUP_TOOLCHAIN: ${{ steps.rust-toolchain.outputs.RUSTUP_TOOLCHAIN || '' }}",
      "install Rust nightly, targets wasm32 once"
    ),
    (
      "dtolnay/rust-toolchain@1.70.0", "{ components: clippy }",
      "toolchain=\"1.70.0\"\n      if [ -e rust-toolchain.toml ]",
      "install Rust 1.70.0, components clippy once"
    ),
    (
      "actions-rs/toolchain@v1", "{ toolchain: beta, override: true }",
      "toolchain=\"beta\"\n      rustup run", "install Rust beta once"
    ),
    ("actions-rs/toolchain@v1", "{ toolchain: beta }", "run: make", "install Rust beta once"),
    ("actions/setup-go@v6", "{ go-version: 1.25 }", "run: make", "and GOTOOLCHAIN=local"),
    (
      "docker/build-push-action@v6", "{ push: true }", "docker buildx build --push",
      "builds from the files here, not from a clone of its own; attests the build as buildx does"
    ),
    (
      "zizmorcore/zizmor-action@v0.1", "{ persona: auditor }", "zizmor --no-exit-codes",
      "uploads no report"
    ),
    (
      "rustsec/audit-check@v2", "{ token: x }", "run: cargo audit",
      "reads Cargo.lock as it is here, not with the newest versions"
    ),
  ])
  func `what an action changes for later steps is changed here or in its note`(
    _ action: String, _ inputs: String, _ expected: String, _ note: String
  ) throws {
    let workflow = try importedSteps("- { uses: \(action), with: \(inputs) }\n- run: make")
    #expect(workflow.text.contains(expected), "\(workflow.text)")
    #expect(workflow.remarks.contains { $0.text.contains(note) }, "\(workflow.remarks)")
    #expect(workflow.verdict == .withNotes)
  }

  @Test(arguments: ["actions/setup-node@v4", "acme/setup-x@v1"])
  func `a version of the matrix is the same for all combinations`(_ action: String) throws {
    let workflow = try importedSteps(
      "- { uses: \(action), with: { node-version: \"${{ matrix.a }}\" } }\n- run: make",
      job: "    strategy: { matrix: { a: [20, 22] } }\n")
    #expect(
      workflow.remarks.contains { $0.text.contains("and all combinations use the same one") },
      "\(workflow.remarks)")
  }

  @Test func `an older action does not do what a newer one does`() throws {
    let workflow = try importedSteps(
      """
      - { uses: actions/setup-go@v5, with: { go-version: 1.25 } }
      - { uses: actions/download-artifact@v4, with: { pattern: "a-*" } }
      - { uses: actions-rs/toolchain@v1, with: { toolchain: beta } }
      - run: make
      """)
    for part in ["GOTOOLCHAIN", "!= 1 ]", "RUSTUP_TOOLCHAIN"] {
      #expect(!workflow.text.contains(part), "\(workflow.text)")
    }
  }

  @Test func `a pull request has the commits of earlier steps`() throws {
    let workflow = try importedSteps("- uses: peter-evans/create-pull-request@v8")
    #expect(
      workflow.text.contains(
        "git diff --cached --quiet && [ \"$(git rev-list --count \"origin/$BASE..HEAD\")\" = 0 ]"),
      "\(workflow.text)")
    #expect(workflow.text.contains("git diff --cached --quiet || git commit"))
  }

  @Test func `an artifact has what was in its folder before`() throws {
    let workflow = try importedSteps(
      "- { uses: actions/upload-artifact@v4, with: { path: dist } }\n- run: make")
    let note = "the files are kept in the folder of the run, with older ones that are there"
    #expect(workflow.remarks.contains { $0.text.hasSuffix(note) }, "\(workflow.remarks)")
  }

  @Test func `a single artifact of a pattern has no folder of its own`() throws {
    let workflow = try importedSteps(
      "- { uses: actions/download-artifact@v5, with: { pattern: \"a-*\", path: x } }\n- run: make")
    #expect(
      workflow.text.contains("[ ${#found[@]} != 1 ] || target=\"x\""), "\(workflow.text)")
  }

  @Test func `jobs that clone at the same time do not see a part of it`() throws {
    let workflow = try importedSteps(
      "- { uses: actions/checkout@v4, with: { repository: a/b, path: b } }\n- run: make")
    for part in ["git clone \"https://github.com/a/b\" \"$clone\"", "mv \"$clone\" \"b\""] {
      #expect(workflow.text.contains(part), "\(workflow.text)")
    }
  }
}
