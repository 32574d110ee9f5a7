// The options of the command, and their actions.

import Foundation
import Simulator

/// The parsed options of the command.
struct Options {
  /// An invalid option.
  struct Invalid: Error, CustomStringConvertible {
    let description: String
  }

  private var campaign = Campaign()
  private var seconds = 20.0
  private var first = UInt64.random(in: 0..<1_000_000_000)
  private var count = UInt64.max / 2
  private var seed: UInt64?
  private var replay: String?
  private var faults: Int?
  private var shrinks = true
  private var printsTraces = false
  private var comparesItems = false

  init() {}

  init(_ arguments: ArraySlice<String>) throws {
    var rest = arguments
    func value<Value: LosslessStringConvertible>(_ option: String) throws -> Value {
      guard let text = rest.popFirst(), let value = Value(text) else {
        throw Invalid(description: "\(option) needs a value")
      }
      return value
    }
    while let option = rest.popFirst() {
      switch option {
      case "--seconds": seconds = try value(option)
      case "--hours": seconds = try 3600 * value(option)
      case "--from": first = try value(option)
      case "--count": count = try value(option)
      case "--seed": seed = try value(option)
      case "--replay": replay = try value(option)
      case "--verbose": campaign.options.isVerbose = true
      case "--fault":
        let name: String = try value(option)
        guard let fault = Fault(rawValue: name) else {
          throw Invalid(description: "unknown fault \"\(name)\"")
        }
        campaign.options.fault = fault
      case "--faults": faults = try value(option)
      case "--traces": printsTraces = true
      case "--computed-items": comparesItems = true
      case "--groups": campaign.usesForests = true
      case "--clusters": campaign.usesClusters = true
      case "--no-shrink": shrinks = false
      case "--workers": campaign.workers = try value(option)
      case "--failures": campaign.failuresMax = try value(option)
      case "--sizes":
        let text: String = try value(option)
        let bounds = text.split(separator: "-").compactMap { Int($0) }
        guard bounds.count == 2, bounds[0] <= bounds[1] else {
          throw Invalid(description: "--sizes needs two numbers, such as 1-5")
        }
        campaign.sizes = bounds[0]...bounds[1]
      default: throw Invalid(description: "unknown option \(option)")
      }
    }
  }

  /// Runs the command.
  ///
  /// - Returns: The exit status: 0, 1 for a failure, or 2 for an invalid file.
  func run() -> Int32 {
    if let replay { return run(file: replay) }
    if let faults { return plant(seeds: faults) }
    if let seed, campaign.usesClusters {
      return run(campaign.clusterScenario(of: seed), command: "--clusters --seed \(seed)")
    }
    if let seed {
      return run(campaign.scenario(of: seed), seed: seed, command: "--seed \(seed)")
    }
    if comparesItems { return compareItems() }
    print("seeds from \(first): simulate --from \(first)")
    var campaign = campaign
    if printsTraces {
      campaign.workers = 1
      campaign.onVerdict = { seed, verdict in
        print(seed, String(verdict.trace, radix: 16), verdict.events, verdict.items)
      }
    }
    let figures = campaign.run(
      from: first, count: count, until: Date().addingTimeInterval(seconds))
    print(figures.text)
    for (seed, failure) in figures.failures {
      print("seed \(seed): \(failure.oracle): \(failure.message)")
    }
    if let (seed, failure) = figures.failures.first, shrinks {
      if campaign.usesClusters {
        shrink(
          campaign.clusterScenario(of: seed), failure, command: "--clusters --seed \(seed)")
        return 1
      }
      shrink(campaign.scenario(of: seed), failure, command: "--seed \(seed)")
    }
    return figures.failures.isEmpty ? 0 : 1
  }

  /// Compares each scenario with itself and computed items in it.
  private func compareItems() -> Int32 {
    var campaign = campaign
    if !campaign.usesForests { campaign.sizes = campaign.sizes ?? 1...12 }
    let end = Date().addingTimeInterval(seconds)
    var next = first
    while next < first + count, Date() < end {
      if let difference = campaign.differenceByComputedItems(seed: next) {
        print("seed \(next): \(difference)")
        return 1
      }
      next += 1
    }
    print("\(next - first) scenarios in \(Int(seconds)) s with the same events")
    return 0
  }

