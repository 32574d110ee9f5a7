// The workflows of a project by the names that commands know: files, and workflows in files.

import Paths
import Reprise
import RepriseJournal
package import RepriseTerminal

/// The workflows in a folder `workflows`, each with the shortest name that selects it.
///
/// Reads all files of the folder, but not what they use.
package struct WorkflowCatalog: Sendable {
  /// A workflow of the catalog.
  package struct Entry: Sendable, Equatable {
    /// The path of the file, followed by `#` and the name for one of the workflows in it.
    package let path: String
    /// The shortest argument that selects it.
    package fileprivate(set) var name: String
    /// Its own name: that of the file without extension, or under `workflows`.
    let ownName: String
    let aliases: [String]
    let isDefault: Bool
    /// The first line of its description.
    package let description: String
  }

  /// The workflows, by file and in the order of the file.
  package let entries: [Entry]
  /// The files that cannot be read, with the reasons.
  let unreadable: [(path: String, problem: Problem)]

  /// Reads the workflow files of a folder.
  ///
  /// - Parameter folder: The folder `workflows`.
  package init(of folder: String) {
    var entries: [Entry] = []
    var unreadable: [(path: String, problem: Problem)] = []
    for path in WorkflowFiles.found(in: folder) {
      let file = WorkflowFiles.shortName(path, in: folder)
      let source: WorkflowText
      do throws(Problem) {
        source = try LoadedWorkflow.parse(path)
      } catch {
        unreadable.append((path, error))
        continue
      }
      entries += source.namings.map { naming in
        Entry(
          path: naming.part.map { "\(path)#\($0)" } ?? path,
          name: naming.part.map { "\(file)#\($0)" } ?? file, ownName: naming.part ?? file,
          aliases: naming.aliases, isDefault: naming.isDefault,
          description: naming.description.flatMap {
            $0.split(separator: "\n").first.map(String.init)
          }
            ?? "")
      }
    }
    // The name alone selects a workflow in a file, unless another one has it.
    let counts = Dictionary(entries.map { ($0.ownName, 1) }, uniquingKeysWith: +)
    for index in entries.indices where counts[entries[index].ownName] == 1 {
      entries[index].name = entries[index].ownName
    }
    (self.entries, self.unreadable) = (entries, unreadable)
  }

  /// Finds a workflow in a file by its own name, or any workflow by an alias.
  ///
  /// - Parameter name: The name.
  /// - Returns: The workflow; nil if there is none.
  /// - Throws: ``Problem`` if several have the name.
  func entry(named name: String) throws(Problem) -> Entry? {
    let own = entries.filter { $0.ownName == name }
    let found = own.isEmpty ? entries.filter { $0.aliases.contains(name) } : own
    guard found.count > 1 else { return found.first }
    let list = found.map { TerminalSafe($0.name) }.joined(separator: ", ")
    throw Problem("error: more than one workflow is called \"\(name)\"; name one: \(list)")
  }

  /// The workflow that a command means which names none: the default, else the only one.
  ///
  /// - Returns: The workflow; nil if the user has to choose.
  /// - Throws: ``Problem`` if several say that they are the default.
  package func obvious() throws(Problem) -> Entry? {
    let defaults = entries.filter(\.isDefault)
    guard defaults.count > 1 else {
      return defaults.first ?? (entries.count == 1 ? entries[0] : nil)
    }
    let list = defaults.map { TerminalSafe($0.name) }.joined(separator: ", ")
    throw Problem("error: more than one workflow has \"default: true\": \(list)")
  }

  /// The workflows, one line each, for a user who has to choose.
  package var list: TerminalSafe {
    let width = entries.map { TerminalSafe($0.name).width }.max() ?? 0
    return entries.map { "  \(TerminalSafe($0.name).padded(to: width))  \($0.description)" }
      .joined(separator: "\n")
  }
}
