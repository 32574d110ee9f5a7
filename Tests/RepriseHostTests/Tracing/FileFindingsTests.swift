// What the files of steps say about their needs.

import TestSupport
import Testing

@testable import Reprise
@testable import RepriseHost

struct FileFindingsTests {
  /// A step that uses files, written as `R path` and so on; `=` after a letter: the file was there.
  private static func step(_ id: String, _ needs: [Int], _ uses: String...) -> TracedStep {
    var report = FileReport()
    for use in uses {
      let parts = use.split(separator: " ")
      let existed = parts[0].hasSuffix("=")
      let letters = parts[0].replacing("=", with: "")
      let fields = existed ? "1\t1\t1\t1\t100644" : "-\t-\t-\t-\t-"
      let line = "\(letters)\t\(fields)\t/p/\(parts[1])\nend 1\n"
      report.uses += FileReport(trace: Array(line.utf8))?.uses ?? []
    }
    return TracedStep(id: id, needs: needs, files: report)
  }

  private static func found(_ steps: [TracedStep]) -> [String] {
    FileFindings(steps).all.map { finding in
      "\(steps[finding.step].id) \(finding.kind) \(steps[finding.other].id) "
        + finding.files.map { String($0.dropFirst(3)) }.joined(separator: ",")
    }
  }

