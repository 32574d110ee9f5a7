// Workflow commands of GitHub Actions: the lines by which a program controls the page of its job. Pure.

import Reprise

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The job of GitHub Actions that this process is a part of.
struct GitHubJob: Sendable {
  /// The folder of the repository, with a slash at its end; annotations name files in it.
  let workspace: String?
  /// The file to which Markdown for the page of the job is appended.
  let summaryFile: String?

  /// Finds the job in the environment.
  init(environment: [String: String]) {
    func value(_ name: String) -> String? {
      environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
    workspace = value("GITHUB_WORKSPACE").map { $0.hasSuffix("/") ? $0 : $0 + "/" }
    summaryFile = value("GITHUB_STEP_SUMMARY")
  }

  /// Returns the path of a file for an annotation: relative to the repository, if it is in it.
  func path(of file: String) -> String {
    guard let workspace, file.hasPrefix(workspace) else { return file }
    return String(file.dropFirst(workspace.count))
  }
}

/// A workflow command.
///
/// All values are escaped, so that none of them can end the command or begin another one.
enum GitHubCommand {
  case group(title: String)
  case endGroup
  /// A message on the page of the job and next to a line of a file.
  case annotation(level: Level, file: String?, line: Int?, title: String, message: String)

  enum Level: String {
    case error, warning
  }

  /// The line of the command, with a line feed.
  var line: TerminalSafe {
    switch self {
    case .group(let title): return "::group::\(Self.data(title))\n"
    case .endGroup: return "::endgroup::\n"
    case .annotation(let level, let file, let line, let title, let message):
      var properties: [String] = []
      if let file {
        properties.append("file=\(Self.property(file))")
        if let line { properties.append("line=\(line)") }
      }
      properties.append("title=\(Self.property(title))")
      return "::\(level.rawValue) \(properties.joined(separator: ","))::\(Self.data(message))\n"
    }
  }

  /// Returns a text in which GitHub finds no commands.
  ///
  /// Commands are ignored up to a line with the token, which the text cannot contain because it is
  /// chosen at random after the text was written.
  ///
  /// - Parameters:
  ///   - text: Lines, each with a line feed.
  ///   - token: The token.
  /// - Returns: The lines with two commands around them.
  static func inert(_ text: TerminalSafe, token: String) -> TerminalSafe {
    "::stop-commands::\(token)\n\(text)::\(token)::\n"
  }

  /// Returns lines that begin with a time or a word so that GitHub finds no commands in them.
  ///
  /// Commands in the older form, `##[command]`, are found anywhere in a line, such as in an id.
  static func inertIfNeeded(
    _ text: TerminalSafe, token: () -> String = makeToken
  ) -> TerminalSafe {
    text.string.contains("##[") ? inert(text, token: token()) : text
  }

  /// Returns a new token.
  static func makeToken() -> String {
    (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 16) }.joined()
  }

  /// Escapes the text at the end of a command, filtering each of its lines.
  private static func data(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { escaped(TerminalSafe(String($0)).string) }.joined(separator: "%0A")
  }

  private static func property(_ text: String) -> String {
    data(text).replacing(":", with: "%3A").replacing(",", with: "%2C")
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("%", with: "%25").replacing("\r", with: "%0D").replacing("\n", with: "%0A")
  }
}
