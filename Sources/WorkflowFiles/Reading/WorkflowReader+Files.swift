// Reads the files that are the items of a `foreach`.

import Paths
import WorkflowReading
import YAML

extension WorkflowReader {
  /// Returns the files that match the patterns, in byte order; nil if they are not known.
  ///
  /// The list is kept with the run, so that a resumed run has the same steps.
  mutating func readFiles(
    _ node: Node, dir: Node?, _ context: Context
  ) -> [Value]? {
    let file = context.file
    guard let fields = readers[file].fields(of: node, Tables.itemFiles) else { return nil }
    guard let files = fields["files"] else {
      guard fields.lacks("files") else { return nil }
      readers[file].report(.missingFiles, at: node)
      return nil
    }
    let before = errorCount
    let patterns = patterns(files, "files", context)
    guard let folder = folder(dir, files, context), errorCount == before else {
      return errorCount == before ? [.null] : nil
    }
    // Not the path of a file, so it cannot be one of a used file.
    let key = "foreach: \(folder): " + patterns.joined(separator: "\n")
    let text: String
    if let known = usedSources[key] ?? sources.keptText(key) {
      text = known
    } else {
      do throws(FileError) {
        text = try found(patterns, in: folder).joined(separator: "\n")
      } catch {
        readers[file].report(.filesOfForeach("\(error)"), at: files)
        return nil
      }
    }
    usedSources[key] = text
    return text.isEmpty ? [] : text.split(separator: "\n").map { .text(String($0)) }
  }

  private func found(_ patterns: [String], in folder: String) throws(FileError) -> [String] {
    // The patterns have been checked.
    guard let search = try? FileSearch(patterns, .entries) else { return [] }
    // A line feed separates the names that are kept.
    return try search.files(in: folder).filter { !$0.contains("\n") }
  }

  /// Returns the folder in which a step runs; nil if it is not known, with or without an error.
  private mutating func folder(_ dir: Node?, _ files: Node, _ context: Context) -> String? {
    var folder = "."
    for (template, scope, bindings) in directories(around: context) {
      do throws(EvaluationError) {
        let source = StaticValues(
          scope: scopes[scope], bindings: bindings, what: "files", budget: budget)
        folder = SourceFiles.joined(folder, below: try template.value(from: source).asText)
      } catch {
        if case .invalid = error {
          readers[context.file].report(
            .filesOfForeach("the directory of these files is not known before the run"), at: files)
        }
        return nil
      }
    }
    guard let dir else { return folder }
    return text(dir, "dir of a step with files", context).map {
      SourceFiles.joined(folder, below: $0)
    }
  }

  /// Returns the directories of the files and groups around a step, each relative to the one before
  /// it, with the scope and the values of its expression.
  private func directories(
    around context: Context
  ) -> [(template: Template, scope: Int, bindings: Bindings?)] {
    var chain: [Int] = []
    var next: Int? = context.scope
    while let scope = next {
      chain.append(scope)
      next = scopes[scope].parent
    }
    var found: [(template: Template, scope: Int, bindings: Bindings?)] = []
    for position in chain.reversed() {
      let scope = scopes[position]
      for settings in scope.callerOuter {
        for directory in settings.directories {
          found.append((directory, settings.scope, settings.bindings))
        }
      }
      for directory in scope.callerDirectories {
        found.append((directory, scope.parent ?? 0, scope.bindings))
      }
      if let directory = scope.directory { found.append((directory, position, scope.bindings)) }
    }
    for settings in context.extras.outer {
      for directory in settings.directories {
        found.append((directory, settings.scope, settings.bindings))
      }
    }
    for directory in context.extras.directories {
      found.append((directory, context.scope, context.bindings))
    }
    return found
  }
}

extension SourceFiles {
  /// Returns a path, relative to a folder unless it is absolute.
  fileprivate static func joined(_ folder: String, below path: String) -> String {
    path.hasPrefix("/") ? path : folder == "." ? path : folder + "/" + path
  }
}
