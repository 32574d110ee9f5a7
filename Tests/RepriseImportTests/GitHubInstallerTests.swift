// Actions that install tools: what they install is a note, and what else they do is a command.

import RepriseImport
import Testing

struct GitHubInstallerTests {
  @Test func `an installer that does more than to install is not known by its name`() throws {
    let workflow = try importedSteps(
      "- { uses: acme/setup-x@v1, with: { version: 2, bundler-cache: true } }\n- run: make")
    #expect(workflow.verdict == .inPart, "\(workflow.text)")
    #expect(workflow.text.contains("acme/setup-x@v1: bundler-cache: no equivalent"))
  }

  @Test(arguments: [
    (
      "ruby/setup-ruby-pkgs@v1", "ruby-version: 3.3, apt-get: ragel, bundler-cache: true",
      "(ruby-version 3.3, apt-get ragel", "run: bundle install"
    ),
    (
      "ruby/setup-ruby@v1", "ruby-version: 3.3, bundler-cache: true", "(ruby-version 3.3",
      "run: bundle install"
    ),
    (
      "actions/setup-python@v6", "python-version: 3.12, pip-install: tox", "(python-version 3.12",
      "run: pip install tox"
    ),
    (
      "shivammathur/setup-php@v2", "php-version: 8.4, tools: composer",
      "(php-version 8.4, tools composer)", ""
    ),
    ("actions/setup-go@v6", "go-version: 1.25", "/bin in PATH", ""),
  ])
  func `the note of an installer says what to install, and a command does the rest`(
    _ action: String, _ inputs: String, _ note: String, _ command: String
  ) throws {
    let workflow = try importedSteps("- { uses: \(action), with: { \(inputs) } }\n- run: make")
    #expect(workflow.verdict == .withNotes, "\(workflow.remarks)")
    #expect(workflow.remarks.contains { $0.text.contains(note) }, "\(workflow.remarks)")
    #expect(workflow.text.contains(command) || command.isEmpty, "\(workflow.text)")
  }
}
