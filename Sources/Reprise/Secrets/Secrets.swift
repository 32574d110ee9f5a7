// The values of a run's secrets, and where they are fetched from. They are never written anywhere.

import ChildProcesses
package import Masking
import Platform
public import WorkflowLanguage

/// The values of the secrets of a run.
public struct Secrets: Sendable {
  /// How long a secret may be, in bytes.
  public static let bytesMax = 64 * 1024

  private let values: [Key: String]
  /// The environment variables that they came in, which no step inherits.
  package let variables: Set<String>
  /// Removes them from whatever is shown or stored.
  package let masker: Masker

  private struct Key: Hashable {
    let scope: Int
    let name: String
  }

  /// No secrets.
  public init() {
    values = [:]
    variables = []
    masker = Masker(secrets: [])
  }

  private init(_ values: [Key: String], variables: Set<String>) {
    self.values = values
    self.variables = variables
    masker = Masker(secrets: Array(values.values))
  }

  /// The value of a secret of one of the files that take part in a run.
  subscript(scope: Int, name: String) -> String? { values[Key(scope: scope, name: name)] }

  /// A text with each secret replaced by `***`.
  ///
  /// - Parameter text: The text.
  /// - Returns: The same text where there is none in it.
  package func hidden(in text: String) -> String { masker.masked(text) }

  /// Why a run of a workflow may not begin with these secrets, with what to do; nil where it may.
  ///
  /// - Parameter workflow: The workflow.
  /// - Returns: The secret that was not fetched, or the name that has a secret in it.
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

  /// Steps and groups are known by their names in every event and file, so no name may have a secret in it.
  private func nameWithSecret(in workflow: Workflow) -> String? {
    guard !masker.isEmpty else { return nil }
    func hasSecret(_ text: String) -> Bool { masker.masked(text) != text }
    if let group = workflow.concurrency?.group, hasSecret(group) {
      return "the name of the concurrency group has a secret in it: \"\(masker.masked(group))\"; "
        + "make the group of another value"
    }
    let step = RunPlan(workflow).steps.first { hasSecret($0.id) || hasSecret($0.label ?? "") }
    return step.map {
      let name = masker.masked($0.id) + ($0.label.map { " (\(masker.masked($0)))" } ?? "")
      return "the name of the step \"\(name)\" has a secret in it; make its items of other values"
    }
  }

  /// Fetches the secrets of a workflow.
  ///
  /// Programs are started here, one after the other, and waited for; what they write to their standard
  /// error is part of the error when one fails. Cancelling the task ends them.
  ///
  /// - Parameters:
  ///   - workflow: The workflow.
  ///   - environment: Where variables are looked up, and what programs are given; that of this process
  ///     when left out.
  /// - Returns: The secrets.
  /// - Throws: ``SecretError`` for the first one that cannot be had.
  public static func gather(
    for workflow: Workflow, environment: [String: String]? = nil
  ) async throws(SecretError) -> Secrets {
    let sources = workflow.secretSources
    guard !sources.isEmpty else { return Secrets() }
    let programs = environment.map { Environment($0) } ?? InheritedVariables().environment
    let environment = environment ?? inheritedEnvironment()
    var values: [Key: String] = [:]
    var variables: Set<String> = []
    // Programs come last: what one says when it fails must not show any of the others.
    let withoutPrograms = sources.filter { !$0.source.isProgram }
    for (scope, name, source) in withoutPrograms + sources.filter(\.source.isProgram) {
      let value: String
      switch source {
      case .environment(let variable):
        guard let found = environment[variable] else {
          throw SecretError(
            "the secret \"\(name)\": there is no environment variable \(variable); set it and try again"
          )
        }
        value = found
        variables.insert(variable)
      case .file(let path): value = try contents(of: path, name)
      case .command(let words):
        value = try await output(of: words, name, programs, Array(values.values))
      }
      // What was no UTF-8 in a variable or in the output of a program has this character in its place.
      guard !value.unicodeScalars.contains("\u{FFFD}") else { throw notText(name) }
      guard value.contains(where: { !$0.isWhitespace }), value.utf8.count >= SecretForms.bytesMin
      else {
        throw SecretError(
          "the secret \"\(name)\" has fewer than \(SecretForms.bytesMin) characters: it could not be "
            + "hidden without hiding much else; use a longer one")
      }
      guard SecretForms.canHide(value) else {
        throw SecretError(
          "the secret \"\(name)\" has no line of \(SecretForms.bytesMin) characters: its lines could not "
            + "be hidden without hiding much else; write it on one line, for instance with base64 -w 0"
        )
      }
      guard value.utf8.count <= bytesMax, !value.utf8.contains(0) else {
        throw SecretError(
          "the secret \"\(name)\" is longer than \(bytesMax) bytes, or has a NUL in it")
      }
      values[Key(scope: scope, name: name)] = value
    }
    return Secrets(values, variables: variables)
  }

  /// An error of a file without its secrets, which it may repeat: what its parameters were given is refused before
  /// secrets are fetched.
  ///
  /// Secrets that programs write are not known then: none is started for a message.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - sources: Where the secrets of the file come from.
  /// - Returns: The error without those of variables and files.
  package static func hidden(
    in error: WorkflowError, _ sources: some Sequence<SecretSource>
  ) -> WorkflowError {
    let values = sources.compactMap { source -> String? in
      switch source {
      case .environment(let variable): environmentVariable(variable)
      case .file(let path): try? contents(of: path, "")
      case .command: nil
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
    return WorkflowError(diagnostics: diagnostics, mistakeCount: error.mistakeCount)
  }

  private static func contents(of path: String, _ name: String) throws(SecretError) -> String {
    let bytes: [UInt8]
    do throws(Errno) {
      let file = try OpenFile(path, options: [.nonBlocking])
      // Of a pipe there may be only the beginning so far, and a secret must not be cut.
      guard try file.status().type == .regular else { throw Errno.invalidArgument }
      bytes = try file.readAll(upTo: bytesMax)
    } catch {
      let reason =
        error == .invalidArgument
        ? "it is no regular file; take what it gives with { command: [cat, PATH] }" : "\(error)"
      throw SecretError("the secret \"\(name)\": \"\(path)\" cannot be read: \(reason)")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw notText(name) }
    return trimmed(text)
  }

  private static func notText(_ name: String) -> SecretError {
    SecretError(
      "the secret \"\(name)\" has bytes that are not UTF-8: steps would get another value; encode it, "
        + "for instance with base64 -w 0")
  }

  private static func output(
    of words: [String], _ name: String, _ environment: Environment, _ known: [String]
  ) async throws(SecretError) -> String {
    let written = OutputCapture()
    let errors = OutputCapture()
    let child: ChildProcess
    do {
      child = try ChildProcess.spawn(
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
      // It may have been given the other secrets, and have written a part of its own.
      let masker = Masker(secrets: known + [written.text])
      let said =
        masker.masked(errors.text).split(separator: "\n").last.map { ": \($0.prefix(200))" } ?? ""
      throw SecretError("the secret \"\(name)\": \"\(words[0])\" failed\(said)")
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
  /// How many there are; never what they are.
  public var description: String { "Secrets(\(values.count))" }
  /// How many there are.
  public var debugDescription: String { description }
  /// Nothing: `dump` does not tell them.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Why a secret cannot be had.
public struct SecretError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The error as a sentence without a full stop.
  public let description: String

  init(_ description: String) {
    self.description = description
  }
}

extension SecretSource {
  fileprivate var isProgram: Bool {
    if case .command = self { true } else { false }
  }
}
