import ChildProcesses
import Foundation
import Platform
import TestSupport
import Testing

@testable import Reprise
@testable import RepriseStore

/// However a project and its store change between runs, its outputs are those of a full rebuild.
@Suite(.enabled(if: FileTrace.problem == nil)) struct RestorePropertyTests {
  private static let steps = """
    steps:
      - { id: gen, run: "mkdir -p out; cat a b > out/gen", cache: auto }
      - parallel:
          - id: lib
            needs: [gen]
            run: "cat out/gen c > out/lib; rm -f out/link; ln -s lib out/link; [ -e none ] && cat none >> out/lib || true"
            cache: CACHE
          - { id: list, run: "mkdir -p out; ls src > out/list; cat src/* >> out/list", cache: auto }
      - id: many
        needs: [lib, list]
        run: |
          rm -rf out/many; mkdir -p out/many/empty
          for name in $(cat names); do [ $name != fail ] || exit 1; cat out/link out/list > out/many/$name; done
          chmod 755 out/many/*
        cache: auto
      - id: last
        needs: [many]
        run: "cat out/many/* out/lib > out/last 2> out/errors || true"
        cache: { inputs: ["out/many/*", out/lib], makes: [out/last, out/errors] }

    """

  /// What can happen to a project between two runs.
  private struct World {
    let project: StoredProject
    var random: SeededGenerator
    private var snapshots: [[String: String]] = []
    private var sources: [String: String] = [
      "a": "1", "b": "1", "c": "1", "names": "x y", "src/1": "1",
    ]

    /// Whether a step fails now.
    var isFailing: Bool { sources["names"]?.contains("fail") == true }

    init(_ project: StoredProject, seed: UInt64) throws {
      self.project = project
      random = SeededGenerator(seed: seed)
      try write(sources)
    }

    private mutating func write(_ new: [String: String]) throws {
      for (name, text) in new where sources[name] != text || !has(name) {
        try project.write(text, to: name)
      }
      for name in sources.keys where new[name] == nil { try? project.remove(name) }
      sources = new
    }

    private func has(_ name: String) -> Bool {
      FileManager.default.fileExists(atPath: project.path + "/" + name)
    }

    /// Changes something; returns what.
    mutating func change() throws -> String {
      switch Int.random(in: 0..<12, using: &random) {
      case 0..<3:
        var new = sources
        let name = ["a", "b", "c", "names", "src/1"].randomElement(using: &random) ?? "a"
        new[name] =
          name == "names"
          ? ["x", "y", "x y", "x y z", "q", "y fail"].randomElement(using: &random)
          : ["1", "2", "3"].randomElement(using: &random)
        try write(new)
        return "edit \(name)"
      case 3:
        var new = sources
        let name = ["src/2", "src/3", "none"].randomElement(using: &random) ?? "none"
        new[name] = new[name] == nil ? "1" : nil
        try write(new)
        return "add or remove \(name)"
      case 4:
        snapshots.append(sources)
        return "keep a branch"
      case 5, 6:
        guard let old = snapshots.randomElement(using: &random) else { return "nothing" }
        try write(old)
        return "switch the branch"
      case 7:
        try? project.remove("out")
        return "clean"
      case 8:
        let name = try outputs().randomElement(using: &random) ?? "out/gen"
        try? project.remove(name)
        return "remove \(name)"
      case 9:
        guard let name = try outputs().randomElement(using: &random) else { return "nothing" }
        let url = URL(fileURLWithPath: project.path + "/" + name)
        try? FileManager.default.removeItem(at: url)
        try? Data("tampered".utf8).write(to: url)
        return "tamper with \(name)"
      case 10:
        let part = ["packs", "results"].randomElement(using: &random) ?? "packs"
        guard let file = try project.filesOfStore(part).sorted().randomElement(using: &random)
        else { return "nothing" }
        var bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        if !bytes.isEmpty { bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= 0x10 }
        try bytes.write(to: URL(fileURLWithPath: file))
        return "damage \(part)"
      default:
        project.store.delete(exceeding: 40_000)
        return "limit the store"
      }
    }

    private func outputs() throws -> [String] {
      try project.contents("out").filter { $0.value != "folder" }.keys.sorted()
    }
  }

  /// The outputs of a full rebuild of the sources.
  private static func rebuilt(_ project: StoredProject, _ text: String) async throws -> [String:
    String]
  {
    let other = try StoredProject()
    for (name, content) in try project.contents(".") where content != "folder" {
      guard !name.hasPrefix("out"), !name.hasPrefix(".reprise") else { continue }
      try other.write(String(try project.text(name).dropLast()), to: name)
    }
    var engine = other.engine()
    engine.cache = nil
    let run = engine.start(try Workflow(text: text, file: "w.yaml"))
    #expect(try await run.outcome == .succeeded)
    return try other.contents("out")
  }

  @Test(arguments: 0..<rounds(6, soak: 400))
  func `outputs are those of a full rebuild after any changes`(_ round: Int) async throws {
    let seed = UInt64.random(in: 0..<1_000_000) &+ UInt64(round)
    let project = try StoredProject()
    var world = try World(project, seed: seed)
    let cache =
      round % 2 == 0 ? "auto" : "{ inputs: [out/gen, c, none], makes: [out/lib, out/link] }"
    let text = Self.steps.replacing("CACHE", with: cache)
    var history: [String] = []
    for _ in 0..<25 {
      history.append(try world.change())
      let run = project.engine().start(try Workflow(text: text, file: "w.yaml"))
      if Int.random(in: 0..<6, using: &world.random) == 0 {
        // Stopped at any moment, and run again.
        try? await SystemClock().sleep(
          for: .milliseconds(Int.random(in: 0..<40, using: &world.random)))
        run.cancel()
        _ = try await run.outcome
        history.append("stopped")
        continue
      }
      if world.isFailing {
        #expect(try await run.outcome != .succeeded, "seed \(seed): \(history)")
        continue
      }
      #expect(try await run.outcome == .succeeded, "seed \(seed): \(history)")
      let found = try project.contents("out")
      let expected = try await Self.rebuilt(project, text)
      guard found == expected else {
        let names = Set(found.keys).union(expected.keys).filter { found[$0] != expected[$0] }
        let phases = run.state.steps.map { "\($0.id): \($0.phase)" }
        Issue.record("seed \(seed), \(history): \(names.sorted()) differ; \(phases)")
        return
      }
    }
  }
}
