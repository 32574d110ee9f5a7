// What podman, docker and apptainer say when they could not start the command of a step.

/// The message of a program that runs containers, about a container that it could not start.
///
/// Such a program ends with the status of the command, or with 125 if it failed itself, 126 if the
/// command cannot be executed, and 127 if it is not there; apptainer ends with 255. A command may end
/// with these as well, so the message decides.
struct StarterComplaint: Equatable {
  /// The message without its prefix.
  let text: String

  private static let linesMax = 8

  /// Keeps the last lines of what such a program says.
  static func note(_ text: String, in lines: inout [String]) {
    lines += text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    lines.removeFirst(max(0, lines.count - linesMax))
  }

  /// Returns the last line that is not a hint: docker ends with an empty line, and where its help is.
  static func last(of lines: [String]) -> String {
    lines.last {
      !$0.isEmpty && !($0.hasSuffix("--help' for more information") || $0.hasSuffix("--help'."))
    }
      ?? ""
  }

  /// Reads a message; the result is nil if the command has started, and ended by itself.
  ///
  /// - Parameters:
  ///   - status: The exit status of the program.
  ///   - lines: The last lines of its standard error.
  init?(_ status: Int, _ lines: [String]) {
    let line = Self.last(of: lines)
    guard let prefix = ["Error: ", "docker: ", "FATAL: "].first(where: line.hasPrefix) else {
      return nil
    }
    switch status {
    case 255: guard prefix == "FATAL: " else { return nil }
    case 125: break
    case 126, 127:
      // A script with a missing command ends like this as well, and says so in its own words.
      guard ["OCI runtime", "crun: ", "runc"].contains(where: line.contains) else { return nil }
    default: return nil
    }
    text = String(line.dropFirst(prefix.count).drop(while: \.isWhitespace))
  }
}
