// Runs many simulations: seeds in forked processes, statistics, and the handling of failures.

public import Foundation

/// The statistics of many simulations.
public struct Figures: Sendable {
  /// The number of simulations.
  public var runs = 0
  /// The number of jobs of clusters.
  public var jobs = 0
  /// The numbers of events, jobs and queue items, crashes, and generations.
  public var events = 0, items = 0, crashes = 0, generations = 0
  /// The virtual time that has passed.
  public var virtualSeconds = 0.0
  /// The real time that has passed.
  public var realSeconds = 0.0
  /// The failed seeds, with their failures.
  public var failures: [(seed: UInt64, failure: Failure)] = []

  mutating func add(_ verdict: Verdict) {
    runs += 1
    events += verdict.events
    items += verdict.items
    crashes += verdict.crashes
    generations += verdict.generations
    jobs += verdict.jobs
    virtualSeconds += verdict.seconds
  }

  /// The number of seeds that failed after others in the same process, but not alone.
  public var disturbed = 0

  /// The statistics in one line.
  public var text: String {
    let perSecond = Int(Double(runs) / max(realSeconds, 0.001))
    return "\(runs) runs in \(Int(realSeconds)) s, \(perSecond) a second, \(events) events, "
      + "\(items) jobs and queue items, \(generations) generations, \(crashes) crashes, "
      + "\(Int(virtualSeconds / max(realSeconds, 0.001))) times real time"
      + (jobs > 0 ? ", \(jobs) jobs" : "")
      + (disturbed > 0 ? ", \(disturbed) disturbed by earlier seeds" : "")
  }
}

/// Runs seeds, each in a process that may crash.
public struct Campaign {
  /// How each scenario is simulated.
  public var options = SimulationOptions()
  /// The number of concurrent processes.
  public var workers = 2
  /// The number of seeds that one process runs.
  ///
  /// The globals that a crash leaves in a process may affect later seeds, so a failing seed is run
  /// again alone.
  public var batch = 25
  /// The number of failures after which the campaign stops.
  public var failuresMax = 1
  /// Whether the workflows are trees of groups.
  public var usesForests = false
  /// Whether the steps are jobs of a cluster.
  public var usesClusters = false
  /// The sizes of the workflows; the generator's own if nil.
  public var sizes: ClosedRange<Int>?
  /// Called with each verdict of a seed.
  public var onVerdict: (UInt64, Verdict) -> Void = { _, _ in }

  /// Creates a campaign with the default settings.
  public init() {}

  /// Returns the scenario of a seed.
  public func scenario(of seed: UInt64) -> Scenario {
    if usesForests {
      var generator = ForestGenerator(seed: seed)
      return generator.scenario()
    }
    var generator = ScenarioGenerator(seed: seed)
    return generator.scenario(sizes: sizes)
  }

  /// Returns the scenario of a seed with a cluster.
  public func clusterScenario(of seed: UInt64) -> ClusterScenario {
    var generator = ClusterGenerator(seed: seed)
    return generator.scenario()
  }

  /// Runs consecutive seeds until the count or the time is used up.
  public func run(from first: UInt64, count: UInt64, until deadline: Date) -> Figures {
    var figures = Figures()
    let start = Date()
    var next = first
    let end = first + count
    while next < end, Date() < deadline, figures.failures.count < failuresMax {
      var children: [(first: UInt64, ChildProcess)] = []
      for _ in 0..<workers where next < end {
        let seeds = next..<min(end, next + UInt64(batch))
        children.append((seeds.lowerBound, ChildProcess(seconds: 600) { run(seeds, deadline, $0) }))
        next = seeds.upperBound
      }
      for (first, child) in children { read(child.wait(), from: first, &figures) }
    }
    figures.realSeconds = Date().timeIntervalSince(start)
    return figures
  }

  /// Runs seeds in the child, and writes a line before and after each.
  private func run(_ seeds: Range<UInt64>, _ deadline: Date, _ write: (String) -> Void) {
    guard installHooks() else { return write("no hooks\n") }
    for seed in seeds {
      if Date() >= deadline { return }
      write("seed \(seed)\n")
      alarm(120)
      let verdict =
        usesClusters ? simulated(clusterScenario(of: seed)) : simulated(scenario(of: seed))
      guard let data = try? JSONEncoder().encode(verdict) else { return }
      write(String(decoding: data, as: UTF8.self) + "\n")
    }
  }

  private func read(_ ended: ChildProcess.Ended, from first: UInt64, _ figures: inout Figures) {
    var seed = first
    for line in ended.output.split(separator: "\n") {
      if line.hasPrefix("seed ") {
        seed = UInt64(line.dropFirst(5)) ?? seed
      } else if let verdict = try? JSONDecoder().decode(Verdict.self, from: Data(line.utf8)) {
        figures.add(verdict)
        onVerdict(seed, verdict)
        if verdict.failure != nil { confirm(seed, &figures) }
      } else {
        figures.failures.append((seed, Failure(oracle: "simulator", message: String(line))))
      }
    }
    if ended.failure != nil { confirm(seed, &figures) }
  }

