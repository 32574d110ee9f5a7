import RepriseImport
import Testing

/// The table of actions.
struct GitHubActionTests {
  private func step(_ uses: String, _ inputs: String, with keys: String = "") throws
    -> ImportedWorkflow
  {
    let with = inputs.isEmpty ? "" : ", with: { \(inputs) }"
    return try importedSteps("- { uses: \"\(uses)\"\(with)\(keys) }\n- run: make")
  }

  @Test(arguments: [
    ("docker://alpine:3", "args: ls -l, x: y", "-e INPUT_X \"alpine:3\" ls -l"),
    ("actions-rs/cargo@v1", "command: test, args: --all", "cargo test --all"),
    ("actions-rs/clippy-check@v1", "args: -D x", "cargo clippy -D x"),
    ("rustsec/audit-check@v1", "token: x", "cargo audit"),
    ("bahmutov/npm-install@v1", "working-directory: web", "cd \"web\""),
    ("goreleaser/goreleaser-action@v6", "args: release, version: v2", "goreleaser release"),
    ("borales/actions-yarn@v4", "cmd: install", "yarn install"),
    ("coactions/setup-xvfb@v1", "run: npm test", "xvfb-run -a npm test"),
    ("gradle/gradle-build-action@v2", "arguments: build", "./gradlew build"),
    (
      "nick-fields/retry@v3", "command: make it, max_attempts: 2, timeout_minutes: 5",
      "until timeout \"5m\" bash -e -o pipefail -c \"$COMMAND\"; do"
    ),
    (
      "PyO3/maturin-action@v1", "args: --release, target: x",
      "maturin build --target \"x\" --release"
    ),
    ("pypa/cibuildwheel@v2", "output-dir: w", "cibuildwheel --output-dir \"w\" \".\""),
    ("CodSpeedHQ/action@v3", "run: cargo bench, token: t", "run: cargo bench"),
    ("helm/kind-action@v1", "cluster_name: c", "kind create cluster --name \"c\" --wait \"60s\""),
    ("golangci/golangci-lint-action@v6", "args: -v, version: v1", "golangci-lint run -v"),
    ("pre-commit/action@v3", "", "pre-commit run --show-diff-on-failure --all-files"),
    ("psf/black@stable", "src: a, version: 1", "black --check --diff a"),
    ("astral-sh/ruff-action@v1", "src: a", "ruff check \"a\""),
    ("hadolint/hadolint-action@v3", "config: c", "hadolint -c \"c\" \"Dockerfile\""),
    ("DavidAnson/markdownlint-cli2-action@v1", "globs: a.md", "npx markdownlint-cli2 \"a.md\""),
    ("crate-ci/typos@v1", "files: src", "typos src"),
    ("lycheeverse/lychee-action@v1", "args: x", "lychee x"),
    ("ludeeus/action-shellcheck@v2", "severity: error", "xargs shellcheck --severity=error"),
    ("golang/govulncheck-action@v1", "go-version-input: x", "govulncheck ./..."),
    ("EmbarkStudios/cargo-deny-action@v2", "command: check bans", "--all-features check bans"),
    ("bufbuild/buf-breaking-action@v1", "against: x", "buf breaking \".\" --against \"x\""),
    ("creyD/prettier_action@v4", "dry: true", "git diff --exit-code"),
    ("docker/login-action@v3", "username: u, registry: r", "--password-stdin r"),
    (
      "docker/build-push-action@v6", "tags: \"a:1,a:2\", push: true",
      "docker buildx build --tag \"a:1\" --tag \"a:2\" --push \".\""
    ),
    (
      "docker/build-push-action@v6", "tags: a, push: \"${{ github.ref == 'x' }}\"",
      "docker buildx build --tag \"a\" \"--push=${"
    ),
    ("docker/bake-action@v5", "targets: \"a,b\", push: true", "docker buildx bake --push a b"),
    ("addnab/docker-run-action@v3", "image: i, run: ls", "--entrypoint=sh \"i\" -c \"$SCRIPT\""),
    (
      "actions/checkout@v4", "repository: a/b, path: b",
      "git clone \"https://github.com/a/b\" \"$clone\"\n"
    ),
    (
      "actions/checkout@v4", "ref: v1, path: b",
      "git clone \"$(git remote get-url origin)\" \"$clone\" && git -C \"$clone\" checkout --quiet \"v1\""
    ),
    (
      "actions/checkout@v4", "path: b",
      "git -C \"$clone\" remote set-url origin \"$(git remote get-url origin)\""
    ),
    (
      "actions/download-artifact@v4", "pattern: \"x-*\", path: out, merge-multiple: true",
      "for artifact in \"$REPRISE_RUN_DIR\"/artifacts/x-*; do"
    ),
    ("actions/download-artifact@v4", "path: out", "target=\"out/${artifact##*/}\""),
    ("actions/upload-artifact@v4", "name: x, path: ~/a b", "cp \"$HOME/a b\" \"$folder\""),
    (
      "actions/upload-artifact@v4", "name: x, path: \"${{ github.ref }}-*.txt\"",
      "files=(\"${REF}-\"*\".txt\")"
    ),
    (
      "actions/upload-artifact@v4", "name: x, path: \"site/**\\n!site/img/**\"",
      "excluded=(img/** /dev/null)"
    ),
    ("changesets/action@v1", "version: x", "echo hasChangesets=true >>"),
    ("rtCamp/action-slack-notify@v2", "", "jq -n --arg text"),
    ("benc-uk/workflow-dispatch@v1", "workflow: w.yml", "gh workflow run \"$WORKFLOW\""),
    ("aws-actions/amazon-ecr-login@v2", "", "aws ecr get-login-password"),
    ("stefanzweifel/git-auto-commit-action@v5", "file_pattern: a", "git add a"),
    ("peter-evans/create-pull-request@v6", "add-paths: a, base: b", "BASE: b"),
    (
      "softprops/action-gh-release@v2", "tag_name: v1, files: \"a.zip\"",
      "gh release view \"${TAG#refs/tags/}\" > /dev/null 2>&1 || gh release create"
    ),
    (
      "peter-evans/create-pull-request@v6", "branch-suffix: timestamp, signoff: true",
      "BRANCH=$BRANCH-$(date +%s)"
    ),
    ("peter-evans/create-pull-request@v6", "body-path: b", "BODY=$(cat \"b\")"),
    ("uraimo/run-on-arch-action@v3", "run: make, githubToken: t", "GITHUB_ACTOR: ${{ params."),
    ("actions/create-release@v1", "tag_name: v1, draft: true", "--draft"),
    (
      "softprops/action-gh-release@v2", "token: \"${{ secrets.PAT }}\"",
      "GH_TOKEN: ${{ secrets.PAT }}"
    ),
    (
      "peter-evans/create-pull-request@v6", "token: \"${{ secrets.PAT }}\"",
      "GH_TOKEN: ${{ secrets.PAT }}"
    ),
    (
      "svenstaro/upload-release-action@v2", "file: a",
      "gh release upload \"${TAG#refs/tags/}\" \"a\" --clobber"
    ),
    (
      "svenstaro/upload-release-action@v2", "file: dist/*, file_glob: true",
      "gh release upload \"${TAG#refs/tags/}\" dist/* --clobber"
    ),
    (
      "actions/upload-release-asset@v1", "asset_path: out/a, asset_name: b",
      "cp \"out/a\" \"$folder/b\""
    ),
    ("yyx990803/release-tag@v1", "", "gh release create"),
    ("changesets/action@v1", "publish: npm run release", "npx changeset version"),
    ("peaceiris/actions-gh-pages@v4", "publish_dir: out", "tar -C \"out\" --exclude ./.git"),
    ("JS-DevTools/npm-publish@v3", "token: t", "npm publish"),
    (
      "pypa/gh-action-pypi-publish@v1", "repository_url: \"https://t/\"",
      "twine upload --repository-url \"https://t/\" dist/*"
    ),
    ("pnpm/action-setup@v4", "run_install: true", "pnpm install"),
    ("actions/download-artifact@v4", "run-id: 3, name: x", "gh run download \"$RUN\" --repo"),
    (
      "docker/build-push-action@v6", "tags: \"${{ steps.x.outputs.y }}\"",
      "options+=(--tag \"$value\")"
    ),
    (
      "docker/build-push-action@v6", "outputs: 'type=image,\"name=a,b\"', tags: $x",
      "--output \"type=image,\\\"name=a,b\\\"\" --tag \"\\$x\""
    ),
    ("docker/metadata-action@v5", "images: a/b", "GITHUB_ENV=\"$REPRISE_ENV\""),
    (
      "dorny/paths-filter@v3", "filters: f.yml", "INPUT_BASE: ${{ params.github_base_ref || params."
    ),
    ("peter-evans/dockerhub-description@v4", "username: u", "INPUT_USERNAME: u"),
    (
      "mislav/bump-homebrew-formula-action@v3", "tag-name: v1",
      "env \"INPUT_TAG-NAME=$INPUT_TAG_NAME\""
    ),
    (
      "re-actors/alls-green@v1", "jobs: \"${{ toJSON(needs) }}\", allowed-skips: \"a, b\"",
      "SKIPS: a, b"
    ),
    ("tsickert/discord-webhook@v7", "webhook-url: u, content: c", "jq -n --arg content"),
    ("fkirc/skip-duplicate-actions@v5", "do_not_skip: x", "echo should_skip=false >>"),
    ("stefanzweifel/git-auto-commit-action@v5", "branch: b", "git checkout \"$BRANCH\" --"),
    (
      "zizmorcore/zizmor-action@v1", "persona: auditor",
      "zizmor --no-exit-codes --persona \"auditor\" ."
    ),
    ("zizmorcore/zizmor-action@v1", "advanced-security: false", " zizmor .\n"),
    ("snyk/actions/node@v1", "args: --all, command: code test", "snyk code test --all"),
    ("bufbuild/buf-push-action@v1", "input: p", "cd \"p\"\n      buf push"),
    (
      "christian-korneck/update-container-description-action@v1",
      "destination_container_repo: a/b, readme_file: \"\"", "--file \"\" --debug \"a/b\""
    ),
    (
      "aquasecurity/trivy-action@v0", "scan-type: fs, severity: HIGH, exit-code: 1",
      "trivy fs --exit-code \"1\" --severity \"HIGH\" \".\""
    ),
    (
      "aquasecurity/trivy-action@v0", "image-ref: i, format: sarif, severity: HIGH",
      "trivy image --format \"sarif\" \"i\""
    ),
    ("cloudflare/wrangler-action@v3", "command: deploy, apiToken: t", "npx wrangler deploy"),
    (
      "golang/govulncheck-action@v1", "output-format: sarif, output-file: f",
      "govulncheck -format \"sarif\" ./... > \"f\""
    ),
    ("obi1kenobi/cargo-semver-checks-action@v2", "package: p", "check-release --package \"p\""),
    ("actions-rust-lang/rustfmt@v1", "", "cargo fmt --all -- --check"),
    ("actions-rust-lang/audit@v1", "", "cargo audit"),
    ("bnjbvr/cargo-machete@main", "args: x", "cargo machete x"),
    (
      "dominikh/staticcheck-action@v1", "build-tags: t",
      "staticcheck -checks \"inherit\" -tags \"t\" ./..."
    ),
    ("securego/gosec@master", "args: ./...", "gosec ./..."),
    ("isort/isort-action@v1", "sort-paths: src", "isort --check-only --diff src"),
    ("jakebailey/pyright-action@v2", "project: p", "npx pyright --project \"p\""),
    ("SonarSource/sonarqube-scan-action@v5", "args: -Da=b", "sonar-scanner -Da=b"),
    (
      "hynek/build-and-inspect-python-package@v2", "path: p",
      "python3 -m build --outdir \"$folder\""
    ),
    (
      "ramsey/composer-install@v3", "dependency-versions: lowest", "composer update --prefer-lowest"
    ),
    ("crazy-max/ghaction-upx@v3", "files: dist/*, args: -9", "upx -9 dist/*"),
    ("benc-uk/workflow-dispatch@v1", "workflow: w, inputs: \"{}\"", "--ref \"$REF\" --json"),
    ("mikefarah/yq@v4", "cmd: yq .a f", "result=$(eval \"$COMMAND\")"),
    (
      "actions/upload-artifact/merge@v4", "name: all, pattern: a-*",
      "[ -d \"$artifact\" ] && [ \"${artifact##*/}\" != \"all\" ] || continue"
    ),
    ("geekyeggo/delete-artifact@v5", "name: a-*", "rm -rf -- a-*"),
    ("anchore/scan-action@v6", "path: .", "INPUT_SEVERITY_CUTOFF: medium"),
    ("slackapi/slack-github-action@v2", "payload: x", "INPUT_ERRORS: \"false\""),
    ("googleapis/release-please-action@v4", "release-type: node", "INPUT_RELEASE_TYPE: node"),
    ("ruby/setup-ruby@v1", "bundler-cache: true", "bundle install"),
    (
      "golangci/golangci-lint-action@v6", "only-new-issues: true",
      "golangci-lint run --new-from-merge-base \"origin/$BASE\""
    ),
    ("j178/prek-action@v2", "extra-args: -v", "prek run --show-diff-on-failure --color=always -v"),
    (
      "codespell-project/actions-codespell@v2", "ignore_words_list: a, path: src",
      "codespell --count --ignore-words-list a --skip ./.git src"
    ),
    ("wjdp/htmltest-action@master", "path: p, skip_external: 1", "run: htmltest p -s"),
    ("gitleaks/gitleaks-action@v2", "", "gitleaks detect --redact -v --exit-code=2"),
    ("mislav/bump-homebrew-formula-action@v3", "formula-name: x", "Homebrew/homebrew-core"),
    ("octokit/request-action@v2", "route: GET /x, owner: a", "INPUT_OWNER: a"),
    ("uraimo/run-on-arch-action@v3", "run: make", "INPUT_ARCH: aarch64"),
    ("juliangruber/read-file-action@v1", "path: p", "INPUT_PATH: p"),
    ("SimenB/github-actions-cpu-cores@v2", "", "node \"$action/$main\""),
    (
      "tj-actions/changed-files@v47", "files: \"src/**\\n!src/x\"",
      "':(glob)src/**' ':(glob,exclude)src/x'"
    ),
    (
      "rickstaa/action-create-tag@v1", "tag: v1, force_push_tag: true",
      "git tag --force -a \"$tag\""
    ),
    ("release-plz/action@v0.5", "command: release", "release-plz release --git-token"),
    ("vedantmgoyal9/winget-releaser@main", "identifier: a.b", "komac update \"$IDENTIFIER\""),
    ("crazy-max/ghaction-chocolatey@v3", "args: install x", "choco install x"),
    ("redhat-actions/podman-login@v1", "registry: r", "--password-stdin \"r\""),
    (
      "google-github-actions/get-gke-credentials@v2", "cluster_name: c, location: l",
      "get-credentials \"c\" --location \"l\""
    ),
    ("Azure/CLI@v2", "inlineScript: az version", "run: az version"),
    ("appleboy/ssh-action@v1", "host: h, key: k, script: ls", "\"h\" \"$COMMANDS\""),
    (
      "actions-rust-lang/setup-rust-toolchain@v1", "toolchain: nightly",
      "echo \"RUSTFLAGS=${RUSTFLAGS-$FLAGS}\" >> \"$REPRISE_OUTPUT\""
    ),
    (
      "astral-sh/setup-uv@v7", "python-version: 3.12, version: 0.9",
      "UV_PYTHON: ${{ steps.setup-uv.outputs.UV_PYTHON"
    ),
    (
      "astral-sh/setup-uv@v7", "activate-environment: true",
      "VIRTUAL_ENV: ${{ steps.setup-uv.outputs.VIRTUAL_ENV"
    ),
    ("julia-actions/julia-buildpkg@v1", "", "julia --project=\"@.\" -e 'using Pkg; Pkg.build()'"),
    ("julia-actions/julia-runtest@v1", "coverage: false", "Pkg.test(coverage=false)"),
    ("clechasseur/rs-cargo@v2", "command: test, args: -v", "cargo test -v"),
    ("clechasseur/rs-clippy-check@v4", "args: -D x", "cargo clippy -D x"),
    ("tox-dev/action-pre-commit-uv@v1", "", "pre-commit run --show-diff-on-failure"),
    ("pypa/gh-action-pip-audit@v1", "inputs: r.txt", "pip-audit --requirement \"r.txt\""),
    ("orhun/git-cliff-action@v4", "args: --latest", "git-cliff --config \"cliff.toml\" --latest"),
    ("jreleaser/release-action@v2", "arguments: deploy", "jreleaser deploy"),
    ("superfly/flyctl-actions@1.5", "args: deploy", "flyctl deploy"),
    ("fossas/fossa-action@v1", "api-key: k, run-tests: true", "fossa test"),
    ("wagoid/commitlint-github-action@v6", "configFile: c", "npx commitlint --from"),
    ("super-linter/super-linter/slim@v7", "", "ghcr.io/super-linter/super-linter:slim-v7"),
    (
      "taiki-e/setup-cross-toolchain-action@v1", "target: x",
      "CARGO_BUILD_TARGET: ${{ steps.setup-cross-toolchain-action.outputs.CARGO_BUILD_TARGET"
    ),
  ])
  func `an action becomes the command that it runs`(
    _ uses: String, _ inputs: String, _ expected: String
  ) throws {
    let workflow = try step(uses, inputs)
    #expect(workflow.text.contains(expected), "\(workflow.text)")
    #expect(workflow.verdict == .withNotes, "\(workflow.remarks)")
    #expect(workflow.stepCount == 2)
  }

