// The Tab key: connects the completion scripts of shells with the words of the project.

import ArgumentParser
import Platform
import RepriseHost
import RepriseJournal

extension CompletionKind {
  /// The names of workflows, and the paths of workflow files.
  static let workflow = offering { _, typed in Completions.workflows(typed) }
  /// The steps of the workflow or run on the command line.
  static let step = offering { completions, _ in completions.steps }
  /// The runs of the project.
  static let run = offering { completions, _ in completions.runs }
  /// The parameters of the workflow on the command line, with their values.
  static let parameter = offering { completions, _ in completions.parameters }

  private static func offering(
    _ offered: @escaping @Sendable (Completions, String) -> [Completion]
  ) -> CompletionKind {
    .custom { words, index, typed in
      // Words after the cursor do not matter, and neither does the name of the command.
      let before = Array(words.prefix(max(index, 1)).dropFirst())
      let completions = Completions(before, journal: openJournal(before))
      return offered(completions, typed).filter { $0.word.hasPrefix(typed) }.map(text)
    }
  }

  /// Opens the journal for reading, without recovering runs.
  private static func openJournal(_ words: [String]) -> Journal? {
    let given = words.firstIndex(of: "--state-dir").map { words.dropFirst($0 + 1).first } ?? nil
    guard let options = try? StateOptions.parse(given.map { ["--state-dir", $0] } ?? []),
      let directory = try? options.directory(), directory.exists
    else { return nil }
    return try? Journal(directory, process: Int(processID))
  }

  /// Returns a word in the form that the shell expects, with its description if it shows one.
  private static func text(_ completion: Completion) -> String {
    let description = completion.description.split(separator: "\n").first ?? ""
    switch CompletionShell.requesting {
    case .zsh: return completion.word.replacing(":", with: "\\:") + ":" + description
    case .fish: return completion.word + "\t" + description
    default: return completion.word
    }
  }
}
