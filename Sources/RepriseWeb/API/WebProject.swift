// A project that the page shows: its name in addresses, its folder, its journal and what follows it.

import RepriseHost
package import RepriseJournal

/// One of the projects that a page shows.
package struct WebProject: Sendable {
  /// What the page and its addresses call it; unique on the page.
  package let name: String
  /// The absolute path of its folder, in which runs are started.
  package let folder: String
  let journal: Journal
  /// What is read of its journal; must run while the project is served.
  package let feed: ProjectFeed
  let started: StartedRuns

  /// Opens a project for the page.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - folder: The absolute path of its folder.
  ///   - journal: Its journal.
  ///   - command: The path of the command that starts runs.
  /// - Throws: ``FileWatchError`` if the folder of the journal cannot be watched.
  package init(name: String, folder: String, _ journal: Journal, command: String) throws {
    self.name = name
    self.folder = folder
    self.journal = journal
    feed = try ProjectFeed(journal, of: name)
    started = StartedRuns(command: command, journal)
  }

  /// Returns names for projects: the ends of their paths, as short as they are different.
  ///
  /// - Parameter folders: The absolute paths of their folders, each another one.
  /// - Returns: The names, in the same order, such as `app`, or `old/app` and `new/app`.
  package static func names(of folders: [String]) -> [String] {
    let paths = folders.map { $0.split(separator: "/") }
    return zip(folders, paths).map { folder, path in
      let others = paths.filter { $0 != path }
      let length = path.indices.map { $0 + 1 }.first { length in
        !others.contains { $0.suffix(length) == path.suffix(length) }
      }
      return length.map { path.suffix($0).joined(separator: "/") } ?? folder
    }
  }
}
