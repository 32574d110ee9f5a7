// The catalog of the library converts without a warning, and finds a place for everything that is
// public. Needs docc, which the toolchains of swift.org and Xcode have.

import Foundation
import Testing

/// The documentation for who embeds the engine.
struct CatalogTests {
  /// What docc has made of a module, as far as it is looked at.
  private struct ModulePage: Decodable {
    struct Section: Decodable {
      let title: String?
      let generated: Bool?
      let identifiers: [String]
    }

    let topicSections: [Section]
  }

  private static func hasDocC() async throws -> Bool {
    let looking = "command -v docc || xcrun --find docc"
    return try await Toolchain.run(["sh", "-c", looking]).status == 0
  }

  @Test(.enabled("there is no docc") { try await hasDocC() })
  func `the catalog converts without a warning and names all that is public`() async throws {
    try await Toolchain.withFolder { folder in
      let site = folder.appendingPathComponent("site")
      let ended = try await Toolchain.run(
        ["Scripts/docs", Toolchain.buildFolder.path, site.path])
      try #require(ended.status == 0, "\(ended.output)")
      let page = site.appendingPathComponent("data/documentation/reprise.json")
      let module = try JSONDecoder().decode(ModulePage.self, from: Data(contentsOf: page))
      // What nobody has put anywhere is put into sections that docc makes. What is added to types of others
      // is among it, and told in an article.
      let left = module.topicSections.filter { $0.generated == true }
        .filter { $0.title != "Extended Modules" }
      #expect(left.flatMap(\.identifiers) == [])
      #expect(module.topicSections.count > 10)
    }
  }
}
