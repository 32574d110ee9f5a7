// `reprise web`: starts the executable that serves the live page.

import ArgumentParser
import Platform
import RepriseHost
import RepriseJournal
import RepriseTerminal

struct WebCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "web",
    abstract: "Serve a live page with all runs of the project.",
    discussion: """
      The page shows live and past runs, and restarts, cancels and approves with a click. Only \
      this machine can reach it, and only with the address that the command prints: it contains a \
      token. The page can come and go: runs do not depend on it. A second start prints the same \
      address.

      To reach it from another machine, serve on a Unix socket and forward it:

        reprise web --listen unix:/tmp/page.sock
        ssh -L 8000:/tmp/page.sock HOST

      EXAMPLES
        reprise web --open
        reprise web --port 8000
      """)

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
  }

  func run() async throws {
    var words: [String] = []
    if let port { words += ["--port", String(port)] }
    if open { words.append("--open") }
    if let listen { words += ["--listen", listen] }
    throw WebProgram.start(words + ["--state-dir", try state.directory().path])
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
