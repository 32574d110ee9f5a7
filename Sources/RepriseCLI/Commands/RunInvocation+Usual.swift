// The usual command lines of `reprise run`, which are read without setting up the parser.

import Reprise
import RepriseHost
import RepriseTerminal

extension RunInvocation {
  /// Reads a command line with only names of workflows and the options that scripts use most.
  ///
  /// The parser reads all other command lines and says what is wrong with one, so that nothing but the time
  /// depends on this.
  ///
  /// - Parameter arguments: The arguments after the name of the command.
  /// - Returns: What the parser would read; nil if it has to read them.
  static func usual(_ arguments: [String]) -> Self? {
    guard arguments.first == "run" else { return nil }
    var invocation = Self()
    var rest = arguments.dropFirst().makeIterator()
    while let word = rest.next() {
      switch word {
      case "--no-journal": invocation.noJournal = true
      case "--yes": invocation.yes = true
      case "--force": invocation.isForced = true
      case "-p", "--param":
        guard let value = rest.next() else { return nil }
        invocation.parameters.append(value)
      case "--\(RunOptions.argumentOption)":
        guard let value = rest.next() else { return nil }
        invocation.others.append(value)
      case "--progress":
        guard let style = rest.next().flatMap(ProgressStyle.init(rawValue:)) else { return nil }
        invocation.progress = style
      case "--max-parallel":
        guard let count = rest.next().flatMap({ Int($0) }), count > 0 else { return nil }
        invocation.scope.maxParallel = count
      case "--state-dir":
        guard let folder = rest.next(), !folder.hasPrefix("-") else { return nil }
        invocation.stateDir = folder
      case _ where word.hasPrefix("-"): return nil
      default: invocation.workflows.append(word)
      }
    }
    guard (try? ParameterOptions.check(invocation.parameters)) != nil else { return nil }
    return (try? invocation.validate()) == nil ? nil : invocation
  }
}
