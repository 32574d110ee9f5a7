// Collects the output of each step and shows it as a group when the step has ended. Pure.

import Reprise

/// Renders events for GitHub Actions: transitions as plain lines, the output of a step in a group.
///
/// Steps that run in parallel write in turns, but groups cannot be nested, so the output waits until
/// its step has ended. If too much is waiting, a part of it is shown earlier, as a group of its own.
struct GitHubGroups {
  /// The maximum size of the waiting output of a step, in bytes.
  static let stepBytesMax = 1 << 20
  /// The maximum size of the waiting output of all steps, in bytes.
  static let bytesMax = 16 << 20
  /// The maximum number of lines of output in an annotation.
  private static let annotationLinesMax = 10
  /// The maximum length of a line in an annotation, in characters.
  private static let annotationLineMax = 400

  /// The output of a step that has not been shown.
  private struct Output {
    var texts: [String] = []
    var bytes = 0
    /// The number of groups in which earlier output was shown.
    var partCount = 0
  }

  private let job: GitHubJob
  private let keepsColours: Bool
  private let makeToken: @Sendable () -> String
  private var outputs: [String: Output] = [:]
  private var bytes = 0

  init(
    _ job: GitHubJob, keepsColours: Bool = false,
    makeToken: @escaping @Sendable () -> String = GitHubCommand.makeToken
  ) {
    self.job = job
    self.keepsColours = keepsColours
    self.makeToken = makeToken
  }

  /// Returns the lines for the next event, each with a line feed.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - log: The plain lines of the run; applies the event.
  ///   - place: The place of a failed step in the workflow file, if known.
  /// - Returns: The lines.
  mutating func text(
    for event: Event, in log: inout PlainLog, place: (path: String, line: Int?)? = nil
  ) -> TerminalSafe {
    guard case .step(let id, let attempt, let stepEvent) = event.kind else {
      let line = inertIfNeeded(log.text(for: event))
      return restOfOutput(after: event, log.state) + line + annotation(of: event, log.state)
    }
    if case .output(_, let text, isPartial: false) = stepEvent {
      log.note(event)
      return add(text, of: id, log.state)
    }
    let startedAt = log.state[id]?.startedAt
    let line = inertIfNeeded(log.text(for: event))
    switch stepEvent {
    case .succeeded, .failed, .cancelled, .skipped, .retrying, .repeating:
      let time = startedAt.map { elapsedText(event.time - $0) }
      return line + group(of: id, log.state, attempt: attempt, time: time)
        + annotation(of: id, stepEvent, log.state, place)
    default: return line
    }
  }

  /// Returns lines that begin with a time or a word so that GitHub finds no commands in them.
  func inertIfNeeded(_ text: TerminalSafe) -> TerminalSafe {
    GitHubCommand.inertIfNeeded(text, token: makeToken)
  }

  // MARK: Groups

  private mutating func add(_ text: String, of id: String, _ state: RunState) -> TerminalSafe {
    let count = text.utf8.count + 1
    outputs[id, default: Output()].texts.append(text)
    outputs[id]?.bytes += count
    bytes += count
    if outputs[id]?.bytes ?? 0 >= Self.stepBytesMax { return part(of: id, state) }
    return bytes >= Self.bytesMax ? partsOfLargest(state) : ""
  }

  /// Returns groups with the waiting output of the steps that have the most, until half of the
  /// maximum waits.
  ///
  /// Half, because the steps are sorted each time: so a step's line costs the same with many steps.
  private mutating func partsOfLargest(_ state: RunState) -> TerminalSafe {
    let bySize = outputs.sorted { ($1.value.bytes, $0.key) < ($0.value.bytes, $1.key) }
    var parts: TerminalSafe = ""
    for (id, _) in bySize {
      if bytes <= Self.bytesMax / 2 { break }
      parts += part(of: id, state)
    }
    return parts
  }

  /// Returns a group with the output of a step so far.
  private mutating func part(of id: String, _ state: RunState) -> TerminalSafe {
    let number = (outputs[id]?.partCount ?? 0) + 1
    let text = group(of: id, state, isPart: true)
    outputs[id] = Output(partCount: number)
    return text
  }

  /// Returns a group with the waiting output of a step; empty if there is none.
  private mutating func group(
    of id: String, _ state: RunState, attempt: Int = 1, time: String? = nil, isPart: Bool = false
  ) -> TerminalSafe {
    guard let output = outputs.removeValue(forKey: id), !output.texts.isEmpty else { return "" }
    bytes -= output.bytes
    var title = state.name(of: id)
    if attempt > 1 { title += ", attempt \(attempt)" }
    if isPart || output.partCount > 0 { title += ", part \(output.partCount + 1)" }
    if let time { title += " (\(time))" }
    let lines = TerminalSafe(
      lines: output.texts.joined(separator: "\n") + "\n", keepsColours: keepsColours)
    return GitHubCommand.group(title: title).line
      + GitHubCommand.inert(lines, token: makeToken()) + GitHubCommand.endGroup.line
  }

  /// Returns the output of steps whose end was not reported, before a generation or the run ends.
  private mutating func restOfOutput(after event: Event, _ state: RunState) -> TerminalSafe {
    switch event.kind {
    case .generationStarted, .runEnded, .runResumed:
      return outputs.keys.sorted().map { group(of: $0, state) }.joined()
    default: return ""
    }
  }

  // MARK: Annotations

  /// Returns the annotation of a step that has failed; empty for other events.
  private func annotation(
    of id: String, _ event: Event.StepEvent, _ state: RunState,
    _ place: (path: String, line: Int?)?
  ) -> TerminalSafe {
    guard case .failed(let reason) = event else { return "" }
    let lines = state[id]?.output.lines.suffix(Self.annotationLinesMax).map {
      String($0.text.prefix(Self.annotationLineMax))
    }
    return GitHubCommand.annotation(
      level: state.isTolerated(id) ? .warning : .error, file: place.map { job.path(of: $0.path) },
      line: place?.line, title: state.name(of: id),
      message: ([reason.description] + (lines ?? [])).joined(separator: "\n")
    ).line
  }

  /// Returns the annotation of a run that ended for a reason that no step has.
  private func annotation(of event: Event, _ state: RunState) -> TerminalSafe {
    guard case .runEnded(let outcome) = event.kind else { return "" }
    switch outcome {
    case .succeeded, .skipped, .failed, .cancelled, .interrupted: return ""
    case .timedOut, .abandoned:
      return GitHubCommand.annotation(
        level: .error, file: nil, line: nil, title: state.plan?.workflow ?? "run",
        message: outcome.description
      ).line
    }
  }
}
