// What a watched run has said about its needs, as it is recorded and shown.

import Platform
package import Reprise
package import RepriseJournal
import RepriseTerminal

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The findings of a watched run.
package struct RecordedTrace: Codable, Sendable, Equatable {
  /// What is wrong with the needs or inputs of a step.
  package struct Finding: Codable, Sendable, Equatable {
    /// `missing-need`, `conflict`, `superfluous-need`, `undeclared-input` or `unread-input`.
    package let kind: String
    package let step: String
    /// The other step; nil for inputs.
    package let other: String?
    /// The files, or the pattern that matches none that was read.
    package let files: [String]
  }

  /// The number of steps that were watched.
  package let watched: Int
  package let findings: [Finding]

  /// Takes what a report says.
  package init(_ report: TraceReport) {
    watched = report.seenCount
    findings = report.problems.map { problem in
      switch problem.kind {
      case .missingNeed(let other, _):
        Finding(kind: "missing-need", step: problem.step, other: other, files: problem.files)
      case .conflict(let other):
        Finding(kind: "conflict", step: problem.step, other: other, files: problem.files)
      case .superfluousNeed(let other, _):
        Finding(kind: "superfluous-need", step: problem.step, other: other, files: [])
      case .undeclaredInput:
        Finding(kind: "undeclared-input", step: problem.step, other: nil, files: problem.files)
      case .unreadInput(let pattern):
        Finding(kind: "unread-input", step: problem.step, other: nil, files: [pattern])
      }
    }
  }

  /// The findings as text.
  var text: TerminalSafe {
    let steps = countText(watched, "step")
    guard !findings.isEmpty else { return "files of \(steps) were watched: nothing is wrong" }
    return "files of \(steps) were watched:\n"
      + findings.map { finding -> TerminalSafe in
        let files =
          finding.files.prefix(3).joined(separator: ", ")
          + (finding.files.count > 3 ? " and \(finding.files.count - 3) more" : "")
        return switch finding.kind {
        case "missing-need": "  \(finding.step) lacks a need of \(finding.other ?? ""): \(files)"
        case "conflict": "  \(finding.step) and \(finding.other ?? "") are in conflict: \(files)"
        case "superfluous-need": "  \(finding.step) may not need \(finding.other ?? "")"
        case "undeclared-input": "  \(finding.step) has undeclared inputs: \(files)"
        default: "  \(finding.step) reads nothing of \(files)"
        }
      }.joined(separator: "\n")
  }
}

extension Journal {
  private func tracePath(of run: RunID) -> String {
    directory.logFolder(of: run) + "/files.json"
  }

  /// Records the findings of a run; they are deleted with it.
  ///
  /// - Parameters:
  ///   - trace: The findings.
  ///   - run: The run.
  /// - Throws: An error of the file system.
  package func record(_ trace: RecordedTrace, of run: RunID) throws {
    try makeFolderTree(directory.logFolder(of: run))
    let json = try JSONEncoder().encode(trace)
    try writeFile(Array(json), to: tracePath(of: run), overwriting: true)
  }

  /// Returns the findings of a run; nil if it was not watched.
  ///
  /// - Parameter run: The run.
  /// - Returns: The findings.
  package func trace(of run: RunID) -> RecordedTrace? {
    fileContents(tracePath(of: run), upTo: 64 << 20).flatMap {
      try? JSONDecoder().decode(RecordedTrace.self, from: Data($0))
    }
  }
}
