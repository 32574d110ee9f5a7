// The public API of a module as lines that can be reviewed and compared with `git diff`,
// independent of platform and build.

import Foundation

/// The public API of a module.
struct InterfaceListing: Sendable {
  /// The modules with a public API.
  ///
  /// A library product that is missing here fails a test.
  static let modules = [
    "CombineOperators", "Expressions", "Reprise", "RepriseHost", "RepriseJournal",
    "RepriseObservability", "RepriseRunners", "RepriseService", "RepriseTesting", "Schedules",
    "WorkflowFiles", "Workflows",
  ]

  /// The modules that are not empty in this build.
  static var built: [String] {
    var built = modules
    #if !Observability
    built.removeAll { $0 == "RepriseObservability" }
    #endif
    #if !ServiceLifecycle
    built.removeAll { $0 == "RepriseService" }
    #endif
    return built
  }

  let module: String
  let graph: SymbolGraph

  /// Extracts the API of a module from this build.
  static func extracted(of module: String) async throws -> InterfaceListing {
    InterfaceListing(module: module, graph: try await .extracted(of: module))
  }

  /// Returns the path of the checked-in listing.
  static func path(of module: String) -> String { "Documentation/api/\(module).txt" }

  /// The declarations in source code.
  ///
  /// Members that the compiler synthesizes, such as `init(from:)` and `init(rawValue:)`, follow
  /// from the conformances.
  var written: [SymbolGraph.Symbol] { graph.symbols.filter { $0.location != nil } }

  /// The protocols that each type conforms to, by the identifier of the type.
  ///
  /// Module names are removed, because the publishers come from Combine on one platform and from
  /// `ReactiveCore` on the other.
  var conformances: [String: [String]] {
    let paths = graph.symbols.map { ($0.identifier.precise, $0.path) }
    let names = Dictionary(paths, uniquingKeysWith: { first, _ in first })
    // Nearly every type conforms to these; a type that does not has `~Copyable` in its declaration.
    let implied: Set = ["Copyable", "Escapable", "SendableMetatype", "BitwiseCopyable"]
    var found: [String: [String]] = [:]
    for relationship in graph.relationships where relationship.kind == "conformsTo" {
      let full = relationship.targetFallback.map { $0.split(separator: ".").dropFirst() }
      let name = full?.joined(separator: ".") ?? names[relationship.target] ?? relationship.target
      guard !implied.contains(name) else { continue }
      let conditions = (relationship.swiftConstraints ?? []).map(\.text).sorted()
      found[relationship.source, default: []].append(
        name + (conditions.isEmpty ? "" : " where " + conditions.joined(separator: ", ")))
    }
    // A conformance may be declared both for a type and in an extension of it.
    return found.mapValues { Set($0).sorted() }
  }

  /// A line for each declaration and a line for the conformances of each type, grouped by type.
  var lines: [String] {
    let conformances = conformances
    let standing = Set(
      graph.relationships.filter { $0.kind == "defaultImplementationOf" }.map(\.source))
    var entries: [(path: [String], text: [String])] = []
    for symbol in written {
      var line = "\(symbol.path) | "
      if symbol.accessLevel == "open" { line += "open " }
      line += symbol.declaration
      if standing.contains(symbol.identifier.precise) { line += " (unless implemented)" }
      let conditions = (symbol.swiftExtension?.constraints ?? []).map(\.text).sorted()
      if !conditions.isEmpty { line += " [where \(conditions.joined(separator: ", "))]" }
      let protocols = (conformances[symbol.identifier.precise] ?? []).joined(separator: ", ")
      let conforming = protocols.isEmpty ? [] : ["\(symbol.path) : \(protocols)"]
      entries.append((symbol.pathComponents, [line] + conforming))
    }
    entries.sort {
      $0.path == $1.path
        ? $0.text.lexicographicallyPrecedes($1.text) : $0.path.lexicographicallyPrecedes($1.path)
    }
    return entries.flatMap(\.text)
  }

  /// Returns the lines as they are checked in, with a heading and an empty line between types.
  func text(exports: [String]) -> String {
    var text = "# The public surface of \(module), written by `make api`.\n"
    if !exports.isEmpty { text += "\n" + exports.map { "import \(module) | \($0)\n" }.joined() }
    var last: Substring?
    for line in lines {
      let type = line.prefix { $0 != "." && $0 != " " }
      if type != last { text += "\n" }
      last = type
      text += line + "\n"
    }
    return text
  }

  /// The imports that this module re-exports, according to its sources.
  ///
  /// The compiler does not list re-exported modules.
  var exports: [String] {
    Repository.paths(below: "Sources/\(module)").filter { $0.hasSuffix(".swift") }
      .compactMap { try? Repository.text(of: $0) }
      .flatMap { $0.split(separator: "\n") }
      .filter { $0.hasPrefix("@_exported ") }.map(String.init).sorted()
  }
}