  @Test(arguments: ["R= gen.h", "R gen.h", "A gen.h", "S= gen.h", "RX= gen.h"])
  func `a step that uses what another one makes must need it`(_ use: String) {
    // Also if it is there from an earlier run.
    for make in ["W gen.h", "W= gen.h"] {
      #expect(
        Self.found([Self.step("gen", [], make), Self.step("lib", [], use)])
          == ["lib missingNeed gen gen.h"])
    }
    // In both orders of the file.
    #expect(
      Self.found([Self.step("lib", [], use), Self.step("gen", [], "W gen.h")])
        == ["lib missingNeed gen gen.h"])
    // Also through another step.
    #expect(
      Self.found([
        Self.step("gen", [], "W gen.h"), Self.step("b", [0], "R= gen.h"),
        Self.step("lib", [1], use),
      ]) == [])
  }

  @Test func `what is used before it is made is no need`() {
    #expect(
      Self.found([Self.step("lib", [], "A gen.h"), Self.step("gen", [0], "W gen.h")])
        == ["gen superfluousNeed lib "])
  }

  @Test(arguments: [
    ("W out", "W out"), ("W= out", "RW= out"), ("RW= out", "R= out"), ("D= out", "R= out"),
    ("T out", "T out"), ("T out", "A out"), ("W out", "T out"), ("M=W= out", "RW= out"),
  ])
  func `steps that may run at once and change the same file are in conflict`(
    _ one: String, _ other: String
  ) {
    for (first, second) in [(one, other), (other, one)] {
      let found = Self.found([Self.step("a", [], first), Self.step("b", [], second)])
      #expect(found.count == 1 && found[0].contains("conflict"), "\(found)")
      let ordered = Self.found([Self.step("a", [], first), Self.step("b", [0], second)])
      #expect(!ordered.contains { $0.contains("conflict") }, "\(ordered)")
    }
  }

  @Test func `who makes a folder itself, or lists it, does not need another who makes it`() {
    #expect(
      Self.found([
        Self.step("a", [], "WF out", "W out/a"), Self.step("b", [], "SF= out", "W out/b"),
        Self.step("c", [], "L= out"), Self.step("d", [], "WF out"),
      ]) == [])
    // Files cannot be made in a folder that is not there.
    #expect(
      Self.found([Self.step("mk", [], "WF out"), Self.step("w", [], "A out", "A out/x")])
        == ["w missingNeed mk out"])
    #expect(
      Self.found([Self.step("mk", [], "WF out"), Self.step("w", [0], "S= out", "W out/x")]) == [])
  }

  @Test func `of several who make a folder, one that comes before is enough`() {
    let gen = Self.step("gen", [], "WF out", "W out/gen.h")
    let folders = Self.step("folders", [], "SF= out", "WF out/o")
    #expect(
      Self.found([gen, folders, Self.step("cc", [1], "S= out", "S= out/o", "W out/o/x")]) == [])
    #expect(
      Self.found([gen, folders, Self.step("cc", [], "S= out", "W out/x")])
        == ["cc missingNeed gen out"])
    // Whoever needs only the folder uses what its maker makes.
    #expect(Self.found([gen, folders, Self.step("docs", [1], "S= out", "W out/docs")]) == [])
    // Removed and made again, it is another one.
    #expect(
      Self.found([
        Self.step("clean", [], "D=F out"), folders, Self.step("cc", [1], "S= out", "W out/x"),
      ]).contains { $0.contains("clean") })
  }

  @Test func `a need is superfluous if the order of all uses holds without it`() {
    // link needs lib and doc, and reads lib.o only.
    #expect(
      Self.found([
        Self.step("lib", [], "W lib.o"), Self.step("doc", [], "W doc.txt"),
        Self.step("link", [0, 1], "R= lib.o"),
      ]) == ["link superfluousNeed doc "])
    // What comes later reads doc.txt, and has its order from this need only.
    #expect(
      Self.found([
        Self.step("lib", [], "W lib.o"), Self.step("doc", [], "W doc.txt"),
        Self.step("link", [0, 1], "R= lib.o", "W app"),
        Self.step("pack", [2], "R= app", "R= doc.txt"),
      ]) == [])
  }

  @Test func `what a step names, or what was not watched, keeps a need`() {
    var named = Self.step("b", [0])
    named.named = [0]
    #expect(Self.found([Self.step("a", []), named]) == [])
    var unseen = Self.step("a", [])
    unseen.files = nil
    #expect(Self.found([unseen, Self.step("b", [0])]) == [])
    #expect(Self.found([Self.step("a", []), Self.step("b", [0])]) == ["b superfluousNeed a "])
  }

  /// Steps in a random order, in which each needs exactly those of which it reads something; then needs
  /// are left out and added.
  @Test func `planted errors are found, and nothing else`() {
    var generator = SeededGenerator.announced()
    for _ in 0..<rounds(300, soak: 30_000) {
      let count = Int.random(in: 2...14, using: &generator)
      var needs: [Set<Int>] = []
      for step in 0..<count {
        let wanted = Int.random(in: 0...min(step, 3), using: &generator)
        needs.append(Set((0..<step).shuffled(using: &generator).prefix(wanted)))
      }
      func steps(_ declared: [Set<Int>]) -> [TracedStep] {
        (0..<count).map { step in
          var uses = ["W f\(step)"]
          uses += needs[step].sorted().map { "R= f\($0)" }
          var report = FileReport()
          for use in uses {
            let parts = use.split(separator: " ")
            report.uses.append(
              FileReport.Use(
                path: "/p/\(parts[1])", kinds: parts[0] == "W" ? .written : .read, first: nil))
          }
          return TracedStep(id: "s\(step)", needs: declared[step].sorted(), files: report)
        }
      }
      func isBefore(_ one: Int, _ other: Int, _ declared: [Set<Int>]) -> Bool {
        declared[other].contains(one) || declared[other].contains { isBefore(one, $0, declared) }
      }
      #expect(FileFindings(steps(needs)).all.filter { $0.kind != .superfluousNeed } == [])
      var declared = needs
      let step = Int.random(in: 1..<count, using: &generator)
      if let lost = declared[step].sorted().randomElement(using: &generator) {
        declared[step].remove(lost)
        let found = FileFindings(steps(declared)).all.filter { $0.kind != .superfluousNeed }
        // A need of something that comes later may rely on it, too.
        let expected = (0..<count).flatMap { user in
          needs[user].filter { !isBefore($0, user, declared) }.map { (user, $0) }
        }
        #expect(found.allSatisfy { $0.kind == .missingNeed })
        #expect(Set(found.map { [$0.step, $0.other] }) == Set(expected.map { [$0.0, $0.1] }))
      }
      declared = needs
      let added = Int.random(in: 0..<step, using: &generator)
      guard !isBefore(added, step, needs) else { continue }
      declared[step].insert(added)
      #expect(
        FileFindings(steps(declared)).all.contains {
          $0.kind == .superfluousNeed && $0.step == step && $0.other == added
        })
    }
  }

  @Test(arguments: [
    ("a", "b", "a", "b"), ("deploy/copy", "build", "deploy", "build"),
    ("all[0]/x", "all[0]/y", "x", "y"), ("lib[2]", "gen", "lib", "gen"),
    ("u[a/b]/x", "v", "u", "v"),
  ])
  func `the names of steps are those where both are known`(
    _ one: String, _ other: String, _ name: String, _ otherName: String
  ) throws {
    let names = try #require(StepPath.names(of: StepPath(one), StepPath(other)))
    #expect(names == (name, otherName))
  }

  @Test func `items of one step have no need of each other`() {
    #expect(StepPath.names(of: StepPath("all[0]/x"), StepPath("all[1]/y")) == nil)
    #expect(StepPath.names(of: StepPath("all[0]"), StepPath("all[1]")) == nil)
  }
}
