// The options that give a workflow its parameters, and the questions for those that are missing.

import ArgumentParser
import Platform
import Reprise
import RepriseJournal
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
    try Self.arguments(for: declared, given: parameters, paramsFile)
  }

  /// What is given as `name=value` or in a file; on a terminal, what is missing is asked for.
  static func arguments(
    for declared: [Parameter], given parameters: [String], _ paramsFile: String?
  ) throws(Problem) -> Arguments {
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
      texts[parameter.name] = answer(for: parameter)
    }
    return Arguments(
      texts, trigger: Trigger(kind: .manual, time: SystemClock().now.description))
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

extension Arguments {
  /// What a recorded run was given.
  ///
  /// - Parameters:
  ///   - record: The run.
  ///   - texts: The parameters that are not recorded, since a secret was in them.
  /// - Throws: ``Problem`` where one is missing, or given although it is recorded.
  init(recorded record: RunRecord, _ texts: [String: String]) throws(Problem) {
    let (request, hidden) = (record.request, record.request.hiddenParameters)
    guard !request.hidesTrigger else {
      throw Problem(
        "error: the event that started run \(record.id) had a secret in it, which the journal does not "
          + "keep; start a new run instead")
    }
    if let name = texts.keys.sorted().first(where: { !hidden.contains($0) }) {
      throw Problem(
        "error: run \(record.id) keeps what its parameter \"\(name)\" was given; leave it out, or start "
          + "a new run")
    }
    guard hidden.allSatisfy({ texts[$0] != nil }) else {
      let again = hidden.map { " -p '\($0)=…'" }.joined()
      throw Problem(
        "error: the journal does not keep what has a secret in it; give it again: "
          + "reprise resume \(record.id)\(again)")
    }
    self.init(request.parameters.merging(texts) { $1 })
    if let trigger = request.options[RunRequest.optionOfTrigger].flatMap(Trigger.init(json:)) {
      self.trigger = trigger
    }
  }

  /// What was given, as the record keeps it.
  var recorded: [String: String] {
    var recorded = Dictionary(
      uniqueKeysWithValues: texts.map { (RunRequest.parameterPrefix + $0.key, $0.value) })
    if !trigger.time.isEmpty { recorded[RunRequest.optionOfTrigger] = trigger.json }
    return recorded
  }
}

extension LoadedWorkflow {
  /// The texts of the files that it uses, as the record keeps them.
  var recordedSources: [String: String] {
    Dictionary(uniqueKeysWithValues: workflow.sources.map { ("source:" + $0.key, $0.value) })
  }

  /// The texts of the files that a recorded run used.
  static func sources(recorded: [String: String]) -> [String: String] {
    var texts: [String: String] = [:]
    for (key, value) in recorded where key.hasPrefix("source:") {
      texts[String(key.dropFirst(7))] = value
    }
    return texts
  }
}

/// Fetches the secrets of a workflow.
///
/// - Throws: ``Problem`` when one cannot be had.
func gatherSecrets(of workflow: Workflow) async throws(Problem) -> Secrets {
  do throws(SecretError) {
    return try await Secrets.gather(for: workflow)
  } catch {
    throw Problem("error: \(error)")
  }
}
