// Tests that the public API is intended, documented and Sendable.

import Foundation
import Testing

/// The public API of the library modules.
///
/// `make api` regenerates the listings in `Documentation/api`.
struct InterfaceTests {
  private static let isWriting =
    ProcessInfo.processInfo.environment["REPRISE_WRITE_API"] == "1"

  /// Public types that are not Sendable, with the reason.
  private static let unshared: [String: String] = [
    "AsyncSequencePublisher": publisher, "Publishers.Amb": publisher,
    "Publishers.CombineLatestMany": publisher, "Publishers.ConcatMap": publisher,
    "Publishers.CountingBuffer": publisher, "Publishers.Create": publisher,
    "Publishers.FlatMapFirst": publisher, "Publishers.FlatMapLatest": publisher,
    "Publishers.FoldingDebounce": publisher, "Publishers.RetryAfter": publisher,
    "Publishers.TaskMap": publisher, "Publishers.WithLatestFrom": publisher,
    "Publishers.ZipMany": publisher, "RunsPublisher": publisher,
    "CancellingAsyncPublisher.Iterator": iterator, "FileChanges.Iterator": iterator,
    "ScheduleMoments.Iterator": iterator, "StopSignals.Iterator": iterator,
  ]

  private static let iterator = "an iterator, which only its reader holds"

  private static let publisher =
    "a description of a pipeline, like every publisher of Combine; its upstream need not be Sendable"

  @Test(arguments: InterfaceListing.built)
  func `the public API equals the listing that is checked in`(_ module: String) async throws {
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
      "\(path) differs; run make api if that is intended.\n\(changes.joined(separator: "\n"))")
  }

  @Test func `a change of the API is shown as changed lines`() {
    let changes = Self.changes(from: "a\nb\nc\n", to: "a\nc\nd\n")
    #expect(changes == ["- b", "+ d"])
    #expect(Self.changes(from: "a\nb\n", to: "a\nb\n") == [])
  }

  @Test func `a module that cannot be read is an error`() async {
    await #expect(throws: Toolchain.Failure.self) {
      try await InterfaceListing.extracted(of: "NoSuchModule")
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
  func `every public declaration is documented`(_ module: String) async throws {
    let listing = try await InterfaceListing.extracted(of: module)
    // The implementation of a requirement is documented at the requirement.
    let fulfilling = Set(
      listing.graph.relationships.filter { $0.sourceOrigin != nil }.map(\.source))
    let bare = listing.written.filter {
      $0.docComment?.module != module && !fulfilling.contains($0.identifier.precise)
    }
    #expect(bare.map { "\($0.place) \($0.path)" } == [])
  }

  @Test func `every public type is Sendable, except listed ones`() async throws {
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
    #expect(unshared == Set(Self.unshared.keys), "exceptions that are no longer needed")
    #expect(sharedCount > 50)
  }

  @Test(arguments: InterfaceListing.built)
  func `listings do not depend on the machine`(_ module: String) async throws {
    let listing = try await InterfaceListing.extracted(of: module)
    let text = listing.text(exports: listing.exports)
    #expect(!text.contains(Repository.root.path))
    #expect(!listing.lines.contains { $0.contains("ReactiveCore") })
    #expect(listing.graph.symbols.allSatisfy { ["public", "open"].contains($0.accessLevel) })
    #expect(Set(listing.lines).count == listing.lines.count, "each line is unique")
  }

  /// Returns the lines that only one of the texts has, each with its sign.
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
