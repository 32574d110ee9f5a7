// The root command `reprise`: its help, its subcommands, and the exit status of errors.

import ArgumentParser
import Reprise
import RepriseControl
import RepriseHost
import RepriseJournal
import RepriseTerminal

struct RepriseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reprise",
    abstract: "Run workflows: steps with dependencies, in parallel where possible.",
    discussion: """
      A workflow is a YAML file that lists steps and their order. While it runs, press r to \
      restart it from the top, c to cancel it, ? for the other keys.

      EXIT STATUS
        0    succeeded
        1    a step failed (--pass-through: the status of the first failed step)
        2    the command line or the workflow file is invalid
        3    the run timed out
        4    Reprise itself failed (disk full, for example), or its group is busy
        129  cancelled: the terminal was closed (SIGHUP)
        130  cancelled with Ctrl-C, the c key or reprise cancel
        141  cancelled: output pipe closed (SIGPIPE)
        143  cancelled by SIGTERM

      EXAMPLES
        reprise init                   write a first workflow
        reprise run coordinator        run workflows/coordinator.yaml
        reprise coordinator            the same, unless a command has that name
        reprise up dev                 run it, and keep its services up until Ctrl-C
        reprise watch site             run it whenever its files change
        reprise validate my.yaml       report every error in a file
        reprise runs                   list past and live runs
        reprise resume @last           continue the last run where it stopped
        reprise --generate-completion-script bash > ~/.reprise-completion.bash
      """,
    version: RepriseVersion.text,
    subcommands: subcommands,
    defaultSubcommand: nil)

  /// Without a subcommand, prints the workflows in this folder and how to run them.
  func run() async throws {
    printLine(Overview.current(besides: subcommandNames).text)
  }

  /// Prints an error and ends the process with the exit status documented for it.
  static func exit(after error: any Error) -> Never {
    if let status = error as? ExitStatus { endProcess(status) }
    if let problem = error as? Problem {
      printError(problem.text)
      endProcess(problem.status)
    }
    if error is JournalError || error is ControlError {
      printError("error: \(error)")
      endProcess(.internalFailure)
    }
    // The parser also throws for `--help` and `--version`; everything else is a usage error.
    if exitCode(for: error) == .success {
      printLine(TerminalSafe(lines: fullMessage(for: error)))
      endProcess(.succeeded)
    }
    // All messages of the command begin in the same way.
    let text = unknownOption(in: CommandLine.arguments.dropFirst()) ?? fullMessage(for: error)
    let own = text.hasPrefix("Error: ") ? "error: " + text.dropFirst(7) : text
    printError(TerminalSafe(lines: own).abridged)
    endProcess(.invalidUsage)
  }

  /// Returns the error for an option that a subcommand does not have; nil if it has all of them.
  ///
  /// The parser says first what is missing, which an option with a wrong name may be meant to be.
  static func unknownOption(in arguments: some Collection<String>) -> String? {
    guard let name = arguments.first,
      let command = subcommands.first(where: { $0.configuration.commandName == name })
    else { return nil }
    let help = command.helpMessage(includeHidden: true, columns: 1000)
    let known = Set(help.split(whereSeparator: { !$0.isLetter && $0 != "-" }).map(String.init))
    let options = arguments.prefix { $0 != "--" }.filter { $0.hasPrefix("--") }
      .map { String($0.prefix { $0 != "=" }) }
    guard let unknown = options.first(where: { !known.contains($0) }) else { return nil }
    let near = nearest(to: unknown, among: known.filter { $0.hasPrefix("--") }.sorted())
    let hint = near.map { "; did you mean \($0)?" } ?? ""
    return """
      error: reprise \(name) has no option \(unknown)\(hint)
        See 'reprise \(name) --help' for all options.
      """
  }

  /// The maximum number of options: parsing takes time quadratic in their number.
  private static let optionsMax = 2000

  /// Returns an error for a command line with so many options that parsing would take minutes.
  static func tooManyOptions(in arguments: some Collection<String>) -> Problem? {
    let count = arguments.count { $0.hasPrefix("-") }
    guard count > optionsMax else { return nil }
    return Problem(
      "error: too many options: \(count), and at most \(optionsMax) are allowed; put parameters "
        + "into a file: --params-file FILE")
  }

  /// Returns the command line with the subcommand `run` inserted if its first word is a workflow.
  ///
  /// Subcommands take precedence.
  ///
  /// - Parameter arguments: The arguments after the command name.
  /// - Returns: The arguments for the parser.
  /// - Throws: ``Problem`` if the first word is neither a subcommand nor a workflow.
  static func expanded(_ arguments: [String]) throws(Problem) -> [String] {
    let words = try withSubcommand(arguments)
    guard words.first == "run", let end = words.firstIndex(of: "--") else { return words }
    return words[..<end] + words[(end + 1)...].flatMap { ["--\(RunOptions.argumentOption)", $0] }
  }

  /// Parses the arguments of a subcommand with the parser of that command alone.
  ///
  /// The parser of the root first looks for what the subcommand does not have, which takes half of the time
  /// to start. It reports what is wrong, so that messages and help do not depend on this.
  ///
  /// - Parameter arguments: The arguments after the command name.
  /// - Returns: The command; nil if the arguments are for the parser of the root.
  static func parsedAlone(_ arguments: [String]) -> (any ParsableCommand)? {
    guard let name = arguments.first,
      let command = subcommands.first(where: { $0.configuration.commandName == name }),
      command.configuration.subcommands.isEmpty
    else { return nil }
    let parsed = try? command.parseAsRoot(Array(arguments.dropFirst()))
    // A request for help is parsed as another command.
    return parsed.flatMap { type(of: $0) == command ? $0 : nil }
  }

  private static func withSubcommand(_ arguments: [String]) throws(Problem) -> [String] {
    if arguments.first == "up" { return ["run", "--up"] + arguments.dropFirst() }
    let asksForHelp = arguments.first == "help"
    guard let word = arguments.dropFirst(asksForHelp ? 1 : 0).first, !word.hasPrefix("-"),
      word != "help", !subcommandNames.contains(word)
    else { return arguments }
    let files = WorkflowFiles()
    if !asksForHelp, !WorkflowFiles.isName(word) || (try? files.place(of: word)) != nil {
      return ["run"] + arguments
    }
    var text: TerminalSafe = "error: there is no command"
    if !asksForHelp { text += " or workflow" }
    text += " \"\(word)\""
    let names = asksForHelp ? [] : files.names
    if let near = nearest(to: word, among: subcommandNames + names) {
      text += "; did you mean \"\(near)\"?"
    }
    text += "\n  commands: \(subcommandNames.joined(separator: ", "))"
    if !names.isEmpty { text += "\n  workflows: \(names.joined(separator: ", "))" }
    throw Problem(text)
  }
}

/// The version of the command.
enum RepriseVersion {
  static let number = "0.1.0"

  /// The version with the commit that was built, such as `0.1.0 (2bb657f0aa12)`.
  static let text = commitOfBuild.isEmpty ? number : "\(number) (\(commitOfBuild))"
}
