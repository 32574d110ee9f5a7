// `reprise web`: starts the executable that serves the live page.

import ArgumentParser
import Platform
import RepriseHost
import RepriseJournal
import RepriseTerminal

struct WebCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "web",
    abstract: "Serve a live page with all runs of the project, or of several.",
    discussion: """
      The page shows live and past runs, and restarts, cancels and approves with a click. Only \
      this machine can reach it, and only with the address that the command prints: it contains a \
      token. The page can come and go: runs do not depend on it. A second start prints the same \
      address, or fails if it asks for another port, socket or choice of projects.

      With folders of projects, the page shows all of them, with a choice at its left.

      To reach it from another machine, serve on a Unix socket and forward it:

        reprise web --listen unix:/tmp/page.sock
        ssh -L 8000:/tmp/page.sock HOST

      EXAMPLES
        reprise web --open
        reprise web --port 8000
        reprise web ~/site ~/backup
      """)

  @Argument(
    help: ArgumentHelp(
      """
      The folders of the projects, each with .reprise or workflows in it. Default: the current \
      project.
      """, valueName: "dir"),
    completion: .directory)
  var folders: [String] = []

  @Option(
    help: ArgumentHelp(
      "The port. Default: a free one.", valueName: "number"))
  var port: Int?

  @Flag(help: "Open the page in a browser.")
  var open = false

  @Option(
    help: ArgumentHelp(
      "Serve on a Unix socket instead, such as unix:/tmp/page.sock.", valueName: "unix:path"))
  var listen: String?

  @OptionGroup var state: StateOptions

  func validate() throws {
    if let port, !(1...65535).contains(port) {
      throw ValidationError("--port \(port): a port is a number from 1 to 65535.")
    }
    if let listen, !listen.hasPrefix("unix:") || listen == "unix:" {
      throw ValidationError("--listen \(listen): expected unix:PATH.")
    }
    if listen != nil, port != nil {
      throw ValidationError("--listen and --port cannot be combined: a socket has no port.")
    }
    if !folders.isEmpty, state.stateDir != nil {
      throw ValidationError(
        "--state-dir cannot be combined with folders: that of each folder is .reprise in it.")
    }
  }

  func run() async throws {
    var words: [String] = []
    if let port { words += ["--port", String(port)] }
    if open { words.append("--open") }
    if let listen { words += ["--listen", listen] }
    let directories =
      folders.isEmpty
      ? [try state.directory().path] : try ProjectFolder.stateDirectories(of: folders)
    throw WebProgram.start(words + directories.flatMap { ["--state-dir", $0] })
  }
}

/// The folder of a project, given as an argument.
private enum ProjectFolder {
  /// Returns the state directories of projects, each once.
  ///
  /// - Parameter folders: The folders of the projects, or `.reprise` in them, as they were written.
  /// - Returns: The absolute paths of the state directories, in the same order.
  /// - Throws: ``Problem`` if one of them is no project.
  static func stateDirectories(of folders: [String]) throws(Problem) -> [String] {
    var found: [String] = []
    var known: Set<String> = []
    for folder in folders {
      let path = try stateDirectory(of: folder)
      // It may be a link to that of another project, or not be there yet.
      if known.insert(realPath(path) ?? path).inserted { found.append(path) }
    }
    return found
  }

  private static func stateDirectory(of folder: String) throws(Problem) -> String {
    guard isFolder(folder), let path = realPath(folder) else {
      throw Problem("error: there is no folder \"\(folder)\"")
    }
    let state = StateDirectory.name
    if path.hasSuffix("/" + state) { return path }
    guard [state, ProjectFolders.workflows].contains(where: { isFolder("\(path)/\($0)") }) else {
      throw Problem(
        """
        error: "\(folder)" is no project: it has no folder \(state) and no folder \
        \(ProjectFolders.workflows)
          name the folder in which you use reprise run, or create a workflow: reprise init NAME
        """)
    }
    return "\(path)/\(state)"
  }

  private static func isFolder(_ path: String) -> Bool {
    (try? Stat(at: path))?.type == .directory
  }
}

/// The executable `reprise-web`, which is next to `reprise`.
enum WebProgram {
  /// Replaces this process by it.
  ///
  /// - Parameter words: Its arguments, besides those about this command.
  /// - Returns: The problem, if it could not be started.
  static func start(_ words: [String]) -> Problem {
    let command = executablePath ?? CommandLine.arguments[0]
    let folder = command.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    let program = (folder + ["reprise-web"]).joined(separator: "/")
    let error = replaceProgram(
      with: [program] + words + ["--command", command, "--command-version", RepriseVersion.text])
    guard error == .noSuchFileOrDirectory else {
      return Problem("error: \(program) cannot be started: \(error)", cause: .internalFailure)
    }
    return Problem(
      """
      error: the page is a program of its own, which is not installed: \(program)
        the packages of Reprise contain it; from the sources, build it with: make release
      """)
  }
}