  @Test(arguments: [
    ("pnpm/action-setup@v4", "version: 9", "(version 9): must be installed"),
    ("pnpm/action-setup@v4", "run_install: false", "must be installed"),
    ("actions/setup-node@v4", "registry-url: x", "with the login of npm"),
    ("acme/setup-x@v1", "", "must be installed"), ("actions/cache@v4", "path: x", "files stay"),
    ("codecov/codecov-action@v4", "", "left out"), ("tiangolo/pr-push@v1", "", "gives a token"),
    ("awalsh128/cache-apt-pkgs-action@v1", "packages: a b", "install once: a b"),
    ("mikepenz/action-junit-report@v5", "", "shows results on GitHub"),
    ("snok/install-poetry@v1", "", "install it"),
    ("actions/stale@v9", "", "issues"),
    ("actions/create-github-app-token@v1", "", "a secret of this machine"),
    ("actions-ecosystem/action-add-labels@v1", "", "issues"),
    ("Swatinem/Rust-Cache@v2", "", "files stay"),
    ("xt0rted/markdownlint-problem-matcher@v3", "", "shows results on GitHub"),
    ("astral-sh/setup-uv@v7", "version: 0.9", "(version 0.9): must be installed"),
    (
      "mamba-org/setup-micromamba@v2", "environment-file: e.yml",
      "create the environment e.yml once, and activate it"
    ),
    ("reviewdog/action-eslint@v1", "reporter: github-pr-review", "shows results on GitHub"),
    ("bufbuild/buf-action@v1", "setup_only: true", "must be installed"),
    ("dorny/test-reporter@v2", "fail-on-error: false", "shows results on GitHub"),
    ("acme/install-tool@v1", "version: 2", "(version 2): must be installed"),
    ("acme/gleam-installer@v1", "", "must be installed"),
    ("golangci/golangci-lint-action@v6", "install-only: true", "must be installed"),
    ("Homebrew/actions/cache-homebrew-prefix@main", "install: a b", "install once: a b"),
  ])
  func `an action that is not needed here is a note`(
    _ uses: String, _ inputs: String, _ expected: String
  ) throws {
    let workflow = try step(uses, inputs)
    #expect(workflow.remarks.contains { $0.weight == .note && $0.text.contains(expected) })
    #expect(workflow.text.contains("# "), "\(workflow.text)")
    #expect(workflow.verdict == .withNotes, "\(workflow.remarks)")
    #expect(workflow.stepCount == 1)
  }

