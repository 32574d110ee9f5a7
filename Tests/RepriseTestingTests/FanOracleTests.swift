// An oracle for computed items: the same workflow with its items written out.

import Foundation
import Reprise
import RepriseTesting
import Synchronization
import TestSupport
import Testing

/// A random workflow with steps, groups and used files for several items, at several depths.
private struct FanPlan {
  enum Kind: CaseIterable {
    case single, steps, parallel, file
  }

  indirect enum Block {
    case step(name: String, settings: String)
    case group(isParallel: Bool, [Block])
    case fan(Kind, name: String, count: Int, [Block], settings: String)
  }

  /// How the items of a block are written.
  enum Form {
    case written
    /// One item more than there are, for the first block with items.
    case wrong
    case computed
  }

  private(set) var blocks: [Block] = []
  /// The numbers of items, by the names of blocks.
  private(set) var counts: [String: Int] = [:]
  private var nameCount = 0
  private let maxParallel: Int

  init(_ random: inout some RandomNumberGenerator) {
    maxParallel = Int.random(in: 1...4, using: &random)
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      blocks.append(block(depth: 0, sees: false, &random))
    }
    // At least one block has items.
    if counts.isEmpty { blocks.append(fan(depth: 0, sees: false, &random)) }
  }

  // Whether a block sees an item: not if it is in a used file.
  private mutating func block(
    depth: Int, sees: Bool, _ random: inout some RandomNumberGenerator
  ) -> Block {
    let choice = Int.random(in: 0..<10, using: &random)
    if depth < 3, choice < 5 { return fan(depth: depth, sees: sees, &random) }
    if depth < 3, choice < 7 {
      let isParallel = Bool.random(using: &random)
      return .group(isParallel: isParallel, list(depth: depth + 1, sees: sees, &random))
    }
    return .step(name: name(), settings: settings(sees: sees, &random))
  }

  private mutating func list(
    depth: Int, sees: Bool, _ random: inout some RandomNumberGenerator
  ) -> [Block] {
    (0..<Int.random(in: 1...3, using: &random)).map { _ in
      block(depth: depth, sees: sees, &random)
    }
  }

  private mutating func fan(
    depth: Int, sees: Bool, _ random: inout some RandomNumberGenerator
  ) -> Block {
    let (kind, name) = (Kind.allCases.randomElement(using: &random) ?? .single, name())
    let count = Int.random(in: 0...3, using: &random)
    counts[name] = count
    let inner =
      kind == .single ? [] : list(depth: depth + 1, sees: kind != .file, &random)
    // Not fail-fast: which items it cancels depends on the order in which they start.
    var settings =
      [
        "", ", max-parallel: 1", ", max-parallel: 2", ", continue-on-error: true",
        ", mutex: \(name)",
      ].randomElement(using: &random) ?? ""
    settings +=
      ["", ", if: \"item != 1\"", ", retry: { limit: 1, delay: 1ms }"]
      .randomElement(using: &random) ?? ""
    // A mutex cannot contain another, and a group that runs again repeats steps that are done.
    if settings.contains("mutex") || settings.contains("retry"), kind != .single { settings = "" }
    if Bool.random(using: &random) { settings += ", item-id: \"k${{ item }}\"" }
    return .fan(kind, name: name, count: count, inner, settings: settings)
  }

  private func settings(sees: Bool, _ random: inout some RandomNumberGenerator) -> String {
    let all = ["", "", ", continue-on-error: true", ", retry: { limit: 1, delay: 1ms }"]
    return (sees ? all + [", if: \"item != 1\"", ", env: { I: \"${{ item }}\" }"] : all)
      .randomElement(using: &random) ?? ""
  }

  private mutating func name() -> String {
    nameCount += 1
    return "b\(nameCount)"
  }

  // MARK: Text

  /// Returns the workflow, in which a step `plan` comes first.
  func workflow(_ form: Form) throws -> Workflow {
    try Workflow(text: text(form), file: "random.yaml")
  }

  func text(_ form: Form) -> String {
    var files: [String] = []
    var form = form
    var lines = ["max-parallel: \(maxParallel)", "steps:", "  - { id: plan, run: x }"]
    for block in blocks { lines.append("  - " + text(block, &form, inFile: false, &files)) }
    if !files.isEmpty { lines += ["workflows:"] + files }
    return lines.joined(separator: "\n")
  }

  private func text(
    _ blocks: [Block], _ form: inout Form, inFile: Bool, _ files: inout [String]
  ) -> String {
    var texts: [String] = []
    for block in blocks { texts.append(text(block, &form, inFile: inFile, &files)) }
    return "[\(texts.joined(separator: ", "))]"
  }

  private func text(
    _ block: Block, _ form: inout Form, inFile: Bool, _ files: inout [String]
  ) -> String {
    switch block {
    case .step(let name, let settings): return "{ id: \(name), run: x\(settings) }"
    case .group(let isParallel, let blocks):
      let inner = text(blocks, &form, inFile: inFile, &files)
      return "{ \(isParallel ? "parallel" : "steps"): \(inner) }"
    case .fan(let kind, let name, let count, let blocks, let settings):
      let items = list(name, count, &form, inFile: inFile)
      let start = "{ id: \(name), foreach: \(items)\(settings)"
      switch kind {
      case .single: return start + ", run: x }"
      case .steps:
        return start + ", steps: \(text(blocks, &form, inFile: inFile, &files)) }"
      case .parallel:
        return start + ", parallel: \(text(blocks, &form, inFile: inFile, &files)) }"
      case .file:
        var (given, declared) = (["unit: \"${{ item }}\""], ["unit: { type: string }"])
        for (name, count) in Self.lists(in: blocks) {
          var written = form == .wrong ? Form.written : form
          given.append("\(name): \(list(name, count, &written, inFile: inFile))")
          declared.append("\(name): { type: list }")
        }
        let steps = text(blocks, &form, inFile: true, &files)
        files.append(
          "  \(name): { params: { \(declared.joined(separator: ", ")) }, steps: \(steps) }")
        return start + ", uses: \"#\(name)\", with: { \(given.joined(separator: ", ")) } }"
      }
    }
  }

  /// Returns the items of a block; with one too many for the first one if the form is wrong.
  private func list(
    _ name: String, _ count: Int, _ form: inout Form, inFile: Bool
  ) -> String {
    if form == .computed {
      let value = inFile ? "params.\(name)" : "fromJSON(steps.plan.outputs.\(name))"
      return "\"${{ \(value) }}\""
    }
    let shown = form == .wrong ? count + 1 : count
    form = .written
    return "[\((0..<shown).map(String.init).joined(separator: ", "))]"
  }

  /// Returns the blocks with items in a used file, which gets the items as parameters.
  private static func lists(in blocks: [Block]) -> [(name: String, count: Int)] {
    blocks.flatMap { block -> [(name: String, count: Int)] in
      switch block {
      case .step: []
      case .group(_, let blocks): lists(in: blocks)
      case .fan(_, let name, let count, let blocks, _): [(name, count)] + lists(in: blocks)
      }
    }
  }

  /// What the step `plan` leaves.
  var lists: [String: String] {
    counts.mapValues { "[\((0..<$0).map(String.init).joined(separator: ", "))]" }
  }
}

