import Foundation
import Testing

/// Only the target `Platform` imports the C library; the others call the
/// system through it.
struct CLibraryTests {
  /// Returns the lines of a Swift file that import the C library of a platform, with any
  /// attributes.
  private static func imports(in text: String) throws -> [String] {
    let attributes = #"(?:(?:@\w+(?:\([^)]*\))?|public|package|internal|private|fileprivate)\s+)*"#
    let kinds = #"(?:(?:func|struct|class|enum|protocol|typealias|let|var)\s+)?"#
    let modules = "(?:SwiftGlibc|Glibc|Musl|Darwin|Android|Bionic|WASILibc|ucrt|WinSDK)"
    let expression = try NSRegularExpression(
      pattern: #"(?:^|;)\s*"# + attributes + #"import\s+"# + kinds + modules + #"\b"#)
    return text.split(separator: "\n").map(String.init).filter { line in
      expression.firstMatch(in: line, range: NSRange(line.startIndex..., in: line)) != nil
    }
  }

  @Test(arguments: SourceTests.sources)
  func `only Platform imports the C library`(_ source: SourceTests.Source) throws {
    guard source.target != "Platform" else { return }
    #expect(try Self.imports(in: source.text) == [])
  }

  @Test func `Platform imports the C library without re-exporting it`() throws {
    let imports = try SourceTests.sources.filter { $0.target == "Platform" }
      .flatMap { try Self.imports(in: $0.text) }
    #expect(imports.count > 20)
    #expect(imports.filter { $0.contains("@_exported") || $0.contains("public") } == [])
  }

  @Test(arguments: [
    "import Glibc", "package import Musl", "@_exported import Darwin", "  internal import Glibc",
    "@preconcurrency import Glibc", "@_spi(Inner) public import Musl", "import func Glibc.open",
    "import Darwin.POSIX", "import Dispatch; import Glibc", "import\tGlibc  // for once",
  ])
  func `a planted import is found`(_ line: String) throws {
    let text = "// A file.\n\nimport Dispatch\n#if os(Linux)\n\(line)\n#endif\n"
    #expect(try Self.imports(in: text) == [line])
  }

  @Test(arguments: [
    "// import Glibc", "#if canImport(Glibc)", "import GlibcHelpers", "import Dispatch",
    #"let text = "import Glibc""#, "important(Darwin)",
  ])
  func `other text is not taken for an import of the C library`(_ line: String) throws {
    #expect(try Self.imports(in: line) == [])
  }
}
