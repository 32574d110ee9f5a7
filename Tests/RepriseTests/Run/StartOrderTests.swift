import TestSupport
import Testing

@testable import Reprise

/// Waiting steps start in plan order, which is the order of the file.
@Suite(.serialized) struct StartOrderTests {
  /// Runs a file and returns the ids of its steps in order of their first start.
  private func starts(
    _ text: String, files: [String: String] = [:], _ body: @escaping @Sendable () async -> Void = {}
  ) async throws -> [String] {
    let folder = try TemporaryFolder()
    for (name, content) in files { try folder.write(name, content.utf8) }
    try folder.write("w.yaml", text.utf8)
    let workflow = try Workflow(contentsOf: folder.path + "/w.yaml")
    let run = Engine(
      executor: ClosureExecutor { _ in
        await body()
        return [:]
      }
    ).start(workflow)
    let events = EventCollector(run)
    #expect(try await run.outcome == .succeeded)
    return await events.all().compactMap { event in
      if case .step(let id, 1, .started) = event.kind { id } else { nil }
    }
  }

  @Test(arguments: [
    (
      "max-parallel: 1\nsteps: [{ parallel: [{ id: a, run: x }, { id: b, run: x }, { id: c, run: x }] }]",
      ["a", "b", "c"]
    ),
    (
      "steps: [{ id: s, foreach: [1, 2, 3, 4, 5, 6, 7, 8], max-parallel: 1, run: x }]",
      (0..<8).map { "s[\($0)]" }
    ),
    (
      "steps: [{ id: s, matrix: { a: [1, 2], b: [1, 2, 3] }, max-parallel: 1, run: x }]",
      (0..<6).map { "s[\($0)]" }
    ),
    (
      "steps: [{ id: s, foreach: [1, 2, 3, 4, 5, 6, 7, 8], mutex: m, run: x }]",
      (0..<8).map { "s[\($0)]" }
    ),
  ])
  func `steps that run one at a time start in file order`(
    _ text: String, _ expected: [String]
  ) async throws {
    for _ in 0..<rounds(50, soak: 2000) {
      #expect(try await starts(text) { await Task.yield() } == expected)
    }
  }

  @Test func `steps of used files start in order of use`() async throws {
    for _ in 0..<rounds(50, soak: 2000) {
      let order = try await starts(
        "max-parallel: 1\nsteps: [{ id: u, foreach: [1, 2, 3], uses: ./used.yaml }]",
        files: ["used.yaml": "steps: [{ id: a, run: x }, { id: b, run: x }]"])
      #expect(order == (0..<3).flatMap { ["u[\($0)]/a", "u[\($0)]/b"] })
    }
  }

  @Test(arguments: [2, 3, 16])
  func `the first waiting step in the file starts, also with several slots`(
    _ count: Int
  ) async throws {
    let ids = (0..<40).map { "s[\($0)]" }
    for _ in 0..<rounds(50, soak: 2000) {
      let order = try await starts(
        "max-parallel: \(count)\nsteps: [{ id: s, foreach: { from: 1, to: 40 }, run: x }]"
      ) {
        for _ in 0..<Int.random(in: 0..<4) { await Task.yield() }
      }
      #expect(order == ids)
    }
  }

  @Test func `a step whose needs end starts before later waiting steps of the file`() async throws {
    for _ in 0..<rounds(50, soak: 2000) {
      let order = try await starts(
        """
        max-parallel: 1
        steps:
          - { id: a, needs: [], run: x }
          - { id: b, needs: a, run: x }
          - { id: c, needs: [], run: x }
          - { id: d, needs: b, run: x }
          - { id: e, needs: [], run: x }
        """)
      #expect(order == ["a", "b", "c", "d", "e"])
    }
  }
}