  @Test func `the outputs of a pull request action are those of its pull request`() throws {
    let workflow = try importedSteps(
      """
      - { uses: peter-evans/create-pull-request@v7, id: pr }
      - run: echo ${{ steps.pr.outputs.pull-request-url }}
      """)
    #expect(workflow.verdict == .withNotes, "\(workflow.remarks)")
    #expect(workflow.text.contains("steps.pr.outputs.pull-request-url"))
  }

  @Test func `a value of an event that an action gives is asked for`() throws {
    let workflow = try importedSteps(
      """
      - { uses: dependabot/fetch-metadata@v2, id: metadata }
      - if: steps.metadata.outputs.update-type == 'version-update:semver-patch'
        run: echo merge
      """)
    #expect(workflow.verdict == .withNotes, "\(workflow.remarks)")
    #expect(
      workflow.remarks.contains {
        $0.text.contains("parameter steps_metadata_update_type, which has no default value")
      }, "\(workflow.remarks)")
  }

  @Test func `the access token of a cloud is a secret`() throws {
    let workflow = try importedSteps(
      """
      - { uses: google-github-actions/auth@v2, id: auth }
      - { run: make, env: { TOKEN: "${{ steps.auth.outputs.access_token }}" } }
      """)
    #expect(workflow.text.contains("TOKEN: ${{ secrets.CLOUDSDK_AUTH_ACCESS_TOKEN }}"))
  }

  @Test func `a shell that is bash on another system is bash`() throws {
    let workflow = try importedSteps("- { run: make, shell: \"msys2 {0}\" }")
    #expect(workflow.verdict == .withNotes, "\(workflow.remarks)")
    #expect(workflow.remarks.contains { $0.text == "the shell msys2 {0} of Windows is bash here" })
  }

  @Test(arguments: [
    ("psf/black@stable", "jupyter: true", "jupyter"),
    ("golangci/golangci-lint-action@v6", "only-new-issues: \"${{ env.X }}\"", ""),
    ("tj-actions/changed-files@v47", "json: true", ""),
    ("tj-actions/changed-files@v47", "files: \"**.md\"", ""),
    ("korthout/backport-action@v3", "", ""),
    ("reviewdog/action-eslint@v1", "fail_level: error", ""),
    ("dorny/test-reporter@v2", "name: x", ""), ("bufbuild/buf-action@v1", "", ""),
    ("pypa/gh-action-pip-audit@v1", "inputs: .", ""), ("pascalgn/automerge-action@v0", "", ""),
    ("super-linter/super-linter@0123456789", "", ""),
    ("rickstaa/action-create-tag@v1", "tag: a, gpg_private_key: k", ""),
    ("vedantmgoyal9/winget-releaser@main", "identifier: a, max-versions-to-keep: 3", ""),
    ("appleboy/ssh-action@v1", "host: h, script: ls, password: p", ""),
    ("release-plz/action@v0.5", "command: x", ""),
    ("nick-fields/retry@v3", "command: make, on_retry_command: ls", "on_retry_command"),
    ("PyO3/maturin-action@v1", "manylinux: auto", ""),
    ("actions/download-artifact@v4", "run-id: 3, merge-multiple: true", ""),
    ("actions/download-artifact@v4", "artifact-ids: 3", ""),
    ("aquasecurity/trivy-action@v0", "format: json", ""),
    ("docker/metadata-action", "images: a", ""),
    ("slackapi/slack-github-action@v2", "webhook: x", ""),
    ("mikepenz/action-junit-report@v5", "fail_on_failure: true", ""),
    ("geekyeggo/delete-artifact@v5", "name: a, useGlob: false", ""),
    ("ramsey/composer-install@v3", "dependency-versions: x", ""),
    ("cloudflare/wrangler-action@v3", "preCommands: x, command: deploy", "preCommands"),
    ("stefanzweifel/git-auto-commit-action@v5", "tagging_message: x", "tagging_message"),
    ("pnpm/action-setup@v4", "run_install: [a]", ""),
    ("re-actors/alls-green@v1", "jobs: x", ""), ("lycheeverse/lychee-action@v1", "fail: false", ""),
    ("actions/upload-artifact@v4", "path: \"!x\"", ""),
  ])
  func `an action with an input that its command does not have fails`(
    _ uses: String, _ inputs: String, _ expected: String
  ) throws {
    let workflow = try step(uses, inputs)
    let missing = workflow.remarks.filter { $0.weight == .missing }.map(\.text)
    #expect(missing.count == 1, "\(missing)")
    #expect(missing.first?.contains("uses: \(uses)") == true && missing[0].contains(expected))
    #expect(workflow.text.contains("not imported: line 6: uses: "), "\(workflow.text)")
  }
}