  /// Counts a failure if the seed fails alone as well.
  private func confirm(_ seed: UInt64, _ figures: inout Figures) {
    let verdict =
      usesClusters ? isolated(clusterScenario(of: seed)) : isolated(scenario(of: seed))
    if let failure = verdict.failure {
      figures.failures.append((seed, failure))
    } else {
      figures.disturbed += 1
    }
  }

  /// Simulates a scenario of a cluster in this process.
  private func simulated(_ scenario: ClusterScenario) -> Verdict {
    do {
      return try ClusterSimulation(scenario, options).verdictAtEnd()
    } catch {
      return Verdict(failure: Failure(oracle: "simulator", message: "\(error)"))
    }
  }

  /// Simulates a scenario in this process.
  private func simulated(_ scenario: Scenario) -> Verdict {
    do {
      return try Simulation(scenario, options).verdictAtEnd()
    } catch {
      return Verdict(failure: Failure(oracle: "simulator", message: "\(error)"))
    }
  }

  /// Simulates a scenario in a process of its own, and prints what the process printed.
  ///
  /// - Returns: The verdict.
  public func isolated(_ scenario: Scenario, seconds: UInt32 = 60) -> Verdict {
    isolated(seconds) { simulated(scenario) }
  }

  /// Simulates a scenario of a cluster in a process of its own, and prints what the process printed.
  ///
  /// - Returns: The verdict.
  public func isolated(_ scenario: ClusterScenario, seconds: UInt32 = 60) -> Verdict {
    isolated(seconds) { simulated(scenario) }
  }

  private func isolated(_ seconds: UInt32, _ verdict: () -> Verdict) -> Verdict {
    let ended = ChildProcess(seconds: seconds) { write in
      guard installHooks() else { return }
      let verdict = verdict()
      if let data = try? JSONEncoder().encode(verdict) {
        write(String(decoding: data, as: UTF8.self))
      }
    }
    .wait()
    if let failure = ended.failure { return Verdict(failure: failure) }
    return (try? JSONDecoder().decode(Verdict.self, from: Data(ended.output.utf8)))
      ?? Verdict(failure: Failure(oracle: "simulator", message: "no verdict: \(ended.errors)"))
  }

  /// Simulates a scenario without and with computed items in it.
  ///
  /// - Returns: The difference between the events of its other steps; nil if there is none.
  public func differenceByComputedItems(seed: UInt64) -> String? {
    let alone = scenario(of: seed).neutral
    let (first, second) = (isolated(alone), isolated(alone.computingItems(seed: seed)))
    if let failure = first.failure ?? second.failure { return "\(failure)" }
    for id in Set(first.history.keys).union(second.history.keys).sorted()
    where !Self.areAlike(first.history[id] ?? "", second.history[id] ?? "") {
      return "\(id): \(first.history[id] ?? "nothing")\n  with computed items: "
        + "\(second.history[id] ?? "nothing")\n\(alone.computingItems(seed: seed).text)"
    }
    return nil
  }

  /// Returns whether two lists of events are equal, with times that differ by at most 5 ms: each job of
  /// the simulation takes a microsecond.
  private static func areAlike(_ first: String, _ second: String) -> Bool {
    if first == second { return true }
    let (words, others) = (first.split(separator: " "), second.split(separator: " "))
    return words.count == others.count
      && zip(words, others).allSatisfy { word, other in
        if word == other { return true }
        guard let time = Int(word.filter { $0 != "," }),
          let otherTime = Int(other.filter { $0 != "," })
        else { return false }
        return abs(time - otherTime) <= 5
      }
  }

  /// Returns a smaller scenario of a cluster with the same failure.
  public func shrunk(
    _ scenario: ClusterScenario, _ failure: Failure
  ) -> (ClusterScenario, tries: Int) {
    var quiet = self
    quiet.options.isVerbose = false
    var shrinker = ClusterShrinker(scenario, oracle: failure.oracle) { quiet.isolated($0).failure }
    let smaller = shrinker.shrunk()
    return (smaller, shrinker.tries)
  }

  /// Returns a smaller scenario with the same failure.
  public func shrunk(_ scenario: Scenario, _ failure: Failure) -> (Scenario, tries: Int) {
    var quiet = self
    quiet.options.isVerbose = false
    let seconds: UInt32 = failure.oracle == "hang" ? 5 : 60
    var shrinker = Shrinker(scenario, oracle: failure.oracle) {
      quiet.isolated($0, seconds: seconds).failure
    }
    let smaller = shrinker.shrunk()
    return (smaller, shrinker.tries)
  }
}
