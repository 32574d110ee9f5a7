// The compiler that has built the tests, and where it has put the modules. Knows nothing of what is
// asked of it.

import Foundation

/// The tools of the toolchain, each run to its end.
enum Toolchain {
  /// What a tool has done.
  struct Ended: Sendable {
    let status: Int32
    /// What it wrote, standard output and standard error in the order in which they came.
    let output: String
  }

  /// Why a tool was of no use.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Where the products stand beside the tests: `.build/debug`, unless another place was named.
  static let buildFolder: URL = {
    let bundle = Bundle.allBundles.map(\.bundleURL).first { $0.pathExtension == "xctest" }
    return bundle?.deletingLastPathComponent()
      ?? URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
  }()

  /// What makes a tool find the modules of this build, those in C included.
  static let findingModules: [String] = {
    let files = FileManager.default
    func folders(in folder: URL) -> [URL] {
      (try? files.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
    }
    // Those of targets in C are made by the build, where a package does not bring its own; those of system
    // libraries are written by hand.
    let built = folders(in: buildFolder)
      .filter { $0.lastPathComponent.hasSuffix(".build") }
      .filter { !$0.lastPathComponent.hasSuffix("-tool.build") }
    let written = folders(in: Repository.root.appendingPathComponent("Sources"))
    let brought = folders(in: checkouts)
      .flatMap { folders(in: $0.appendingPathComponent("Sources")) }
      .map { $0.appendingPathComponent("include") }
    let maps = (built + written + brought)
      .map { $0.appendingPathComponent("module.modulemap").path }
      .filter(files.fileExists(atPath:)).sorted()
    return ["-I", buildFolder.appendingPathComponent("Modules").path]
      + maps.flatMap { ["-Xcc", "-fmodule-map-file=" + $0] }
  }()

  /// Where the build has put the packages it depends on: beside its folder, or one above.
  private static var checkouts: URL {
    let above = buildFolder.resolvingSymlinksInPath().deletingLastPathComponent()
    let candidates = [above, above.deletingLastPathComponent()]
      .map { $0.appendingPathComponent("checkouts") }
    return candidates.first { FileManager.default.fileExists(atPath: $0.path) } ?? candidates[0]
  }

  /// The platform that is compiled for, as `swift symbolgraph-extract` wants to be told; the compiler
  /// finds it by itself.
  ///
  /// - Throws: ``Failure`` when the toolchain does not say.
  static func target() async throws -> [String] {
    struct Information: Decodable {
      struct Target: Decodable { let triple: String }
      let target: Target
    }
    let told = try await run(["swiftc", "-print-target-info"])
    let data = Data(told.output.utf8)
    guard let information = try? JSONDecoder().decode(Information.self, from: data)
    else { throw Failure(description: "swiftc does not tell its target: \(told.output)") }
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/xcrun") else {
      return ["-target", information.target.triple]
    }
    let kit = try await run(["xcrun", "--show-sdk-path"]).output
    return ["-target", information.target.triple, "-sdk"]
      + [kit.trimmingCharacters(in: .whitespacesAndNewlines)]
  }

  /// Runs a tool and waits for its end.
  ///
  /// - Parameters:
  ///   - arguments: Its name, looked for in `PATH`, and its arguments.
  ///   - folder: The working directory.
  /// - Returns: What it has written, and its exit status.
  /// - Throws: When it cannot be started.
  static func run(
    _ arguments: [String], in folder: URL = Repository.root
  ) async throws -> Ended {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    process.currentDirectoryURL = folder
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let handle = pipe.fileHandleForReading
    let data = await withCheckedContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(returning: handle.readDataToEndOfFile()) }
    }
    process.waitUntilExit()
    return Ended(
      status: process.terminationStatus, output: String(decoding: data, as: UTF8.self))
  }

  /// Lends a folder of its own, and removes it afterwards.
  static func withFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("reprise-house-" + UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder)
  }
}
