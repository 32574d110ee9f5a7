import Foundation
import Testing

/// Checks that nothing is written to a terminal but through the functions for it.
///
/// They take only `TerminalSafe`, which the compiler checks. That nothing is written in another way it cannot check.
struct TerminalOutputTests {
  /// What writes to standard output or standard error, and the files that may use it.
  private static let writers: [(pattern: String, files: Set<String>)] = [
    (#"(?<![\w.])(?:Swift\.)?(?:print|debugPrint|dump)\("#, ["System/Process.swift"]),
    (
      #"\bwriteAll\("#,
      ["System/Process.swift", "Commands/EngineCommand.swift", "Commands/LogsCommand.swift"]
    ),
    // What Platform and swift-system have for it.
    (
      #"\b(?:writeBytes|writeText|writeOnce)\("#, ["System/Process.swift", "TerminalDevice.swift"]
    ),
    (#"\bFileDescriptor\b"#, []),
    (#"(?<![\w.])write\([a-z]\w*, [^)]*(?:baseAddress|count)"#, []),
    (#"\b(?:fputs|fputc|putchar|puts|fwrite|printf|fprintf|vprintf|dprintf)\("#, []),
    (#"\b(?:perror|writev|pwrite)\("#, []),
    (#"\b(?:FileHandle|TextOutputStream)\b"#, []),
    (#"(?:Glibc|Musl|Darwin)\.(?:write|print)"#, []),
  ]

  private static let sources = SourceTests.sources.filter {
    ["RepriseCLI", "RepriseHost", "RepriseTerminal"].contains($0.target)
  }

  @Test(arguments: sources) func `only the functions for it write to a terminal`(
    _ source: SourceTests.Source
  ) throws {
    for (pattern, files) in Self.writers where !files.contains(where: source.path.hasSuffix) {
      let expression = try NSRegularExpression(pattern: pattern)
      for line in source.lines where !line.drop(while: { $0 == " " }).hasPrefix("//") {
        let text = String(line)
        let whole = NSRange(text.startIndex..., in: text)
        #expect(expression.firstMatch(in: text, range: whole) == nil, "\(text)")
      }
    }
  }

  @Test func `the functions that write take nothing but safe text`() throws {
    let signatures = [
      "RepriseTerminal/TerminalDevice.swift": ["func write(_ text: TerminalSafe)"],
      "RepriseCLI/System/Process.swift": [
        "func printLine(_ text: TerminalSafe)", "func printError(_ text: TerminalSafe)",
        "func writeError(_ text: TerminalSafe)",
      ],
    ]
    for (path, functions) in signatures {
      let source = try #require(Self.sources.first { $0.path == "Sources/" + path })
      for function in functions { #expect(source.text.contains(function)) }
    }
  }

  @Test func `text is declared safe in one file, and literals are not made while the program runs`()
    throws
  {
    let path = "Sources/RepriseTerminal/TerminalSafe.swift"
    let source = try #require(Self.sources.first { $0.path == path })
    #expect(source.text.contains("private init(trusted"))
    #expect(source.text.contains("init(stringLiteral literal: StaticString)"))
    #expect(source.text.contains("appendLiteral(_ literal: StaticString)"))
    for other in Self.sources where other.path != path {
      #expect(!other.text.contains("extension TerminalSafe"), "\(other.path)")
    }
  }
}
