// Swift code of the documentation, put together as a reader would, and compiled against this build.

import Foundation

/// Code that is compiled as one program.
struct Snippet: Sendable {
  enum Kind: Sendable {
    case program
    case manifest
  }

  let path: String
  let line: Int
  let kind: Kind
  /// As many lines as the page has, with the code where it stands there.
  let text: String

  /// The snippets of a page, by the rules at the head of `SnippetTests.swift`.
  ///
  /// - Throws: ``Page/Mistake`` where a block cannot be one.
  static func all(of page: Page) throws -> [Snippet] {
    var chains: [[Page.Block]] = []
    var snippets: [Snippet] = []
    for block in page.blocks where block.language.lowercased().hasPrefix("swift") {
      guard block.language == "swift" else {
        throw Page.Mistake(page.path, line: block.line - 1, "only `swift` alone is compiled")
      }
      if block.lines.first?.hasPrefix("// swift-tools-version") == true {
        let text = page.text(keeping: [(block.line, block.lines)])
        snippets.append(Snippet(path: page.path, line: block.line, kind: .manifest, text: text))
      } else if block.has(comment: "continues") {
        guard !chains.isEmpty else {
          throw Page.Mistake(page.path, line: block.line, "there is nothing that it continues")
        }
        chains[chains.count - 1].append(block)
      } else {
        chains.append([block])
      }
    }
    for chain in chains {
      let given = chain.flatMap(\.comments).compactMap { comment in
        comment.lines(after: "given").map { (comment.line, $0.map(valued)) }
      }
      let text = page.text(keeping: given + chain.map { ($0.line, $0.lines) })
      let line = chain.first?.line ?? 1
      snippets.append(Snippet(path: page.path, line: line, kind: .program, text: text))
    }
    return snippets
  }

  private static let givenValue = " = given()"

  /// A declaration of a constant or variable with a value, if it has none: what is given is known by
  /// its type alone.
  private static func valued(_ line: String) -> String {
    line.split(separator: ";", omittingEmptySubsequences: false)
      .map { $0.contains(/^\s*(let|var) \w+\s*:[^={]*$/) ? $0 + givenValue : String($0) }
      .joined(separator: ";")
  }

  /// A file of code beside a tutorial.
  static func file(_ path: String) throws -> Snippet {
    let text = try Repository.text(of: path)
    let isManifest = text.hasPrefix("// swift-tools-version")
    return Snippet(path: path, line: 1, kind: isManifest ? .manifest : .program, text: text)
  }

  /// What is wrong with it, as the tools tell it, with the page and its lines; `nil` if nothing is.
  ///
  /// - Throws: When a tool cannot be started.
  func problem() async throws -> String? {
    if let stranger = strangers.first { return stranger }
    let ended: Toolchain.Ended
    switch kind {
    case .program: ended = try await compiled()
    case .manifest: ended = try await read()
    }
    guard ended.status != 0 else { return nil }
    return "\(path):\(line): this block is wrong:\n" + ended.output.prefix(4000)
  }

  /// The modules that an embedder does not have, though this build has them.
  private static let inner = Set(
    Repository.paths(below: "Sources").compactMap { $0.split(separator: "/").dropFirst().first }
      .map(String.init)
  ).subtracting(InterfaceListing.modules)

  /// What an embedder does not have though this build has it.
  private var strangers: [String] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.enumerated().compactMap { index, line in
      // Most lines are empty, and regular expressions take their time.
      guard line.contains("import ") || line.contains(".product(") else { return nil }
      let imported = line.firstMatch(of: /^\s*(?:@\w+ |public |internal )*import (?:\w+ )?(\w+)/)?.1
      let product = line.firstMatch(of: /\.product\(name: "(\w+)", package: "reprise"/)?.1
      if let imported, Self.inner.contains(String(imported)) {
        return "\(path):\(index + 1): \(imported) is no product"
      }
      if let product, !InterfaceListing.modules.contains(String(product)) {
        return "\(path):\(index + 1): \(product) is no product"
      }
      return nil
    }
  }

  /// Compiles it as far as the compiler finds mistakes, data races among them, and no farther.
  private func compiled() async throws -> Toolchain.Ended {
    // On the page's first line, which has no code, so that all lines stay where they are.
    let place = "#sourceLocation(file: \"\(path)\", line: "
    var code = text.hasPrefix("\n") ? place + "2)" + text : place + "1)\n" + text
    if text.contains(Self.givenValue) {
      code += "private func given<Value>() -> Value { fatalError() }\n"
    }
    return try await Toolchain.withFolder { folder in
      let file = folder.appendingPathComponent("main.swift")
      try code.write(to: file, atomically: true, encoding: .utf8)
      return try await Toolchain.run(
        ["swiftc", "-emit-sil", "-o", folder.appendingPathComponent("main.sil").path]
          + ["-module-name", "Snippet", "-swift-version", "6", "-warnings-as-errors"]
          + (text.contains("@main") ? ["-parse-as-library"] : [])
          + Toolchain.findingModules + [file.path])
    }
  }

  /// Has the package manager read it as a manifest.
  private func read() async throws -> Toolchain.Ended {
    try await Toolchain.withFolder { folder in
      let file = folder.appendingPathComponent("Package.swift")
      try text.write(to: file, atomically: true, encoding: .utf8)
      let ended = try await Toolchain.run(
        ["swift", "package", "--package-path", folder.path, "dump-package"])
      // The package manager may name the folder by another path, links resolved.
      let output = ended.output.replacing(/[^\s']*\/Package\.swift:/, with: path + ":")
      return Toolchain.Ended(status: ended.status, output: output)
    }
  }
}
