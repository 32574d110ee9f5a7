// What is served: the project with its journal.

#if Web
import Platform
import Reprise
import RepriseHost
import RepriseJournal
import RepriseTerminal
import RepriseWeb

/// A project whose runs the page shows.
struct WebSite: Sendable {
  let journal: Journal
  /// The folder of the project, which is the current one.
  let folder: String
  private let command: String
  private let version: String

  /// Opens the journal of a project, and makes its folder the current one.
  ///
  /// - Parameters:
  ///   - stateDirectory: The state directory; nil for that of the project.
  ///   - command: The path of the command that starts runs.
  ///   - version: Its version.
  /// - Throws: ``Problem``.
  init(stateDirectory: String?, command: String, version: String) throws {
    let directory = StateDirectory(
      explicit: stateDirectory, environment: inheritedEnvironment(), in: try currentDirectory())
    journal = try directory.openJournal(process: Int(processID))
    let parent = directory.path.split(separator: "/").dropLast().joined(separator: "/")
    let isInProject = directory.path.hasSuffix("/" + StateDirectory.name)
    if isInProject { _ = changeDirectory(to: "/" + parent) }
    folder = try currentDirectory()
    self.command = command
    self.version = version
  }

  /// Creates the API of the page.
  func api(_ feed: ProjectFeed, _ guarding: WebGuard) -> WebAPI {
    WebAPI(
      journal, feed, guarding: guarding, started: StartedRuns(command: command, journal),
      folder: folder, version: version)
  }

  /// Writes a run as one file of HTML.
  ///
  /// - Parameters:
  ///   - run: The name of the run.
  ///   - path: The file.
  /// - Throws: ``Problem``.
  func write(_ run: String, to path: String) async throws {
    let page = try StaticPage(of: run, in: journal, version: version)
    do throws(Errno) {
      let file = try OpenFile(
        path, .writeOnly, options: [.create, .truncate], permissions: [.ownerReadWrite])
      try writeBytes(page.bytes, to: file.descriptor)
    } catch {
      throw Problem("error: cannot write \"\(path)\": \(error)")
    }
  }
}
#endif
