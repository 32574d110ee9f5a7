// What is served: the projects with their journals.

#if Web
import Platform
import Reprise
import RepriseHost
import RepriseJournal
import RepriseTerminal
import RepriseWeb

/// The projects whose runs the page shows.
struct WebSite: Sendable {
  private let journals: [Journal]
  private let folders: [String]
  private let command: String
  private let version: String

  /// The names of the projects on the page.
  let names: [String]
  /// The state directories of the projects.
  var directories: [StateDirectory] { journals.map(\.directory) }

  /// Opens the journals of projects.
  ///
  /// - Parameters:
  ///   - stateDirectories: The state directories; none for that of the current project.
  ///   - command: The path of the command that starts runs.
  ///   - version: Its version.
  /// - Throws: ``Problem``.
  init(stateDirectories: [String], command: String, version: String) throws {
    let (here, environment) = (try currentDirectory(), inheritedEnvironment())
    let given = stateDirectories.isEmpty ? [nil] : stateDirectories.map { Optional($0) }
    journals = try given.map { path in
      try StateDirectory(explicit: path, environment: environment, in: here)
        .openJournal(process: Int(processID))
    }
    let ending = "/" + StateDirectory.name
    folders = journals.map(\.directory.path).map { path in
      guard path.hasSuffix(ending) else { return here }
      return realPath(String(path.dropLast(ending.count)) + "/") ?? here
    }
    names = WebProject.names(of: folders)
    self.command = command
    self.version = version
  }

  /// Opens the projects for the page.
  ///
  /// - Throws: ``FileWatchError`` if a journal cannot be watched.
  func projects() throws -> [WebProject] {
    try journals.indices.map { at in
      try WebProject(name: names[at], folder: folders[at], journals[at], command: command)
    }
  }

  /// Creates the API of the page.
  func api(_ projects: [WebProject], _ guarding: WebGuard) -> WebAPI {
    WebAPI(projects[0], Array(projects.dropFirst()), guarding: guarding, version: version)
  }

  /// Writes a run of the first project as one file of HTML.
  ///
  /// - Parameters:
  ///   - run: The name of the run.
  ///   - path: The file.
  /// - Throws: ``Problem``.
  func write(_ run: String, to path: String) async throws {
    let page = try StaticPage(of: run, in: journals[0], version: version)
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
