// What is public is meant to be, is explained, and may be shared between threads.

import Foundation
import Testing

/// The public surface of the modules that embedders see.
///
/// `make api` writes the listings of `Documentation/api` anew.
struct InterfaceTests {
  private static let isWriting =
    ProcessInfo.processInfo.environment["REPRISE_WRITE_API"] == "1"

  /// Public types that are not Sendable, and why that is right.
  private static let unshared: [String: String] = [
    "AsyncSequencePublisher": publisher, "Publishers.CombineLatest": publisher,
    "Publishers.CombineLatest3": publisher, "Publishers.CombineLatest4": publisher,
    "Publishers.ConcatMap": publisher, "Publishers.CountingBuffer": publisher,
    "Publishers.FoldingDebounce": publisher, "Publishers.Merge": publisher,
    "Publishers.MergeMany": publisher, "Publishers.TaskMap": publisher,
    "Publishers.WithLatestFrom": publisher, "Publishers.ZipMany": publisher,
    "Publishers.Zipped": publisher, "Publishers.Zipped3": publisher,
    "Publishers.Zipped4": publisher,
    "RunsPublisher": publisher,
    "CancellingAsyncPublisher.Iterator": "an iterator: whoever reads holds it alone",
  ]

  private static let publisher =
    "a description of a pipeline, like every publisher of Combine; its upstream need not be Sendable"

  @Test(arguments: InterfaceListing.built)
  func `the public surface is the one that is checked in`(_ module: String) async throws {
    let listing = try await InterfaceListing.extracted(of: module)
    let text = listing.text(exports: listing.exports)
    let path = InterfaceListing.path(of: module)
    if Self.isWriting {
      let file = Repository.root.appendingPathComponent(path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try text.write(to: file, atomically: true, encoding: .utf8)
      return
    }
    let checkedIn = (try? Repository.text(of: path)) ?? ""
    let changes = Self.changes(from: checkedIn, to: text)
    let isSame = checkedIn == text
    #expect(
      isSame,
      "\(path) differs; run make api if this is meant.\n\(changes.joined(separator: "\n"))")
  }

  @Test func `a change of the surface is shown by its lines`() {
    let changes = Self.changes(from: "a\nb\nc\n", to: "a\nc\nd\n")
    #expect(changes == ["- b", "+ d"])
    #expect(Self.changes(from: "a\nb\n", to: "a\nb\n") == [])
  }

  @Test func `a module that cannot be read fails instead of having no surface`() async {
    await #expect(throws: Toolchain.Failure.self) {
      try await InterfaceListing.extracted(of: "NoSuchModule")
    }
    // It exports what others declare and declares nothing itself.
    await #expect(throws: Toolchain.Failure.self) {
      try await InterfaceListing.extracted(of: "CombineShim")
    }
  }

  @Test func `every library product has a listing, and every listing a module`() throws {
    let products = try Repository.text(of: "Package.swift").matches(
      of: /\.library\(\s*name: "(\w+)"/)
    #expect(products.count >= 2)
    for product in products { #expect(InterfaceListing.modules.contains(String(product.1))) }
    let paths = Repository.paths(below: "Documentation/api")
    #expect(paths == InterfaceListing.modules.sorted().map(InterfaceListing.path(of:)))
  }

  @Test(arguments: InterfaceListing.built)
  func `every public declaration is explained`(_ module: String) async throws {
    let listing = try await InterfaceListing.extracted(of: module)
    // What fulfils a requirement is explained there.
    let fulfilling = Set(
      listing.graph.relationships.filter { $0.sourceOrigin != nil }.map(\.source))
    let bare = listing.written.filter {
      $0.docComment?.module != module && !fulfilling.contains($0.identifier.precise)
    }
    #expect(bare.map { "\($0.place) \($0.path)" } == [])
  }

  @Test func `every public type may be shared between threads`() async throws {
    var unshared: Set<String> = []
    var sharedCount = 0
    for module in InterfaceListing.built {
      let listing = try await InterfaceListing.extracted(of: module)
      let conformances = listing.conformances
      for type in listing.written where type.isType {
        let names = conformances[type.identifier.precise] ?? []
        if names.contains(where: { $0 == "Sendable" || $0.hasPrefix("Sendable where ") }) {
          sharedCount += 1
        } else {
          unshared.insert(type.path)
          #expect(Self.unshared[type.path] != nil, "\(type.place) \(type.path)")
        }
      }
    }
    #expect(unshared == Set(Self.unshared.keys), "exceptions that are none any more")
    #expect(sharedCount > 50)
  }

  @Test(arguments: InterfaceListing.built)
  func `nothing in a listing depends on the machine`(_ module: String) async throws {
    let listing = try await InterfaceListing.extracted(of: module)
    let text = listing.text(exports: listing.exports)
    #expect(!text.contains(Repository.root.path))
    #expect(!text.contains("OpenCombine"))
    #expect(listing.graph.symbols.allSatisfy { ["public", "open"].contains($0.accessLevel) })
    #expect(Set(listing.lines).count == listing.lines.count, "a line stands for one declaration")
  }

  /// The lines that one text has and the other has not, each with its sign.
  private static func changes(from old: String, to new: String) -> [String] {
    let difference = new.split(separator: "\n").difference(from: old.split(separator: "\n"))
    return difference.map { change in
      switch change {
      case .remove(_, let line, _): "- \(line)"
      case .insert(_, let line, _): "+ \(line)"
      }
    }
  }
}
