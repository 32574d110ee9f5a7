// `reprise show`: one run with its steps, and what its time was spent on.

import ArgumentParser
import Reprise
import RepriseJournal
import RepriseTerminal

struct ShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show a run: its steps, how they ended, and which of them held it up.",
    discussion: """
      EXAMPLE
        reprise show @last
      """)

  @OptionGroup var run: RunArgument

  func run() async throws {
    let (record, journal) = try run.find()
    let state: RunState
    do {
      state = try journal.state(of: record)
    } catch {
      throw Problem("error: \(error)", status: .cannotGoOn)
    }
    printLine(Self.text(record, state))
  }

  static func text(_ record: RunRecord, _ state: RunState) -> TerminalSafe {
    let end = record.took.map { ", took " + durationText($0) } ?? ""
    var parts: [TerminalSafe] = [
      """
      run \(record.id) of \(record.request.workflow): \(record.status.rawValue)
      file \(record.request.file)
      started \(localTime(record.requestedAt))\(end)\(record.generation > 1 ? ", generation \(record.generation)" : "")
      """
    ]
    let trigger = record.request.options[RunRequest.optionOfTrigger].flatMap(Trigger.init(json:))
    if let trigger, trigger.kind != .manual {
      parts[0] += "\nstarted by \(trigger.words)"
    }
    if !state.steps.isEmpty {
      let rows = state.steps.map {
        row($0, state.label(of: $0.id), isDead: record.status == .interrupted)
      }
      parts.append(aligned([["STEP", "STATE", "ATTEMPT", "TOOK", ""]] + rows))
    }
    let outputs = state.steps.flatMap(outputLines)
    if !outputs.isEmpty { parts.append("outputs:\n" + outputs.joined(separator: "\n")) }
    let path = state.criticalPath
    if path.count > 1 {
      let total = path.reduce(Duration.zero) { $0 + $1.duration + $1.wait }
      let links = path.map { link -> TerminalSafe in
        let wait = link.wait >= .milliseconds(100) ? ", waited \(durationText(link.wait))" : ""
        return "  \(link.step)  \(durationText(link.duration))\(wait)"
      }
      parts.append(
        "critical path, \(durationText(total)):\n" + links.joined(separator: "\n"))
    }
    switch record.status {
    case .failed, .cancelled, .timedOut, .abandoned, .interrupted:
      parts.append("take it up again with: reprise resume \(record.id)")
    case .queued, .running, .succeeded:
      break
    }
    return parts.joined(separator: "\n\n")
  }

  /// The outputs of a step, one line each.
  private static func outputLines(_ step: StepState) -> [TerminalSafe] {
    guard case .succeeded(let outputs) = step.phase else { return [] }
    return outputs.sorted { $0.key < $1.key }.map { name, value in
      let lines = value.split(separator: "\n", omittingEmptySubsequences: false)
      return "  \(step.id).\(name) = \(lines.first ?? "")\(lines.count > 1 ? " …" : "")"
    }
  }

  private static func row(_ step: StepState, _ label: String?, isDead: Bool) -> [String] {
    let end = step.endedAt ?? step.startedAt
    let took = step.startedAt.flatMap { start in end.map { durationText($0 - start) } } ?? ""
    let (name, detail) = describe(step.phase, isDead: isDead)
    return [
      step.id + (label.map { " (\($0))" } ?? ""), name,
      step.attempt == 0 ? "" : String(step.attempt),
      step.endedAt == nil ? "" : took, detail,
    ]
  }

  private static func describe(_ phase: StepPhase, isDead: Bool) -> (String, String) {
    switch phase {
    case .pending: ("pending", "")
    case .ready: (isDead ? "interrupted" : "ready", "")
    case .running: (isDead ? "interrupted" : "running", "")
    case .succeeded: ("succeeded", "")
    case .failed(let reason): ("failed", reason.description)
    case .cancelled(let cause): ("cancelled", cause.description)
    case .skipped(let reason, _): ("skipped", reason)
    }
  }
}
