// Actions that prepare the machine, or that only GitHub needs.

extension ActionRule {
  static let tools = [
    ActionRule(
      [
        "actions/cache", "actions/cache/save", "actions/cache/restore", "Swatinem/rust-cache",
        "satackey/action-docker-layer-caching", "c-hive/gha-npm-cache", "c-hive/gha-yarn-cache",
        "RevoluPowered/cache", "mozilla-actions/sccache-action", "jlumbroso/free-disk-space",
        "namespacelabs/nscloud-cache-action", "coursier/cache-action", "buildjet/cache",
        "julia-actions/cache",
        "runs-on/cache", "useblacksmith/cache", "useblacksmith/rust-cache", "cirruslabs/cache",
        "Leafwing-Studios/cargo-cache", "nix-community/cache-nix-action",
        "endersonmenezes/free-disk-space",
        "easimon/maximize-build-space", "insightsengineering/disk-space-reclaimer",
        "crazy-max/ghaction-github-runtime",
      ], note: "files stay where they are between runs"),
    ActionRule(
      [
        "codecov/codecov-action", "coverallsapp/github-action", "github/codeql-action/init",
        "github/codeql-action/analyze", "github/codeql-action/autobuild",
        "github/codeql-action/upload-sarif", "ossf/scorecard-action",
        "actions/attest-build-provenance", "actions/attest", "actions/attest-sbom",
        "gradle/actions/dependency-submission", "scalacenter/sbt-dependency-submission",
        "actions/dependency-review-action", "github/ai-moderator", "dependabot/fetch-metadata",
        "contributor-assistant/github-action", "EnricoMi/publish-unit-test-result-action",
        "py-cov-action/python-coverage-comment-action", "romeovs/lcov-reporter-action",
        "codacy/codacy-coverage-reporter-action", "qltysh/qlty-action/coverage",
        "preactjs/compressed-size-action", "shogo82148/actions-goveralls",
        "AndreMiras/coveralls-python-action", "Nef10/lcov-reporter-action",
        "SonicGarden/rspec-report-action", "test-summary/action",
        "julia-actions/julia-processcoverage",
        "advanced-security/maven-dependency-submission-action", "madrapps/jacoco-report",
        "cla-assistant/github-action",
        "codecov/test-results-action",
      ], note: "a service for repositories on GitHub, left out"),
    ActionRule(onGitHub, note: "works on issues and pull requests, which stay on GitHub"),
    ActionRule(
      tokens.keys.sorted(), note: "gives a token: here it is a secret of this machine"),
    ActionRule(
      [
        "gradle/wrapper-validation-action", "gradle/actions/wrapper-validation",
        "step-security/harden-runner", "styfle/cancel-workflow-action",
        "rust-lang/simpleinfra/github-actions/cancel-outdated-builds",
        "n1hility/cancel-previous-runs", "lewagon/wait-on-check-action",
        "jitterbit/await-check-suites", "mxschmitt/action-tmate", "bullfrogsec/bullfrog",
        "fountainhead/action-wait-for-check",
      ], note: "protects, opens or cancels runs on GitHub, left out"),
    ActionRule("actions-rs/toolchain", "dtolnay/rust-toolchain", "hecrj/setup-rust-action") {
      rust($0)
    },
    ActionRule(
      [
        "volta-cli/action", "jurplel/install-qt-action", "mozilla/msvc-dev-cmd",
        "ilammy/msvc-dev-cmd", "taiki-e/install-action", "extractions/netlify-cli",
        "jetli/wasm-pack-action", "jetli/wasm-bindgen-action", "jetli/trunk-action",
        "webfactory/ssh-agent", "crazy-max/ghaction-docker-buildx",
        "reactivecircus/android-emulator-runner-setup", "Homebrew/actions/git-user-config",
        "aws-actions/configure-aws-credentials", "rubygems/configure-rubygems-credentials",
        "azure/login", "ilteoood/docker_buildx",
        "sigstore/cosign-installer", "mymindstorm/setup-emsdk", "shimataro/ssh-key-action",
        "s4u/maven-settings-action", "hendrikmuhs/ccache-action", "expo/expo-github-action",
        "google-github-actions/auth", "crazy-max/ghaction-import-gpg",
        "anchore/sbom-action/download-syft", "taiki-e/cache-cargo-install-action",
        "actions/configure-pages", "cachix/install-nix-action", "cachix/cachix-action",
        "DeterminateSystems/nix-installer-action", "DeterminateSystems/magic-nix-cache-action",
        "KyleMayes/install-llvm-action", "lukka/get-cmake", "subosito/flutter-action",
        "cargo-bins/cargo-binstall", "baptiste0928/cargo-install", "jdx/mise-action",
        "snok/install-poetry", "abatilo/actions-poetry", "peaceiris/actions-hugo",
        "peaceiris/actions-mdbook", "helm/chart-testing-action", "bats-core/bats-action",
        "aquaproj/aqua-installer", "apple-actions/import-codesign-certs", "dtolnay/install",
        "ggml-org/ccache-action", "editorconfig-checker/action-editorconfig-checker",
        "autero1/action-gotestsum", "nixbuild/nix-quick-install-action",
        "jaxxstorm/action-install-gh-release",
      ], note: "install it, or log in, once"),
    ActionRule("actions/setup-node") {
      $0["registry-url"] == nil
        ? installed($0)
        : .note("\($0.name): must be installed on this machine, with the login of npm")
    },
    ActionRule("awalsh128/cache-apt-pkgs-action") {
      .note("\($0.name): install once: \(($0["packages"] ?? "").onOneLine)")
    },
    ActionRule("ruby/setup-ruby", "ruby/setup-ruby-pkgs") { inputs in
      let isCached = inputs.is("bundler-cache")
      guard isCached || inputs.isUnset("bundler-cache") else { return nil }
      guard isCached, case .note(let note) = installed(inputs) else { return installed(inputs) }
      // The gems are in the folder of the repository there.
      for name in inputs.names { _ = inputs[name] }
      return .script(
        inputs.folder() + "bundle install",
        note: note + "; the gems are those of bundler here, not in vendor/bundle")
    },
    ActionRule("actions/setup-python") { inputs in
      guard let packages = inputs["pip-install"], case .note(let note) = installed(inputs) else {
        return installed(inputs)
      }
      for name in inputs.names { _ = inputs[name] }
      return .script("pip install \(packages.onOneLine)", note: note)
    },
    ActionRule("mikepenz/action-junit-report") {
      guard $0.isUnset("fail_on_failure"), $0.isUnset("require_tests") else { return nil }
      return .note("\($0.name): shows results on GitHub, left out")
    },
    ActionRule("pnpm/action-setup") { inputs in
      guard let install = inputs["run_install"], install != "false" else {
        return installed(inputs)
      }
      // Otherwise a list of installations in YAML, as a text.
      return install == "true" || install == "null"
        ? .script("pnpm install", note: "\(inputs.name): must be installed on this machine") : nil
    },
    ActionRule("re-actors/alls-green") { allGreen($0) },
  ]

