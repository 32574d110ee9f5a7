import Foundation
import Testing

/// All terminal output goes through the functions for it.
///
/// The compiler checks that these functions accept only `TerminalSafe`. It cannot check that no
/// other function writes.
struct TerminalOutputTests {
  /// Functions that write to standard output or standard error, with the files that may call them.
  private static let writers: [(pattern: String, files: Set<String>)] = [
    (#"(?<![\w.])(?:Swift\.)?(?:print|debugPrint|dump)\("#, ["System/Process.swift"]),
    (
      #"\bwriteAll\("#,
      [
        "System/Process.swift", "Commands/EngineCommand.swift", "Commands/LogsCommand.swift",
        "Commands/HostCommand.swift", "Commands/MCPCommand.swift",
      ]
    ),
    // Functions of Platform and swift-system.
    (
      #"\b(?:writeBytes|writeText|writeOnce)\("#,
      ["System/Process.swift", "TerminalDevice.swift"]
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

  @Test(arguments: sources) func `only the output functions write to a terminal`(
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

  @Test func `the output functions accept only safe text`() throws {
    let signatures = [
      "RepriseTerminal/Device/TerminalDevice.swift": ["func write(_ text: TerminalSafe)"],
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

  @Test func `only one file declares text safe, and only for static literals`()
    throws
  {
    let path = "Sources/RepriseTerminal/Text/TerminalSafe.swift"
    let source = try #require(Self.sources.first { $0.path == path })
    #expect(source.text.contains("private init(trusted"))
    #expect(source.text.contains("init(stringLiteral literal: StaticString)"))
    #expect(source.text.contains("appendLiteral(_ literal: StaticString)"))
    for other in Self.sources where other.path != path {
      #expect(!other.text.contains("extension TerminalSafe"), "\(other.path)")
    }
  }
}
