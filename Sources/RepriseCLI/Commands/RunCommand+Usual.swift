// The usual command lines of `reprise run`, which are read without setting up the parser.

import ArgumentParser
import Reprise
import RepriseTerminal

extension RepriseCommand {
  /// Reads a usual command line of `run`, without the parser; nil if the parser has to read it.
  static func usualRun(_ arguments: [String]) -> (any ParsableCommand)? {
    arguments.first == "run" ? RunCommand.usual(arguments.dropFirst()) : nil
  }
}

extension RunCommand {
  /// Reads a command line with only names of workflows and the options that scripts use most.
  ///
  /// To set up the parser takes half of the instructions until the first step starts. It reads all other
  /// command lines and says what is wrong with one, so that nothing but the time depends on this.
  ///
  /// - Parameter words: The arguments after `run`.
  /// - Returns: The command, equal to that of the parser; nil if the parser has to read the words.
  static func usual(_ words: some Collection<String>) -> RunCommand? {
    var command = RunCommand()
    command.setDefaults()
    var options = UsualOptions()
    var rest = words.makeIterator()
    while let word = rest.next() {
      switch word {
      case "--no-journal": command.noJournal = true
      case "--yes": command.yes = true
      case "--force": options.engine.force = true
      case "-p", "--param":
        guard let value = rest.next() else { return nil }
        options.parameters.parameters.append(value)
      case "--\(RunOptions.argumentOption)":
        guard let value = rest.next() else { return nil }
        command.arguments.append(value)
      case "--progress":
        guard let style = rest.next().flatMap(ProgressStyle.init(rawValue:)) else { return nil }
        command.progress = style
      case "--max-parallel":
        guard let count = rest.next().flatMap({ Int($0) }), count > 0 else { return nil }
        options.run.maxParallel = count
      case "--state-dir":
        guard let folder = rest.next(), !folder.hasPrefix("-") else { return nil }
        options.state.stateDir = folder
      case _ where word.hasPrefix("-"): return nil
      default: command.workflows.append(word)
      }
    }
    guard (try? options.parameters.validate()) != nil else { return nil }
    (command.parameters, command.options) = (options.parameters, options.run)
    (command.engine, command.state) = (options.engine, options.state)
    return (try? command.validate()) == nil ? nil : command
  }

  /// The groups of options, which a command can only take as a whole.
  private struct UsualOptions {
    var parameters = ParameterOptions()
    var run = RunOptions()
    var engine = EngineOptions()
    var state = StateOptions()

    init() {
      (parameters.parameters, parameters.paramsFile) = ([], nil)
      (run.maxParallel, run.only, run.from, run.to, run.durability) = (nil, [], [], [], nil)
      engine.force = false
      state.stateDir = nil
    }
  }

  /// Sets what the parser sets if an option is not given: until then, no value can be read.
  private mutating func setDefaults() {
    (workflows, arguments, progress) = ([], [], .auto)
    (dryRun, passThrough, yes, detach, up, noJournal) = (false, false, false, false, false, false)
    (staying, notifying, submitting) = (StayOptions(), NotifyOption(), SubmitOption())
    staying.stay = nil
    notifying.notify = false
    submitting.runner = nil
  }
}
