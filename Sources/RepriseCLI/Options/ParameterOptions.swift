// The options that set workflow parameters.

import ArgumentParser
import Platform
import Reprise
import RepriseHost
import RepriseTerminal

struct ParameterOptions: ParsableArguments {
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

  /// Returns the given parameters; on a terminal, prompts for missing ones.
  ///
  /// - Parameter declared: The parameters of the workflow.
  /// - Returns: The values by name, as text.
  /// - Throws: ``Problem`` if the parameter file cannot be read.
  func arguments(for declared: [Parameter]) throws(Problem) -> Arguments {
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
    texts.merge(Self.texts(of: parameters)) { $1 }
    let missing = declared.filter { texts[$0.name] == nil && $0.defaultValue == nil }
    if !missing.isEmpty, isTerminal(0), isTerminal(2) {
      texts.merge(ParameterPrompt(missing).answers()) { $1 }
    }
    return Arguments(
      texts, trigger: Trigger(.manual, time: SystemClock().now.description))
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
