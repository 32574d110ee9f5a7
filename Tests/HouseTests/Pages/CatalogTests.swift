// Tests that the DocC catalog of the library converts without warnings and lists every public
// symbol. Needs docc, which the toolchains of swift.org and Xcode contain.

import Foundation
import Testing

/// The DocC documentation of the library.
struct CatalogTests {
  /// The parts of docc's output for a module that the test needs.
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
  func `the catalog converts without warnings and curates all public symbols`() async throws {
    try await Toolchain.withFolder { folder in
      let site = folder.appendingPathComponent("site")
      let ended = try await Toolchain.run(
        ["Scripts/docs", Toolchain.buildFolder.path, site.path])
      try #require(ended.status == 0, "\(ended.output)")
      let page = site.appendingPathComponent("data/documentation/reprise.json")
      let module = try JSONDecoder().decode(ModulePage.self, from: Data(contentsOf: page))
      // docc collects uncurated symbols in generated sections. Extensions of types in other modules
      // are always there; an article describes them.
      let left = module.topicSections.filter { $0.generated == true }
        .filter { $0.title != "Extended Modules" }
      #expect(left.flatMap(\.identifiers) == [])
      #expect(module.topicSections.count > 10)
    }
  }
}
