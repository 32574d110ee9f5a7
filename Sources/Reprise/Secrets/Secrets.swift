// The values of a run's secrets, and how they are fetched. They are never written anywhere.

import ChildProcesses
package import Masking
import Platform
public import Workflows

/// The values of the secrets of a run.
public struct Secrets: Sendable {
  /// The maximum length of a secret, in bytes.
  public static let bytesMax = 64 * 1024

  private let values: [Key: String]
  /// The secrets of earlier workflows of the run, which are masked, too.
  private let retired: Set<String>
  /// The environment variables that contained secrets, which steps do not inherit.
  package let variables: Set<String>
  /// Masks the secrets in everything that is shown or stored.
  package let masker: Masker

  private struct Key: Hashable {
    let scope: Int
    let name: String
  }

  /// Creates an empty set of secrets.
  public init() {
    values = [:]
    retired = []
    variables = []
    masker = Masker(secrets: [])
  }

  private init(_ values: [Key: String], variables: Set<String>, retired: Set<String> = []) {
    self.values = values
    self.variables = variables
    self.retired = retired
    masker = Masker(secrets: retired.union(values.values).filter { !$0.isEmpty })
  }

  /// Returns these secrets, with those of an earlier workflow of the same run masked as well.
  func masking(_ earlier: Secrets) -> Secrets {
    let retired = earlier.retired.union(earlier.values.values).subtracting(values.values)
    guard !retired.isEmpty else { return self }
    return Secrets(values, variables: variables, retired: retired)
  }

  /// The value of a secret, where `scope` identifies one of the workflow files of the run.
  subscript(scope: Int, name: String) -> String? { values[Key(scope: scope, name: name)] }

  /// All values that are masked.
  var texts: [String] { Array(retired.union(values.values)).sorted() }

  /// Returns a text with each secret replaced by `***`.
  ///
  /// - Parameter text: The text.
  /// - Returns: The masked text; the same text if it contains no secret.
  package func hidden(in text: String) -> String { masker.masked(text) }

  /// Returns why a run of a workflow must not begin with these secrets, and how to fix it; nil if
  /// it may begin.
  ///
  /// - Parameter workflow: The workflow.
  /// - Returns: A message about a secret that was not fetched, or about a name that contains a
  ///   secret.
  package func problem(with workflow: Workflow) -> String? {
    let missing = workflow.secretSources.first {
      values[Key(scope: $0.scope, name: $0.name)] == nil
    }
    if let missing {
      return "the secret \"\(missing.name)\" was not fetched; start the run with secrets: "
        + "try await Secrets.gather(for: workflow)"
    }
    return nameWithSecret(in: workflow)
  }

  /// Returns a message if the name of a step or group contains a secret, because such names appear
  /// in every event and file.
  private func nameWithSecret(in workflow: Workflow) -> String? {
    guard !masker.isEmpty else { return nil }
    func hasSecret(_ text: String) -> Bool { masker.masked(text) != text }
    if let group = workflow.concurrency?.group, hasSecret(group) {
      return "the name of the concurrency group contains a secret: \"\(masker.masked(group))\"; "
        + "use another value for the group"
    }
    if let name = workflow.groupNames.values.sorted().first(where: hasSecret) {
      return "the name of the step \"\(masker.masked(name))\" contains a secret; use another name"
    }
    let step = RunPlan(workflow).steps.first {
      hasSecret($0.id) || hasSecret($0.label ?? "") || hasSecret($0.name ?? "")
    }
    return step.map {
      let name = masker.masked($0.id) + ($0.label.map { " (\(masker.masked($0)))" } ?? "")
      let isOfItem = hasSecret($0.id) || hasSecret($0.label ?? "")
      let other = isOfItem ? "other values for its items" : "another name"
      return "the name of the step \"\(name)\" contains a secret; use \(other)"
    }
  }

  /// Fetches the secrets of a workflow.
  ///
  /// This starts the programs that print secrets, one at a time, and waits for them. If one fails,
  /// its standard error is part of the thrown error. Cancelling the task kills the program.
  ///
  /// - Parameters:
  ///   - workflow: The workflow.
  ///   - environment: The environment in which variables are looked up and programs run; by default
  ///     that of this process.
  /// - Returns: The secrets.
  /// - Throws: ``SecretError`` for the first secret that cannot be fetched.
  public static func gather(
    for workflow: Workflow, environment: [String: String]? = nil
  ) async throws(SecretError) -> Secrets {
    let sources = workflow.secretSources
    guard !sources.isEmpty else { return Secrets() }
    let programs = environment.map { Environment($0) } ?? InheritedVariables().environment
    let environment = environment ?? inheritedEnvironment()
    var values: [Key: String] = [:]
    var variables: Set<String> = []
    // Programs come last, so that the error message of a failing program can be masked with all
    // other secrets.
    let withoutPrograms = sources.filter { !$0.source.isProgram }
    for (scope, name, source) in withoutPrograms + sources.filter(\.source.isProgram) {
      let isRequired = source == source.unwrapped
      let value: String
      switch source.unwrapped {
      case .environment(let variable):
        guard let found = environment[variable] ?? (isRequired ? nil : "") else {
          throw SecretError(
            "the secret \"\(name)\": there is no environment variable \(variable); set it and "
              + "try again, or write required: false beside it")
        }
        value = found
        variables.insert(variable)
      case .file(let path):
        value = isRequired || mayAccess(path, .existence) ? try contents(of: path, name) : ""
      case .optional: value = ""
      case .command(let words):
        value = try await output(of: words, name, programs, Array(values.values))
      }
      if isRequired || !value.isEmpty { try expectMaskable(value, name) }
      values[Key(scope: scope, name: name)] = value
    }
    return Secrets(values, variables: variables)
  }

