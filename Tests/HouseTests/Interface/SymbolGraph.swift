// The symbol graph of a module, which the compiler writes.
// Format: https://github.com/swiftlang/swift-docc-symbolkit

import Foundation

/// The parts of a symbol graph that the listing and the tests need.
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
    /// The source location; `nil` for a synthesized declaration.
    let location: Location?

    /// The name, qualified with the names of the enclosing types.
    var path: String { pathComponents.joined(separator: ".") }

    /// The declaration on one line.
    ///
    /// Constraints to `SendableMetatype` are removed: they do not affect callers, and they depend
    /// on the Combine of the platform.
    var declaration: String {
      declarationFragments.map(\.spelling).joined()
        .split(whereSeparator: \.isWhitespace).joined(separator: " ")
        .replacing(/, [\w.]+ : SendableMetatype/, with: "")
    }

    var isType: Bool {
      ["swift.struct", "swift.class", "swift.enum", "swift.actor"].contains(kind.identifier)
    }

    /// The source location as `Sources/…/File.swift:12`.
    var place: String {
      guard let location, let range = location.uri.range(of: "/Sources/") else { return path }
      return "Sources/\(location.uri[range.upperBound...]):\(location.position.line + 1)"
    }
  }

  /// A constraint on an extension or a conformance.
  struct Constraint: Decodable, Sendable {
    let kind: String
    let lhs: String
    let rhs: String

    var text: String { lhs + (kind == "sameType" ? " == " : " : ") + rhs }
  }

  /// A relationship between two declarations.
  struct Relationship: Decodable, Sendable {
    struct Origin: Decodable, Sendable {}

    let kind: String
    let source: String
    let target: String
    /// The qualified name of a target in another module.
    let targetFallback: String?
    let swiftConstraints: [Constraint]?
    /// Present if the source implements a requirement of a protocol.
    let sourceOrigin: Origin?
  }

  var symbols: [Symbol]
  var relationships: [Relationship]

  /// Extracts the symbol graph of a module of this build, including extensions of types in other
  /// modules.
  ///
  /// - Throws: ``Toolchain/Failure`` if the extraction fails or finds next to nothing, so that no
  ///   check passes on an empty graph.
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
