import Foundation
import TestSupport
import Testing

/// Whole runs in virtual time, in separate processes: see Documentation/campaigns.md.
@Suite(.serialized) struct SimulationTests {
  /// Scenarios that failed once, in JSON.
  static let scenarios: [String] = {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Scenarios").path
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasSuffix(".json") }.sorted().map { folder + "/" + $0 }
  }()

  @Test func `fresh seeds find no failure`() async throws {
    // A seed that is printed here can be rerun with `simulate --seed`.
    let ended = try await simulate("--seconds", isSoak ? "600" : "20", "--workers", "1")
    print(ended.output)
    #expect(ended.status == 0, "\(ended.output)")
    #expect(ended.number(before: "runs in") > 100)
  }

  @Test func `trees of groups find no failure`() async throws {
    let ended = try await simulate(
      "--groups", "--count", isSoak ? "100000" : "400", "--seconds", "3000", "--workers", "1")
    print(ended.output)
    #expect(ended.status == 0, "\(ended.output)")
    #expect(ended.number(before: "runs in") == (isSoak ? 100_000 : 400))
  }

  @Test func `jobs of a cluster run once, and leave its queue, for any answers`() async throws {
    let count = rounds(200, soak: 20_000)
    let ended = try await simulate(
      "--clusters", "--count", "\(count)", "--seconds", "3000", "--workers", "1")
    print(ended.output)
    #expect(ended.status == 0, "\(ended.output)")
    #expect(ended.number(before: "runs in") == count)
  }

  @Test(arguments: [[], ["--groups"]])
  func `computed items in a scenario change no event of its other steps`(_ kind: [String])
    async throws
  {
    let ended = try await simulate(
      ["--computed-items", "--from", "1", "--count", isSoak ? "20000" : "300", "--seconds", "600"]
        + kind)
    print(ended.output)
    #expect(ended.status == 0, "\(ended.output)")
    #expect(ended.number(before: "scenarios in") == (isSoak ? 20_000 : 300))
  }

  @Test(arguments: scenarios) func `a scenario that failed once passes`(_ path: String)
    async throws
  {
    let ended = try await simulate("--replay", path, "--no-shrink")
    #expect(ended.status == 0, "\(ended.output)")
  }

  @Test func `a seed has the same trace in each process`() async throws {
    let arguments = ["--from", "1", "--count", "200", "--traces", "--seconds", "300"]
    let first = try await simulate(arguments).output.split(separator: "\n")
    let second = try await simulate(arguments).output.split(separator: "\n")
    let traces = first.filter { $0.first?.isNumber == true && !$0.contains("runs") }
    #expect(traces.count == 200)
    #expect(Set(traces).count == 200)
    #expect(traces == second.filter { $0.first?.isNumber == true && !$0.contains("runs") })
  }

  @Test(arguments: ["executor-returns-early", "queue-loses-item", "disk-hides-error"])
  func `a planted fault is detected, and its scenario is shrunk to fewer than six steps`(
    _ fault: String
  ) async throws {
    let ended = try await simulate(
      "--fault", fault, "--from", "1", "--count", "2000", "--seconds", "300")
    #expect(ended.status == 1)
    let line = try #require(
      ended.output.split(separator: "\n").first { $0.hasPrefix("SHRUNK") }, "\(ended.output)")
    print("\(fault): \(line)")
    let words = line.split(separator: " ")
    #expect(Int(words[4]).map { $0 < 6 } == true, "\(ended.output)")
  }

  // MARK: The command

  private var isSoak: Bool { ProcessInfo.processInfo.environment["REPRISE_SOAK"] == "1" }

  private struct Ended {
    let status: Int32
    let output: String

    /// Returns the number that precedes a text.
    func number(before text: String) -> Int {
      guard let range = output.range(of: text) else { return 0 }
      return output[..<range.lowerBound].split(whereSeparator: \.isWhitespace).last
        .flatMap { Int($0) } ?? 0
    }
  }

  private func simulate(_ arguments: String...) async throws -> Ended {
    try await simulate(arguments)
  }

  private func simulate(_ arguments: [String]) async throws -> Ended {
    let bundle = Bundle.allBundles.map(\.bundleURL).first { $0.pathExtension == "xctest" }
    let folder =
      bundle?.deletingLastPathComponent()
      ?? URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    let process = Process()
    process.executableURL = folder.appendingPathComponent("simulate")
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let handle = pipe.fileHandleForReading
    let data = await withCheckedContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(returning: handle.readDataToEndOfFile()) }
    }
    process.waitUntilExit()
    return Ended(
      status: process.terminationStatus, output: String(decoding: data, as: UTF8.self))
  }
}
