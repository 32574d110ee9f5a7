import Foundation
import Testing

/// `public` is used only where embedders see it: in the libraries and the modules that they
/// re-export.
struct AccessTests {
  /// The targets of the products in the manifest.
  struct Products {
    /// The targets of library products, and the modules that they re-export.
    var libraries: Set<String> = []
    var executables: Set<String> = []

    /// Reads the products of a manifest.
    init(manifest: String, sources: [SourceTests.Source]) {
      for product in manifest.matches(
        of: /\.(library|executable)\(\s*name: "\w+",\s*targets: \[([^\]]*)\]/)
      {
        let targets = product.2.matches(of: /\w+/).map { String($0.0) }
        if product.1 == "library" {
          libraries.formUnion(targets)
        } else {
          executables.formUnion(targets)
        }
      }
      var waiting = Array(libraries)
      while let target = waiting.popLast() {
        for source in sources where source.target == target {
          for export in source.text.matches(of: /@_exported (?:public )?import (\w+)/) {
            if libraries.insert(String(export.1)).inserted { waiting.append(String(export.1)) }
          }
        }
      }
    }
  }

  /// Returns the public declarations of a text, each from the access modifier to the kind of
  /// declaration.
  private static func publicDeclarations(in text: String) throws -> [String] {
    let kinds =
      "import|class|struct|enum|protocol|actor|extension|func|var|let|init|subscript|typealias"
      + "|associatedtype|macro"
    // `open` can also be a name, such as that of a case before a declaration on the next line.
    let access = #"(?<![\w`.])(?:public(?:\(set\))?\s+|open(?:\(set\))?[ \t]+)"#
    let modifiers = #"(?:(?:@\w+|\w+)(?:\([^)\n]*\))?\s+)*?"#
    let expression = try NSRegularExpression(
      pattern: access + modifiers + "(?:" + kinds + #")\b"#)
    let code = text.replacing(/"(?:\\.|[^"\\\n])*"/, with: "\"\"").replacing(/\/\/.*/, with: "")
    return expression.matches(in: code, range: NSRange(code.startIndex..., in: code))
      .compactMap { Range($0.range, in: code).map { String(code[$0]) } }
  }

  /// Returns the public declarations of a file that must not be public.
  private static func violations(
    in source: SourceTests.Source, of products: Products
  ) throws -> [String] {
    guard !products.libraries.contains(source.target) else { return [] }
    return try publicDeclarations(in: source.text).filter { declaration in
      // The conformance of a public type to a public protocol requires such imports.
      !products.executables.contains(source.target) || !declaration.hasSuffix(" import")
    }
  }

  /// Read once, because the test of each source needs them.
  private static let products = Result {
    Products(manifest: try Repository.text(of: "Package.swift"), sources: SourceTests.sources)
  }

  @Test func `the products and their re-exports are known`() throws {
    let products = try Self.products.get()
    #expect(products.executables == ["RepriseCLI"])
    #expect(products.libraries.isSuperset(of: InterfaceListing.modules))
    // Without the module of Combine, which is not a target of this package.
    let ours = products.libraries.intersection(SourceTests.sources.map(\.target))
    #expect(ours == Set(InterfaceListing.modules + ["ReactiveCore"]))
  }

  @Test(arguments: SourceTests.sources)
  func `only libraries use public`(_ source: SourceTests.Source) throws {
    #expect(try Self.violations(in: source, of: Self.products.get()) == [])
  }

  @Test(arguments: [
    "public struct A {}", "struct A {\n  public var a = 1\n}", "open class A {}",
    "  public private(set) var a = 1", "@frozen public enum A {}", "public static func a() {}",
    "public init() {}", "public import Dispatch", "@_spi(Inner) public import Dispatch",
    "public\n  func a() {}", "public nonisolated(unsafe) let a = 1",
    "struct A { public init() {} }",
  ])
  func `a planted declaration is found`(_ declaration: String) throws {
    let text = "// A file.\n\n\(declaration)\n"
    let (products, path) = (try Self.products.get(), "Sources/RepriseControl/Planted.swift")
    let planted = SourceTests.Source(target: "RepriseControl", path: path, text: text)
    #expect(try Self.violations(in: planted, of: products).count == 1)
    let allowed = SourceTests.Source(target: "Reprise", path: path, text: text)
    #expect(try Self.violations(in: allowed, of: products) == [])
  }

  @Test func `a planted public import is found in an internal library, but not in the command`()
    throws
  {
    let (products, text) = (try Self.products.get(), "public import ArgumentParser\n")
    let command = SourceTests.Source(target: "RepriseCLI", path: "a.swift", text: text)
    #expect(try Self.violations(in: command, of: products) == [])
    let other = SourceTests.Source(target: "RepriseCLI", path: "a.swift", text: "public let a = 1")
    #expect(try Self.violations(in: other, of: products) == ["public let"])
    let inner = SourceTests.Source(target: "YAML", path: "a.swift", text: text)
    #expect(try Self.violations(in: inner, of: products) == ["public import"])
  }

  @Test(arguments: [
    "// public struct A {}", "/// A public func.", #"let text = "a public func""#,
    "package struct A {}", "let publicKey = 1", "try file.open()", "let open = 1; func a() {}",
    "func open(_ file: File) {}", "struct `public` {}", "case open\nlet a = 1",
    "open(path) { let a = 1 }",
  ])
  func `other text is not taken for a public declaration`(_ text: String) throws {
    #expect(try Self.publicDeclarations(in: text) == [])
  }
}
