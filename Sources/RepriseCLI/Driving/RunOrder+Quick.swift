// Reads the plain forms of `reprise run` without the parser of arguments, which takes several times as
// long as starting a process. What is not plain is left to the parser, mistakes first of all.

import Reprise
import RepriseTerminal

extension RunOrder {
  /// Reads a command line, if it is a plain one.
  ///
  /// - Parameter arguments: What stands behind the name of the command. It is read as the parser would
  ///   read it, or not at all.
  init?(quickly arguments: some Collection<String>) {
    guard arguments.first == "run" else { return nil }
    self.init(file: "")
    var given: [String] = []
    var words = arguments.dropFirst().makeIterator()
    while let word = words.next() {
      guard word.hasPrefix("-") else {
        guard file.isEmpty, !word.isEmpty else { return nil }
        file = word
        continue
      }
      guard !given.contains(word) else { return nil }
      given.append(word)
      switch word {
      case "--force": force = true
      case "--dry-run": dryRun = true
      case "--pass-through": passThrough = true
      case "--no-journal": noJournal = true
      case "--progress", "--max-parallel", "--from", "--durability", "--state-dir":
        guard let value = words.next(), !value.isEmpty, !value.hasPrefix("-"),
          take(value, of: word)
        else { return nil }
      default: return nil
      }
    }
    if file.isEmpty { return nil }
  }

  /// Takes the value of an option; false when it is none.
  private mutating func take(_ value: String, of option: String) -> Bool {
    switch option {
    case "--progress":
      guard let style = ProgressStyle(rawValue: value) else { return false }
      progress = style
    case "--max-parallel":
      guard let count = Int(value), count > 0 else { return false }
      scope.maxParallel = count
    case "--from": scope.from = [value]
    case "--durability":
      guard let durability = Durability(rawValue: value) else { return false }
      scope.durability = durability
    default: place.given = value
    }
    return true
  }
}
