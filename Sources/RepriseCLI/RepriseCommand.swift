// The command `reprise`: arguments in, exit status out. What its subcommands do stands in Commands.

import ArgumentParser
import Reprise
import RepriseControl
import RepriseHost
import RepriseJournal
import RepriseTerminal

struct RepriseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reprise",
    abstract: "Runs workflows: steps that need one another, side by side where they can.",
    discussion: """
      A workflow is a YAML file that names steps and their order. While it runs, press r to take \
      it again from the top, c to cancel it, ? for the other keys.

      EXIT STATUS
        0    succeeded
        1    a step failed (--pass-through: the status of the first that did)
        2    the command line or the file is wrong
        3    the run timed out
        4    Reprise itself could not go on (a full disk, for example), or another run of the group is live
        129  cancelled because the terminal has gone (SIGHUP)
        130  cancelled with Ctrl-C or the key c
        141  cancelled because nobody reads its output any more
        143  cancelled by SIGTERM

      EXAMPLES
        reprise run coordinator        run workflows/coordinator.yaml
        reprise watch site             run it whenever its files change
        reprise validate my.yaml       tell every mistake in a file
        reprise runs                   what has run, and what runs now
        reprise resume @last           go on where the last run stopped
        reprise --generate-completion-script bash > ~/.reprise-completion.bash
      """,
    version: RepriseVersion.text,
    subcommands: [
      RunCommand.self, WatchCommand.self, EngineCommand.self, ResumeCommand.self,
      ValidateCommand.self, GraphCommand.self,
      ListCommand.self, RunsCommand.self, ShowCommand.self, LogsCommand.self, AttachCommand.self,
      RestartCommand.self, CancelCommand.self, ApproveCommand.self, ExplainCommand.self,
      TriggerCommand.self, TriggersCommand.self, SchemaCommand.self, PruneCommand.self,
    ],
    defaultSubcommand: nil)

  /// Without a subcommand: what can be run here, and how.
  func run() async throws {
    printLine(Overview(of: WorkflowFiles.found(in: WorkflowFiles.directoryStandard)).text)
  }

  /// Tells an error where it belongs and ends with the status that the manual promises for it.
  static func exit(after error: any Error) -> Never {
    if let status = error as? ExitStatus { endProcess(status) }
    if let problem = error as? Problem {
      printError(problem.text)
      endProcess(problem.status)
    }
    if error is JournalError || error is ControlError {
      printError("error: \(error)")
      endProcess(.cannotGoOn)
    }
    // Asking for help or the version is no error; everything else that the parser throws is one of
    // the command line.
    if exitCode(for: error) == .success {
      printLine(TerminalSafe(lines: fullMessage(for: error)))
      endProcess(.succeeded)
    }
    printError(TerminalSafe(lines: fullMessage(for: error)).abridged)
    endProcess(.wrongUse)
  }

  /// Parses a command line.
  ///
  /// A known subcommand parses its own arguments: from the root, the parser describes the arguments of both
  /// commands several times, which takes a tenth of a short run. Help and errors are left to the root, which
  /// names itself in them.
  static func parsed(_ arguments: [String]) throws -> any ParsableCommand {
    if let subcommand = configuration.subcommands.first(where: {
      $0.configuration.commandName == arguments.first
    }), let command = try? subcommand.parse(Array(arguments.dropFirst())) {
      return command
    }
    return try parseAsRoot(arguments)
  }

  /// How many options are read: the parser takes time that grows with their square.
  private static let optionsMax = 2000

  /// Refuses a command line with so many options that reading them would take minutes.
  static func tooManyOptions(in arguments: some Collection<String>) -> Problem? {
    let count = arguments.count { $0.hasPrefix("-") }
    guard count > optionsMax else { return nil }
    return Problem(
      "error: there are \(count) options, and at most \(optionsMax) are read; give many parameters in "
        + "a file: --params-file FILE")
  }

  /// Finds the word on a command line that should be a subcommand and is none.
  ///
  /// - Parameter arguments: What follows the name of the command.
  /// - Returns: What to report; nil when the parser knows better.
  static func unknownSubcommand(in arguments: some Collection<String>) -> Problem? {
    var words = arguments[...]
    if words.first == "help" { words = words.dropFirst() }
    guard let word = words.first, !word.hasPrefix("-"), word != "help" else { return nil }
    let names = configuration.subcommands.compactMap { $0.configuration.commandName }
    guard !names.contains(word) else { return nil }
    var text: TerminalSafe = "error: there is no command \"\(word)\""
    if let near = nearest(to: word, among: names) { text += "; did you mean \"\(near)\"?" }
    return Problem("\(text)\n  there are: \(names.joined(separator: ", "))")
  }
}

/// The version of the command.
enum RepriseVersion {
  static let number = "0.1.0"

  /// The version with the commit that was built, such as `0.1.0 (2bb657f0aa12)`.
  static let text = commitOfBuild.isEmpty ? number : "\(number) (\(commitOfBuild))"
}
