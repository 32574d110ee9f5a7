// Compiles snippets against this build.

import Foundation

extension Snippet {
  /// Returns the error of the tools, with the page and its line; `nil` if the snippet is valid.
  ///
  /// - Throws: If a tool cannot be started.
  func problem() async throws -> String? {
    if let stranger = strangers.first { return stranger }
    let ended: Toolchain.Ended
    switch kind {
    case .program: ended = try await compiled()
    case .manifest: ended = try await read()
    }
    guard ended.status != 0 else { return nil }
    return "\(path):\(line): this block is invalid:\n" + ended.output.prefix(4000)
  }

  /// The modules that are internal to this package, which an embedder cannot import.
  private static let inner = Set(
    Repository.paths(below: "Sources").compactMap { $0.split(separator: "/").dropFirst().first }
      .map(String.init)
  ).subtracting(InterfaceListing.modules)

  /// The imports and products in the snippet that an embedder cannot use.
  private var strangers: [String] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.enumerated().compactMap { index, line in
      // Skip most lines quickly, because regular expressions are slow.
      guard line.contains("import ") || line.contains(".product(") else { return nil }
      let imported = line.firstMatch(of: /^\s*(?:@\w+ |public |internal )*import (?:\w+ )?(\w+)/)?.1
      let product = line.firstMatch(of: /\.product\(name: "(\w+)", package: "reprise"/)?.1
      if let imported, Self.inner.contains(String(imported)) {
        return "\(path):\(index + 1): \(imported) is not a product"
      }
      if let product, !InterfaceListing.modules.contains(String(product)) {
        return "\(path):\(index + 1): \(product) is not a product"
      }
      return nil
    }
  }

  /// Type-checks the snippet, including data-race checks, without generating code.
  private func compiled() async throws -> Toolchain.Ended {
    try await Toolchain.withFolder { folder in
      let file = folder.appendingPathComponent("main.swift")
      try code.write(to: file, atomically: true, encoding: .utf8)
      return try await Toolchain.run(
        ["swiftc", "-emit-sil", "-o", folder.appendingPathComponent("main.sil").path]
          + ["-module-name", "Snippet", "-swift-version", "6", "-warnings-as-errors"]
          + (text.contains("@main") ? ["-parse-as-library"] : [])
          + Toolchain.findingModules + [file.path])
    }
  }

  /// Reads the snippet as a manifest with the package manager.
  private func read() async throws -> Toolchain.Ended {
    try await Toolchain.withFolder { folder in
      let file = folder.appendingPathComponent("Package.swift")
      try text.write(to: file, atomically: true, encoding: .utf8)
      let ended = try await Toolchain.run(
        ["swift", "package", "--package-path", folder.path, "dump-package"])
      // The package manager may print another path of the folder, with symbolic links resolved.
      let output = ended.output.replacing(/[^\s']*\/Package\.swift:/, with: path + ":")
      return Toolchain.Ended(status: ended.status, output: output)
    }
  }
}