  private func run(_ scenario: Scenario, seed: UInt64?, command: String) -> Int32 {
    if campaign.options.isVerbose { print(scenario.text) }
    let verdict = campaign.isolated(scenario)
    print(
      "\(verdict.events) events, \(verdict.items) jobs and queue items, trace "
        + String(verdict.trace, radix: 16))
    guard let failure = verdict.failure else { return 0 }
    print("\(failure.oracle): \(failure.message)")
    if shrinks { shrink(scenario, failure, command: command) }
    return 1
  }

  private func run(_ scenario: ClusterScenario, command: String) -> Int32 {
    if campaign.options.isVerbose { print(scenario.text) }
    let verdict = campaign.isolated(scenario)
    print(
      "\(verdict.events) events, \(verdict.jobs) jobs, trace " + String(verdict.trace, radix: 16))
    guard let failure = verdict.failure else { return 0 }
    print("\(failure.oracle): \(failure.message)")
    if shrinks { shrink(scenario, failure, command: command) }
    return 1
  }

  private func run(file: String) -> Int32 {
    if let data = FileManager.default.contents(atPath: file),
      let scenario = try? JSONDecoder().decode(ClusterScenario.self, from: data)
    {
      return run(scenario, command: "--replay \(file)")
    }
    guard let data = FileManager.default.contents(atPath: file),
      let scenario = try? JSONDecoder().decode(Scenario.self, from: data)
    else {
      print("\(file) is not a scenario")
      return 2
    }
    return run(scenario, seed: nil, command: "--replay \(file)")
  }

  /// Shrinks a failing scenario and prints it.
  private func shrink(_ scenario: Scenario, _ failure: Failure, command: String) {
    let (smaller, tries) = campaign.shrunk(scenario, failure)
    let verdict = campaign.isolated(smaller)
    let found = verdict.failure ?? failure
    report(
      from: scenario.stepCount, to: smaller.stepCount, tries, found, smaller.text, command,
      smaller)
  }

  private func report(
    from before: Int, to after: Int, _ tries: Int, _ found: Failure, _ text: String,
    _ command: String, _ smaller: some Encodable
  ) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    let json = (try? encoder.encode(smaller)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    print(
      """

      SHRUNK from \(before) to \(after) steps in \(tries) tries
      \(found.oracle): \(found.message)

      \(text)

      the original: simulate \(command) --verbose
      the shrunk one: simulate --replay FILE --verbose, with this in FILE:
      \(json)
      """)
  }

  /// Shrinks a failing scenario of a cluster and prints it.
  private func shrink(_ scenario: ClusterScenario, _ failure: Failure, command: String) {
    let (smaller, tries) = campaign.shrunk(scenario, failure)
    let found = campaign.isolated(smaller).failure ?? failure
    report(
      from: scenario.stepCount, to: smaller.stepCount, tries, found, smaller.text, command,
      smaller)
  }

  /// Plants each fault and counts the seeds that detect it.
  private func plant(seeds: Int) -> Int32 {
    var missed = 0
    for fault in Fault.allCases {
      var campaign = campaign
      campaign.options.fault = fault
      campaign.failuresMax = .max
      let figures = campaign.run(from: 1, count: UInt64(seeds), until: .distantFuture)
      var oracles: [String: Int] = [:]
      for (_, failure) in figures.failures { oracles[failure.oracle, default: 0] += 1 }
      let found = oracles.sorted { $0.value > $1.value }.map { "\($0.key) \($0.value)" }
      print(
        "\(fault.rawValue): found by \(figures.failures.count) of \(seeds) seeds"
          + " (\(found.joined(separator: ", ")))")
      if figures.failures.isEmpty { missed += 1 }
    }
    return missed == 0 ? 0 : 1
  }
}
