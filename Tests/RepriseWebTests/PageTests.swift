import Foundation
import Testing

@testable import RepriseWeb

/// The files of the page: what its safety and `--html` rely on.
struct PageTests {
  static let modules = PageFiles.names.filter { $0.hasSuffix(".js") }

  private static func text(_ name: String) throws -> String {
    try #require(PageFiles.text(of: name))
  }

  @Test func `the page is in the executable`() {
    #expect(PageFiles.names.contains("index.html") && Self.modules.count > 5)
  }

  @Test(arguments: modules) func `text becomes nothing but text`(name: String) throws {
    for way in [
      "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "DOMParser", "eval(",
      "new Function", "createContextualFragment", "setHTML", "srcdoc", "javascript:",
    ] {
      #expect(try !Self.text(name).contains(way), "\(way)")
    }
  }

  @Test func `the markup has no inline script or style`() throws {
    let markup = try Self.text("index.html")
    #expect(!markup.contains("<style") && !markup.contains(" style="))
    #expect(markup.firstMatch(of: /\son[a-z]+=/) == nil)
    for script in markup.matches(of: /<script([^>]*)>([^<]*)/) {
      #expect(script.1.contains("src=") && script.2.allSatisfy(\.isWhitespace))
    }
    #expect(markup.matches(of: /(src|href)="(https?:)?\/\//).isEmpty)
  }

  @Test(arguments: modules) func `a module begins by saying what it is`(name: String) throws {
    let lines = try Self.text(name).split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.first?.hasPrefix("// ") == true)
    #expect(lines.count <= 401)
    #expect(lines.filter { $0.count > 100 }.isEmpty)
  }

  @Test func `modules can be joined into one script`() throws {
    var owners: [String: String] = [:]
    for name in Self.modules {
      let text = try Self.text(name)
      #expect(!text.contains("export default") && !text.contains("export {"), "\(name)")
      #expect(text.firstMatch(of: /import\([^)]/) == nil, "\(name)")
      for match in text.matches(of: /(?m)^import \{([^}]*)\} from "\.\/([a-z-]+\.js)";/) {
        #expect(!match.1.contains(" as "), "\(name)")
        #expect(Self.modules.contains(String(match.2)), "\(name) imports \(match.2)")
      }
      let isWorker = name.hasSuffix("-worker.js")
      for match in text.matches(
        of: /(?m)^(?:export )?(?:async )?(?:function\*?|const|let|class|var) ([A-Za-z_$][\w$]*)/)
      where !isWorker {
        let other = owners.updateValue(name, forKey: String(match.1))
        #expect(other == nil, "\(match.1) is declared in \(name) and \(other ?? "")")
      }
    }
  }

  /// The variables of a theme.
  private static func variables(_ block: Substring) -> [String: String] {
    Dictionary(
      block.matches(of: /(--[a-z0-9-]+):\s*(#[0-9a-fA-F]{6})/).map { (String($0.1), String($0.2)) },
      uniquingKeysWith: { $1 })
  }

  private static func luminance(_ color: String) throws -> Double {
    let number = try #require(Int(color.dropFirst(), radix: 16))
    func linear(_ shift: Int) -> Double {
      let part = Double((number >> shift) & 255) / 255
      return part <= 0.03928 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * linear(16) + 0.7152 * linear(8) + 0.0722 * linear(0)
  }

  /// WCAG 2.2, success criterion 1.4.3.
  @Test func `text is legible in both themes`() throws {
    let style = try PageFiles.names.filter { $0.hasSuffix(".css") }.map(Self.text).joined()
    let pairs = style.matches(of: /contrast: (--[a-z0-9-]+) on (--[a-z0-9-]+)/)
    try #require(pairs.count >= 10)
    let themes = style.matches(of: /\{[^{}]*--[a-z0-9-]+:\s*#[^{}]*\}/).map { Self.variables($0.0) }
      .filter { $0.count > 5 }
    try #require(themes.count >= 2)
    for theme in themes {
      let all = themes[0].merging(theme) { $1 }
      for pair in pairs {
        let text = try Self.luminance(try #require(all[String(pair.1)], "\(pair.1)"))
        let ground = try Self.luminance(try #require(all[String(pair.2)], "\(pair.2)"))
        let contrast = (max(text, ground) + 0.05) / (min(text, ground) + 0.05)
        #expect(contrast >= 4.5, "\(pair.1) on \(pair.2): \(contrast)")
      }
    }
  }
}
