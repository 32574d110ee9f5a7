// `reprise-web`, which `reprise web` starts: serves the live page of projects.

#if Web
import ArgumentParser
import Platform
import RepriseHost
import RepriseJournal
import RepriseTerminal
import RepriseWeb

@main
struct ServerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reprise-web",
    abstract: "Serve the live page of projects; started by reprise web.")

  @Option(help: "The port; by default a free one.")
  var port: Int?

  @Flag(help: "Open the page in a browser.")
  var open = false

  @Option(help: "Serve on a Unix socket instead: unix:PATH.")
  var listen: String?

  @Option(help: "The state directory of a project; repeated for several projects.")
  var stateDir: [String] = []

  @Option(help: "The command that starts runs.")
  var command = "reprise"

  @Option(help: "The version of that command, for the page.")
  var commandVersion = ""

  @Option(help: "Write this run as one file of HTML instead of serving.")
  var run: String?

  @Option(help: "The file to write.")
  var html: String?

  func validate() throws {
    if let port, !(0...65535).contains(port) {
      throw ValidationError("--port \(port): a port is a number from 0 to 65535.")
    }
    if let listen, !listen.hasPrefix("unix:") || listen == "unix:" {
      throw ValidationError("--listen \(listen): expected unix:PATH.")
    }
    if listen != nil, port != nil {
      throw ValidationError("--listen and --port cannot be combined: a socket has no port.")
    }
    if (run == nil) != (html == nil) { throw ValidationError("--run and --html need each other.") }
  }

  func run() async throws {
    do {
      let site = try WebSite(stateDirectories: stateDir, command: command, version: commandVersion)
      if let run, let html {
        try await site.write(run, to: html)
      } else {
        let place =
          listen.map { WebPlace.socket(path: String($0.dropFirst("unix:".count))) }
          ?? .loopback(port: port)
        try await WebServer(site, place, opens: open).run()
      }
    } catch {
      try? writeBytes(Array((Problem(error).text.string + "\n").utf8), to: 2)
      throw ExitCode(2)
    }
  }
}

#else
import Platform

/// Without the trait `Web`, there is nothing to serve with.
@main
struct ServerCommand {
  static func main() {
    try? writeBytes(Array("error: this reprise-web was built without the trait Web\n".utf8), to: 2)
    exitAtOnce(2)
  }
}
#endif