  /// Returns the test of the results of jobs, some of which can be allowed to be skipped or to fail.
  private static func allGreen(_ inputs: ActionInputs) -> ActionEquivalent? {
    guard let jobs = inputs["jobs"], jobs.split(separator: " ").joined() == "${{toJSON(needs)}}"
    else { return nil }
    let skips = inputs["allowed-skips"] ?? ""
    let failures = inputs["allowed-failures"] ?? ""
    guard !skips.isEmpty || !failures.isEmpty else {
      return .script(
        "for result in $RESULTS; do [ \"$result\" = success ] || exit 1; done",
        env: [("RESULTS", "${{ join(needs.*.result, ' ') }}")])
    }
    // Lists with commas, or as JSON, whose words are the same.
    return .script(
      """
      words() { printf ' %s ' "$1" | tr -s '[]", \\n' ' '; }
      status=0
      for entry in $(printf '%s' "$NEEDS" | jq -r 'to_entries[] | "\\(.key)=\\(.value.result)"'); do
        job=${entry%=*}
        case ${entry##*=} in
          success) continue ;;
          skipped) [[ "$(words "$SKIPS")" != *" $job "* ]] || continue ;;
        esac
        [[ "$(words "$FAILURES")" != *" $job "* || "$(words "$SKIPS")" == *" $job "* ]] || continue
        echo "$job: ${entry##*=}" >&2
        status=1
      done
      exit "$status"
      """,
      env: [("NEEDS", "${{ toJSON(needs) }}"), ("SKIPS", skips), ("FAILURES", failures)])
  }