  private static func expectMaskable(_ value: String, _ name: String) throws(SecretError) {
    // Invalid UTF-8 in a variable or in the output of a program was replaced by this character.
    guard !value.unicodeScalars.contains("\u{FFFD}") else { throw notText(name) }
    guard value.contains(where: { !$0.isWhitespace }), value.utf8.count >= SecretForms.bytesMin
    else {
      throw SecretError(
        "the secret \"\(name)\" has fewer than \(SecretForms.bytesMin) characters: it cannot be "
          + "masked without masking much else; use a longer one")
    }
    guard SecretForms.canMask(value) else {
      throw SecretError(
        "the secret \"\(name)\" has no line of \(SecretForms.bytesMin) characters: its lines "
          + "cannot be masked without masking much else; write it on one line, for example with "
          + "base64 -w 0")
    }
    guard value.utf8.count <= bytesMax, !value.utf8.contains(0) else {
      throw SecretError(
        "the secret \"\(name)\" is longer than \(bytesMax) bytes or contains a NUL byte")
    }
  }

  /// Masks the secrets in an error of a workflow file.
  ///
  /// Errors about parameters are reported before secrets are fetched, and may quote a secret. This
  /// reads the secrets in variables and files; it does not start programs, so their secrets are not
  /// masked.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - sources: The sources of the file's secrets.
  /// - Returns: The error with the secrets of variables and files masked.
  package static func hidden(
    in error: WorkflowError, _ sources: some Sequence<SecretSource>
  ) -> WorkflowError {
    let values = sources.compactMap { source -> String? in
      switch source.unwrapped {
      case .environment(let variable): environmentVariable(variable)
      case .file(let path): try? contents(of: path, "")
      case .command, .optional: nil
      }
    }
    let masker = Masker(secrets: values)
    guard !masker.isEmpty else { return error }
    let diagnostics = error.diagnostics.map { diagnostic in
      var diagnostic = diagnostic
      diagnostic.message = masker.masked(diagnostic.message)
      diagnostic.hint = diagnostic.hint.map(masker.masked)
      return diagnostic
    }
    return WorkflowError(diagnostics: diagnostics, errorCount: error.errorCount)
  }

  private static func contents(of path: String, _ name: String) throws(SecretError) -> String {
    let bytes: [UInt8]
    do throws(Errno) {
      let file = try OpenFile(path, options: [.nonBlocking])
      // Refuse pipes: reading one could return only a part of the secret.
      guard try file.status().type == .regular else { throw Errno.invalidArgument }
      bytes = try file.readAll(upTo: bytesMax)
    } catch {
      let reason =
        error == .invalidArgument
        ? "it is not a regular file; use { command: [cat, PATH] } to read it" : "\(error)"
      throw SecretError("the secret \"\(name)\": \"\(path)\" cannot be read: \(reason)")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw notText(name) }
    return trimmed(text)
  }

  private static func notText(_ name: String) -> SecretError {
    SecretError(
      "the secret \"\(name)\" has bytes that are not UTF-8: steps would get a different value; "
        + "encode it, for example with base64 -w 0")
  }

  private static func output(
    of words: [String], _ name: String, _ environment: Environment, _ known: [String]
  ) async throws(SecretError) -> String {
    let written = OutputCapture()
    let errors = OutputCapture()
    let child: ChildProcess
    do {
      child = try await ChildProcess.spawn(
        Command(
          executable: words[0], arguments: Array(words.dropFirst()), environment: environment)
      ) { lines in
        guard !lines.isPartial else { return true }
        (lines.stream == .standardOutput ? written : errors).append(lines.text)
        return true
      }
    } catch {
      throw SecretError("the secret \"\(name)\": \(error)")
    }
    let status = await withTaskCancellationHandler {
      await child.end()
    } onCancel: {
      child.kill()
    }
    guard status == .exited(code: 0) else {
      // The program may have received the other secrets, and may have printed a part of its own.
      let masker = Masker(secrets: known + [written.text])
      let detail =
        masker.masked(errors.text).split(separator: "\n").last.map { ": \($0.prefix(200))" } ?? ""
      throw SecretError("the secret \"\(name)\": \"\(words[0])\" failed\(detail)")
    }
    return written.text
  }

  private static func trimmed(_ text: String) -> String {
    var text = text
    while text.last?.isNewline == true { text.removeLast() }
    return text
  }
}

extension Secrets: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The number of secrets, never their values.
  public var description: String { "Secrets(\(values.count))" }
  /// The number of secrets.
  public var debugDescription: String { description }
  /// An empty mirror, so that `dump` does not print the secrets.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// An error that explains why a secret could not be fetched.
public struct SecretError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The error message, a sentence without a period at the end.
  public let description: String

  init(_ description: String) {
    self.description = description
  }
}

extension SecretSource {
  /// The source itself, without whether it may be missing.
  fileprivate var unwrapped: SecretSource {
    if case .optional(let source) = self { source } else { self }
  }

  fileprivate var isProgram: Bool {
    if case .command = unwrapped { true } else { false }
  }
}