/// Computed items, compared with written ones in simulated runs.
struct FanOracleTests {
  /// Returns whether a step fails, which depends on nothing but its id and the seed.
  private static func fails(_ id: String, _ seed: UInt64) -> Bool {
    var hash = seed &* 0x9E37_79B9_7F4A_7C15
    for byte in id.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return (hash >> 32) % 9 == 0
  }

  private static func replaced(
    _ workflow: Workflow, _ plan: FanPlan, _ seed: UInt64
  ) -> Workflow {
    let lists = plan.lists
    return workflow.replacingCommands { context -> [String: String] in
      let id = context.step.id
      if id == "plan" { return lists }
      if fails(id, seed) { throw FailureReason.exited(status: 3) }
      return ["of": id, "item": context.step.extras.item?.asText ?? ""]
    }
  }

  /// The states of steps by id: names of phases, and outputs.
  private static func states(_ state: RunState) -> [String: String] {
    Dictionary(
      uniqueKeysWithValues: state.steps.map { step in
        guard step.id != "plan", case .succeeded(let outputs) = step.phase else {
          return (step.id, step.phase.name)
        }
        return (step.id, "\(step.phase.name) \(outputs.sorted { $0.key < $1.key })")
      })
  }

  /// Returns the first difference between the states with computed and with written items.
  ///
  /// Steps that compute items are only in one of them. Where items were not computed, the written
  /// ones did not run.
  private static func difference(
    _ computed: RunState, _ written: RunState, _ plan: FanPlan
  ) -> String? {
    let (left, right) = (states(computed), states(written))
    for (id, state) in left.sorted(by: { $0.key < $1.key }) {
      if let other = right[id] {
        if other != state { return "\(id) is \(state), and \(other) with written items" }
      } else if plan.counts[String(id.split(separator: "/").last ?? "")] == nil {
        return "\(id) is only there with computed items"
      }
    }
    for (id, state) in right.sorted(by: { $0.key < $1.key }) where left[id] == nil {
      guard state == "cancelled" || state == "skipped" else {
        return "\(id) is \(state), and only there with written items"
      }
    }
    let order = computed.steps.map(\.id).filter { right[$0] != nil }
    guard order == written.steps.map(\.id).filter({ left[$0] != nil }) else {
      return "the steps have another order: \(order)"
    }
    return nil
  }

  private static let faults = {
    var faults = Faults()
    // A failure must depend on the step alone, and a cancel stops different steps.
    (faults.failureBefore, faults.failureAfter) = (0, 0)
    (faults.cancellation, faults.refusal) = (0, 0)
    return faults
  }()

  @Test func `random workflows have the same states with computed and with written items`()
    async throws
  {
    var random = SeededGenerator.announced()
    let first = UInt64.random(in: 1..<1 << 40, using: &random)
    let different = Mutex(0)
    let crashes = Mutex(0)
    let isSoak = ProcessInfo.processInfo.environment["REPRISE_SOAK"] == "1"
    let figures = try await simulate(
      seeds: isSoak ? 2000 : 30, from: first, faults: Self.faults
    ) { simulation in
      var random = SeededGenerator(seed: simulation.seed)
      let plan = FanPlan(&random)
      func run(_ form: FanPlan.Form) async throws -> Simulation.Ended {
        let workflow = try plan.workflow(form)
        return try await simulation.run(Self.replaced(workflow, plan, simulation.seed))
      }
      let computed = try await run(.computed)
      let written = try await run(.written)
      crashes.withLock { $0 += computed.crashes }
      if let difference = Self.difference(computed.state, written.state, plan) {
        try simulation.check(
          false, difference + "\n" + plan.text(.computed), in: computed)
      }
      // The comparison finds an item too many, unless nothing has run.
      let wrong = try await run(.wrong)
      if Self.difference(computed.state, wrong.state, plan) != nil {
        different.withLock { $0 += 1 }
      }
    }
    let found = different.withLock { $0 }
    print(figures, crashes.withLock { $0 }, "crashes;", found, "wrong workflows were found")
    #expect(found > figures.seeds / 5)
  }
}