  /// Actions that work on issues and pull requests, instead of on files.
  private static let onGitHub = """
    actions/stale actions/labeler actions/first-interaction actions/add-to-project
    actions-ecosystem/action-add-labels actions-ecosystem/action-remove-labels
    agilepathway/label-checker amannn/action-semantic-pull-request andymckay/labeler
    dacbd/create-issue-action dessant/lock-threads dessant/label-actions
    dessant/support-requests eps1lon/actions-label-merge-conflict github/issue-labeler
    hustcer/milestone-action JasonEtco/create-an-issue kentaro-m/auto-assign-action
    kkak10/pr-number-action jwalton/gh-find-current-pr lee-dohm/no-response
    marocchino/sticky-pull-request-comment mheap/github-action-required-labels
    micnncim/action-label-syncer mshick/add-pr-comment peter-evans/create-or-update-comment
    peter-evans/find-comment peter-evans/close-issue peter-evans/create-issue-from-file
    pozil/auto-assign-issue MatteoGabriele/agentscan-action
    thollander/actions-comment-pull-request tiangolo/issue-manager
    toshimaru/auto-author-assign xt0rted/slash-command-action
    zephyrproject-rtos/action-first-interaction wow-actions/auto-comment ldez/no-blank-issue
    mnajdova/github-action-required-labels MBilalShafi/no-response-add-label srvaroa/labeler
    hmarr/auto-approve-action Morishiri/block-merge-commits-action EndBug/label-sync
    jenschelkopf/issue-label-notification-action kanga333/comment-hider
    crazy-max/ghaction-github-labeler
    codelytv/pr-size-labeler pascalgn/size-label-action deepakputhraya/action-pr-title
    thehanimo/pr-title-checker Slashgear/action-check-pr-title morrisoncole/pr-lint-action
    dangoslen/changelog-enforcer Zomzog/changelog-checker ljharb/require-allow-edits
    OctoGuide/bot apexskier/github-release-commenter actions-cool/issues-helper
    TimonVS/pr-labeler-action bcoe/conventional-release-labels
    """.split(whereSeparator: \.isWhitespace).map(String.init)

  /// Actions whose outputs are values of the event, which are parameters here.
  static let propertiesOfEvent: Set = ["dependabot/fetch-metadata"]

  /// Returns the name of the secret that an output of an action is here; nil if it is none.
  static func secret(of action: String, _ output: String) -> String? {
    switch (action.lowercased(), output) {
    case ("google-github-actions/auth", "access_token"): "CLOUDSDK_AUTH_ACCESS_TOKEN"
    case (_, "token"): tokens.first { $0.key.lowercased() == action.lowercased() }?.value
    default: nil
    }
  }

  /// Actions whose output `token` is a secret here, with its name.
  static let tokens = [
    "actions/create-github-app-token": "GITHUB_TOKEN",
    "open-security-tools/ost-simple-sts": "GITHUB_TOKEN",
    "rust-lang/crates-io-auth-action": "CARGO_REGISTRY_TOKEN",
    "tibdex/github-app-token": "GITHUB_TOKEN", "tiangolo/pr-push": "GITHUB_TOKEN",
    "tiangolo/pr-submit": "GITHUB_TOKEN",
  ]
}
