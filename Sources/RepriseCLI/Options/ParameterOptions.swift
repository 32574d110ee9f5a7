// The options that give a workflow its parameters, and the questions for those that are missing.

import ArgumentParser
import Platform
import Reprise
import RepriseHost
import RepriseTerminal

struct ParameterOptions: ParsableArguments {
  @Option(
    name: [.customShort("p"), .customLong("param")], parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Give a parameter of the workflow its value. Can be repeated.", valueName: "name=value"))
  var parameters: [String] = []

  @Option(
    help: ArgumentHelp(
      "A YAML or JSON file with a map of parameters; -p wins.", valueName: "file"),
    completion: .file(extensions: ["yaml", "yml", "json"]))
  var paramsFile: String?

  func validate() throws {
    try Self.check(parameters)
  }

  /// Checks the form of what stands behind `-p`.
  static func check(_ parameters: [String]) throws {
    for parameter in parameters
    where !parameter.dropFirst().contains("=") || parameter.hasPrefix("=") {
      // It is not repeated: it may be a secret.
      throw ValidationError("-p takes name=value; one was given that has no name before a \"=\".")
    }
  }

  /// What is given; on a terminal, what is missing is asked for.
  ///
  /// - Parameter declared: The parameters of the workflow.
  /// - Returns: The texts by name.
  /// - Throws: ``Problem`` when the file of parameters cannot be read.
  func arguments(for declared: [Parameter]) throws(Problem) -> Arguments {
    var texts: [String: String] = [:]
    if let paramsFile {
      do throws(WorkflowError) {
        texts = try Arguments.texts(
          in: try Workflow.bytes(of: paramsFile), file: paramsFile)
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

  /// What stands behind `-p`, by the names of the parameters.
  static func texts(of parameters: [String]) -> [String: String] {
    var texts: [String: String] = [:]
    for parameter in parameters {
      let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      texts[String(parts[0])] = String(parts[1])
    }
    return texts
  }

  /// Asks until there is an answer that makes sense, or no more input.
  private static func answer(for parameter: Parameter) -> String? {
    if let description = parameter.description { printError(TerminalSafe(lines: description)) }
    while true {
      let kind: TerminalSafe =
        switch parameter.kind {
        case .string: ""
        case .number: " (a number)"
        case .boolean: " (true or false)"
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
