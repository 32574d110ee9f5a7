// The command `bench`: measures rows and prints the results.

import ArgumentParser
import BenchmarkKit
import Foundation

@main
struct BenchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Measure Reprise and its peers on the same work, in turn.",
    discussion: """
      The table is printed and written to Benchmarks/RESULTS.md. Exit status: 0 if all bars are met, \
      1 if one is missed, 2 if a prerequisite is missing or a measurement fails.
      """)

  @Option(
    help: ArgumentHelp("Only measure rows whose name contains this text.", valueName: "substring"))
  var only: String?

  @Option(help: "Number of measurements of each contestant, after one warm-up.")
  var rounds = 5

  @Flag(help: "Only check that everything works: small counts, one round, no RESULTS.md, no bars.")
  var quick = false

  @Flag(help: "Do not write RESULTS.md.")
  var noResults = false

  @Option(help: ArgumentHelp("The command to measure.", valueName: "path"))
  var reprise: String?

  @Flag(help: "List the rows.")
  var list = false

  private static let package = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path

  func validate() throws {
    guard rounds > 0 else { throw ValidationError("--rounds must be at least 1") }
  }

  func run() throws {
    let rows = allRows.filter { only.map($0.id.contains) ?? true }
    let growths = allGrowths.filter { only.map("growth-\($0.id)".contains) ?? true }
    guard !rows.isEmpty || !growths.isEmpty else {
      throw ValidationError("no row has a name that contains \"\(only ?? "")\"")
    }
    guard !list else {
      for row in rows { print("\(row.id): \(row.work)") }
      for growth in growths { print("growth-\(growth.id): \(growth.work)") }
      return
    }
    let path = URL(filePath: reprise ?? Self.package + "/../.build/release/reprise").standardized
      .path
    guard FileManager.default.isExecutableFile(atPath: path) else {
      say("\(path) is missing: swift build -c release --static-swift-stdlib --product reprise")
      throw ExitCode(2)
    }
    let programs = Programs(reprise: path, package: Self.package)
    let campaign = Campaign(programs: programs, rounds: rounds, isQuick: quick)
    let (judged, hasProblems) = measured(rows, "", \.id, \.work, campaign.measure)
    let (lines, hasMore) = measured(growths, "growth-", \.id, \.work, campaign.measure)
    let text = report(judged, lines, programs)
    print(text, terminator: "")
    if !quick && !noResults {
      if !lines.isEmpty {
        try growthPicture(lines)
          .write(toFile: Self.package + "/growth.svg", atomically: true, encoding: .utf8)
      }
      try text.write(toFile: Self.package + "/RESULTS.md", atomically: true, encoding: .utf8)
    }
    if hasProblems || hasMore { throw ExitCode(2) }
    if !quick && (judged.contains(where: \.hasMissed) || lines.contains(where: \.hasMissed)) {
      throw ExitCode(1)
    }
  }

  /// Measures work, and goes on with the next after a failure.
  private func measured<Work, Result>(
    _ all: [Work], _ prefix: String, _ id: KeyPath<Work, String>, _ text: KeyPath<Work, String>,
    _ measure: (Work) throws -> Result
  ) -> ([Result], hasProblems: Bool) {
    var results: [Result] = []
    var hasProblems = false
    for work in all {
      say("\(prefix)\(work[keyPath: id]): \(work[keyPath: text])")
      do {
        results.append(try measure(work))
      } catch {
        hasProblems = true
        say("error: \(prefix)\(work[keyPath: id]): \(error)")
      }
    }
    return (results, hasProblems)
  }

  private func report(
    _ rows: [JudgedRow], _ lines: [GrowthLine], _ programs: Programs
  ) -> String {
    "# Results\n\n"
      + "Written by `make bench`; see [README.md](README.md) for how to read it.\n\n"
      + surroundings(programs, package: Self.package) + "\n" + table(rows) + "\n"
      + rows.map { "- **\($0.id)**: \($0.work)\n" }.joined() + growthSection(lines)
  }

  private func growthSection(_ lines: [GrowthLine]) -> String {
    guard !lines.isEmpty else { return "" }
    return
      "\n## Growth\n\n![Time and memory for 100 to 100,000 steps, items, events, runs and files]"
      + "(growth.svg)\n\nBoth axes are logarithmic: a cost that is linear is parallel to the dashed line.\n\n"
      + growthTable(lines) + "\n" + lines.map { "- **\($0.id)**: \($0.work)\n" }.joined()
  }

  private func say(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
  }
}
