// Compiles snippets against this build.

import Foundation

extension Snippet {
  /// What is wrong with it, as the tools report it, with the page and its lines; `nil` if nothing is.
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
