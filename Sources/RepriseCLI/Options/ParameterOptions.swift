// The options that set workflow parameters, and the prompts for missing ones.

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
    for parameter in declared where texts[parameter.name] == nil && parameter.defaultValue == nil {
      guard isTerminal(0), isTerminal(2) else { break }
      texts[parameter.name] = Self.answer(for: parameter)
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

  /// Prompts until the answer is valid; returns nil at the end of the input.
  private static func answer(for parameter: Parameter) -> String? {
    if let description = parameter.description { printError(TerminalSafe(lines: description)) }
    while true {
      let kind: TerminalSafe =
        switch parameter.kind {
        case .string: ""
        case .number: " (a number)"
        case .boolean: " (true or false)"
        case .integer: " (a whole number)"
        case .list: " (a list in JSON, like [\"a\", \"b\"])"
        case .map: " (a map in JSON, like {\"a\": 1})"
        case .choice(let options): " (\(options.joined(separator: ", ")))"
        }
      writeError("\(parameter.name)\(kind): ")
      guard let answer = readLine() else { return nil }
      do throws(ParameterError) {
        _ = try parameter.value(of: answer)
        return answer
      } catch {
        printError("\(error)")
      }
    }
  }
}
