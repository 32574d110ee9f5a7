// The options that set workflow parameters.

import ArgumentParser
import Platform
import Reprise
import RepriseHost
import RepriseTerminal

/// The values of parameters that a command line gives.
protocol ParameterChoice {
  /// The values as `name=value`.
  var parameters: [String] { get }
  /// A file with a map of parameters, if one is given.
  var paramsFile: String? { get }
}

struct ParameterOptions: ParsableArguments, ParameterChoice {
  @Option(
    name: [.customShort("p"), .customLong("param")], parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Set a parameter of the workflow. Can be repeated.", valueName: "name=value"),
    completion: .parameter)
  var parameters: [String] = []

  @Option(
    help: ArgumentHelp(
      "A YAML or JSON file with a map of parameters; -p takes precedence.", valueName: "file"),
    completion: .file(extensions: ["yaml", "yml", "json"]))
  var paramsFile: String?

  func validate() throws {
    try Self.check(parameters)
  }

  /// Checks that each value of an option has the form `name=value`.
  static func check(_ parameters: [String], _ option: String = "-p") throws {
    for parameter in parameters
    where !parameter.dropFirst().contains("=") || parameter.hasPrefix("=") {
      // The message does not quote the value, which may be a secret.
      throw ValidationError("\(option) expects name=value; an argument has no name or no \"=\".")
    }
  }

  /// Returns the values of `-p` by parameter name.
  static func texts(of parameters: [String]) -> [String: String] {
    var texts: [String: String] = [:]
    for parameter in parameters {
      let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      texts[String(parts[0])] = String(parts[1])
    }
    return texts
  }
}

extension ParameterChoice {
  /// Whether none is given.
  var isEmpty: Bool { parameters.isEmpty && paramsFile == nil }

  /// Returns the given parameters; on a terminal, prompts for missing ones.
  ///
  /// - Parameters:
  ///   - declared: The parameters of the workflow.
  ///   - names: The names of the values to take, if others are meant for other workflows; nil for all.
  /// - Returns: The values by name, as text.
  /// - Throws: ``Problem`` if the parameter file cannot be read.
  func arguments(
    for declared: [Parameter], only names: Set<String>? = nil
  ) throws(Problem) -> Arguments {
    var texts = try given()
    if let names { texts = texts.filter { names.contains($0.key) } }
    let missing = declared.filter { texts[$0.name] == nil && $0.defaultValue == nil }
    if !missing.isEmpty, isTerminal(0), isTerminal(2) {
      texts.merge(ParameterPrompt(missing).answers()) { $1 }
    }
    return Arguments(
      texts, trigger: Trigger(.manual, time: SystemClock().now.description))
  }

  /// Checks that each value is that of a parameter of one of several workflows.
  ///
  /// - Parameter declared: The parameters of all of them.
  /// - Throws: ``Problem`` if one is not.
  func expectKnown(_ declared: [Parameter]) throws(Problem) {
    let names = Set(declared.map(\.name))
    guard let unknown = try given().keys.sorted().first(where: { !names.contains($0) }) else {
      return
    }
    let near = nearest(to: unknown, among: names.sorted())
    let hint: TerminalSafe = near.map { "; did you mean \"\($0)\"?" } ?? ""
    throw Problem("error: none of the workflows has a parameter \"\(unknown)\"\(hint)")
  }

  /// The values of the options, by name.
  private func given() throws(Problem) -> [String: String] {
    var texts: [String: String] = [:]
    if let paramsFile {
      let isAbsolute = paramsFile.hasPrefix("/")
      let path = isAbsolute ? paramsFile : (startFolder ?? ".") + "/" + paramsFile
      do throws(WorkflowError) {
        texts = try Arguments.texts(
          in: try Workflow.bytes(of: path), file: paramsFile)
      } catch {
        throw Problem("\(error)")
      }
    }
    return texts.merging(ParameterOptions.texts(of: parameters)) { $1 }
  }
}
