// What the compiler says of a module's public declarations. Reads; what is to be thought of them is
// the tests' business.
// The format: https://github.com/swiftlang/swift-docc-symbolkit

import Foundation

/// The parts of a symbol graph that the listing and the checks are made of.
struct SymbolGraph: Decodable, Sendable {
  /// A declaration.
  struct Symbol: Decodable, Sendable {
    struct Kind: Decodable, Sendable { let identifier: String }
    struct Identifier: Decodable, Sendable { let precise: String }
    struct Fragment: Decodable, Sendable { let spelling: String }
    struct Comment: Decodable, Sendable { let module: String? }
    struct Extension: Decodable, Sendable { let constraints: [Constraint]? }
    struct Location: Decodable, Sendable {
      struct Position: Decodable, Sendable { let line: Int }
      let uri: String
      let position: Position
    }

    let kind: Kind
    let identifier: Identifier
    let pathComponents: [String]
    let declarationFragments: [Fragment]
    let accessLevel: String
    let docComment: Comment?
    let swiftExtension: Extension?
    /// Where it was written; `nil` for what the compiler has made.
    let location: Location?

    /// Its name with those of the types around it.
    var path: String { pathComponents.joined(separator: ".") }

    /// Its declaration in a line.
    ///
    /// Without constraints to `SendableMetatype`: nobody who calls it can tell, and whether one is told
    /// depends on what the Combine of the platform asks for.
    var declaration: String {
      declarationFragments.map(\.spelling).joined()
        .split(whereSeparator: \.isWhitespace).joined(separator: " ")
        .replacing(/, [\w.]+ : SendableMetatype/, with: "")
    }

    var isType: Bool {
      ["swift.struct", "swift.class", "swift.enum", "swift.actor"].contains(kind.identifier)
    }

    /// Where it stands, as `Sources/…/File.swift:12`.
    var place: String {
      guard let location, let range = location.uri.range(of: "/Sources/") else { return path }
      return "Sources/\(location.uri[range.upperBound...]):\(location.position.line + 1)"
    }
  }

  /// A condition under which an extension or a conformance holds.
  struct Constraint: Decodable, Sendable {
    let kind: String
    let lhs: String
    let rhs: String

    var text: String { lhs + (kind == "sameType" ? " == " : " : ") + rhs }
  }

  /// How one declaration stands to another.
  struct Relationship: Decodable, Sendable {
    struct Origin: Decodable, Sendable {}

    let kind: String
    let source: String
    let target: String
    /// The name of a target in another module, with that module's name.
    let targetFallback: String?
    let swiftConstraints: [Constraint]?
    /// There when the source fulfils a requirement of a protocol.
    let sourceOrigin: Origin?
  }

  var symbols: [Symbol]
  var relationships: [Relationship]

  /// Asks the compiler about a module of this build, extensions of other modules' types included.
  ///
  /// - Throws: ``Toolchain/Failure`` when it cannot say, or says next to nothing: a check of nothing
  ///   would pass.
  static func extracted(of module: String) async throws -> SymbolGraph {
    let target = try await Toolchain.target()
    return try await Toolchain.withFolder { folder in
      let ended = try await Toolchain.run(
        ["swift", "symbolgraph-extract", "-module-name", module, "-output-dir", folder.path]
          + ["-minimum-access-level", "public", "-skip-synthesized-members"]
          + ["-skip-inherited-docs"] + target + Toolchain.findingModules)
      var all = SymbolGraph(symbols: [], relationships: [])
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
      where name.hasSuffix(".symbols.json") {
        let data = try Data(contentsOf: folder.appendingPathComponent(name))
        let graph = try JSONDecoder().decode(SymbolGraph.self, from: data)
        all.symbols += graph.symbols
        all.relationships += graph.relationships
      }
      guard ended.status == 0, all.symbols.count >= 3, !all.relationships.isEmpty else {
        throw Toolchain.Failure(
          description: "\(module): \(all.symbols.count) public declarations found (status"
            + " \(ended.status)). Built with `swift build --build-tests`?\n\(ended.output)")
      }
      return all
    }
  }
}
