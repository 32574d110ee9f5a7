// The usual command lines of `reprise run`, which are read without setting up the parser.

import Reprise
import RepriseHost
import RepriseTerminal

extension RepriseCommand {
  /// Reads a usual command line of `run`, without the parser; nil if the parser has to read it.
  static func usualRun(_ arguments: [String]) -> RunInvocation? {
    arguments.first == "run" ? RunInvocation(usual: arguments.dropFirst()) : nil
  }
}

extension RunInvocation {
  /// Reads a command line with only names of workflows and the options that scripts use most.
  ///
  /// The parser reads all other command lines and says what is wrong with one, so that nothing but the time
  /// depends on this.
  ///
  /// Nil if the parser has to read the words.
  ///
  /// - Parameter words: The arguments after `run`.
  init?(usual words: some Collection<String>) {
    self.init()
    var rest = words.makeIterator()
    while let word = rest.next() {
      switch word {
      case "--no-journal": noJournal = true
      case "--yes": yes = true
      case "--force": isForced = true
      case "-p", "--param":
        guard let value = rest.next() else { return nil }
        parameters.append(value)
      case "--\(RunOptions.argumentOption)":
        guard let value = rest.next() else { return nil }
        others.append(value)
      case "--progress":
        guard let style = rest.next().flatMap(ProgressStyle.init(rawValue:)) else { return nil }
        progress = style
      case "--max-parallel":
        guard let count = rest.next().flatMap({ Int($0) }), count > 0 else { return nil }
        scope.maxParallel = count
      case "--state-dir":
        guard let folder = rest.next(), !folder.hasPrefix("-") else { return nil }
        stateDir = folder
      case _ where word.hasPrefix("-"): return nil
      default: workflows.append(word)
      }
    }
    guard (try? ParameterOptions.check(parameters)) != nil, (try? validate()) != nil else {
      return nil
    }
  }
}
