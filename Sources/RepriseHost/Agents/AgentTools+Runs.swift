// The tools that start, show and control runs.

import Platform
import Reprise
import RepriseControl
import RepriseJournal
import RepriseTerminal

extension AgentTools {
  // MARK: Starting

  func run(_ arguments: AgentArguments) async throws -> AgentResult {
    let name = arguments.required("workflow")
    let path = try await blocking { [project] in try project.path(ofWorkflow: name) }
    let id = try await project.start(path, arguments.texts("params"))
    return try await report(on: id.description, after: arguments)
  }

  func resume(_ arguments: AgentArguments) async throws -> AgentResult {
    let record = try await project.find(arguments.required("run")).record
    guard !record.status.isLive else {
      throw Problem("error: run \(record.id) is in progress; use restart, perhaps with reload")
    }
    let from = arguments.text("from").map { ["--from=\($0)"] } ?? []
    try await project.resume(record, from + (arguments.flag("force") ? ["--force"] : []))
    return try await report(on: record.id.description, after: arguments)
  }

  // MARK: Reading

  func status(_ arguments: AgentArguments) async throws -> AgentResult {
    let (record, journal) = try await project.find(arguments.required("run"))
    if let seconds = arguments.whole("wait"), seconds > 0, record.status.isLive {
      await Self.wait(for: record.id, in: journal, seconds)
    }
    let id = record.id
    let (report, short) = try await blocking { try Self.read(id, in: journal) }
    let text = report.text.string
    var content = Value(report).members ?? [:]
    let isWhole = Value.map(content).jsonBytes(atMost: Self.bytesMax) <= Self.bytesMax
    if isWhole {
      content["waits-for"] = Value(short.waitsFor)
    } else {
      content = Value(short).members ?? [:]
      content["left-out"] = .text("all but this: read reprise://runs/\(id) for the whole report")
    }
    return AgentResult(text.utf8.count <= Self.bytesMax ? text : short.text, content)
  }

  func logs(_ arguments: AgentArguments) async throws -> AgentResult {
    let (record, journal) = try await project.find(arguments.required("run"))
    return try await blocking {
      var selection = LogSelection(step: arguments.text("step"))
      selection.generation = arguments.whole("generation")
      selection.attempt = arguments.whole("attempt")
      if let step = selection.step {
        let logs = journal.directory.logs(of: record.id, steps: [step])
        let log = logs.last(where: selection.includes)
        selection.generation = selection.generation ?? log?.generation
        selection.attempt = selection.attempt ?? log?.attempt
      }
      var excerpt = LogExcerpt(
        from: arguments.whole("from"),
        count: arguments.whole("lines") ?? AgentTool.linesDefault, bytesMax: Self.bytesMax)
      try excerpt.read(selection, of: record, in: journal)
      return Self.result(excerpt, selection)
    }
  }

  private static func result(_ excerpt: LogExcerpt, _ selection: LogSelection) -> AgentResult {
    let (first, last, total) = (excerpt.first, excerpt.last, excerpt.total)
    var content: [String: Value] = [
      "text": .text(excerpt.text), "from": .number(Double(first)), "to": .number(Double(last)),
      "lines": .number(Double(total)),
    ]
    for (name, number) in [
      ("generation", selection.generation), ("attempt", selection.attempt),
    ] {
      if let number { content[name] = .number(Double(number)) }
    }
    let left = [
      first > 1 && total > 0 ? "lines 1 to \(min(first - 1, total))" : nil,
      last < total ? "lines \(last + 1) to \(total)" : nil,
    ].compactMap(\.self).joined(separator: " and ")
    if !left.isEmpty { content["left-out"] = .text(left) }
    let what = selection.generation.map { generation in
      "generation \(generation)" + (selection.attempt.map { ", attempt \($0)" } ?? "") + ": "
    }
    let title =
      last < first
      ? "no such lines; there are \(total)" : "lines \(first) to \(last) of \(total)"
    let rest = left.isEmpty ? "" : "; left out: \(left)"
    return AgentResult("\(what ?? "")\(title)\(rest)\n\n\(excerpt.text)", content)
  }

  // MARK: Controlling

  func restart(_ arguments: AgentArguments) async throws -> AgentResult {
    let (record, journal) = try await project.find(arguments.required("run"))
    guard record.status.isLive else {
      throw Problem("error: run \(record.id) has ended: \(record.status.rawValue); use resume")
    }
    // It may have been started a moment ago, and cannot be restarted before it begins.
    if record.status == .queued {
      await journal.waitForEnd(of: record.id, within: .seconds(2)) { $0.startedAt != nil }
    }
    let from = arguments.text("from").map { [$0] } ?? []
    let by = Requester.command("mcp")
    let request: ControlRequest =
      arguments.flag("reload")
      ? .reload(ReloadOptions(from: from), by: by) : .run(.restart(from: from), by: by)
    let answer = try await LiveRequest(request, of: record, in: journal).answer()
    return try await report(
      on: record.id.description, after: arguments, generation: answer.generation,
      saying: answer.description)
  }

  func cancel(_ arguments: AgentArguments) async throws -> AgentResult {
    let record = try await project.find(arguments.required("run")).record
    guard record.status != .interrupted else {
      throw Problem(
        "error: the engine of run \(record.id) has died; resume it, or let a person stop what is "
          + "left of it with: reprise cancel \(record.id)")
    }
    let steps = arguments.text("step").map { [$0] } ?? []
    let result = try await send(.cancel(steps: steps, now: false), arguments)
    try await waitUntilCarriedOut(arguments) { steps.isEmpty || steps.contains($0.id) }
    return result
  }

  func approve(_ arguments: AgentArguments) async throws -> AgentResult {
    guard project.allowsApprovals else {
      let step = arguments.text("step").map { " \($0)" } ?? ""
      throw Problem(
        "error: this server does not approve steps: it was started without --allow-approve; ask a "
          + "person to look at it, and to use: reprise approve \(arguments.required("run"))\(step)")
    }
    let result = try await send(
      .approve(
        step: arguments.text("step"), isApproved: !arguments.isFalse("approved"),
        values: arguments.texts("values")),
      arguments)
    let answered = result.content.members?["steps"]?.textsOfList ?? []
    try await waitUntilCarriedOut(arguments) { answered.contains($0.id) }
    return result
  }

  /// Waits a little until none of the steps that were answered or cancelled needs a person any more.
  ///
  /// What was asked for is carried out a moment later, and a `status` before that would not wait.
  private func waitUntilCarriedOut(
    _ arguments: AgentArguments, for isMeant: @escaping @Sendable (StepState) -> Bool
  ) async throws {
    let (record, journal) = try await project.find(arguments.required("run"))
    await journal.waitForEnd(of: record.id, within: .seconds(5)) { state in
      state.steps.allSatisfy { !$0.needsPerson || !isMeant($0) }
    }
  }

  private func send(
    _ intervention: Intervention, _ arguments: AgentArguments
  ) async throws -> AgentResult {
    let (record, journal) = try await project.find(arguments.required("run"))
    let requester = Requester.command("mcp", comment: arguments.text("comment"))
    let answer = try await LiveRequest(.run(intervention, by: requester), of: record, in: journal)
      .answer()
    var content: [String: Value] = [
      "run": .text(record.id.description), "text": .text(answer.description),
    ]
    if let steps = answer.steps { content["steps"] = Value(steps) }
    return AgentResult(TerminalSafe(lines: answer.description).string, content)
  }

  // MARK: Reports

  /// Waits as long as the arguments say, and reports what the run has come to.
  private func report(
    on run: String, after arguments: AgentArguments, generation: Int? = nil,
    saying text: String? = nil
  ) async throws -> AgentResult {
    let (record, journal) = try await project.find(run)
    let seconds = arguments.whole("wait") ?? AgentTool.waitDefault
    if seconds > 0 {
      await Self.wait(for: record.id, in: journal, seconds, generation)
    }
    let short = try await blocking { try Self.read(record.id, in: journal).short }
    let words = text.map { TerminalSafe(lines: $0).string + "\n\n" } ?? ""
    return AgentResult(words + short.text, Value(short).members ?? [:])
  }

  /// Waits until a run has ended or needs a person.
  ///
  /// What generations before the given one needed is over.
  private static func wait(
    for run: RunID, in journal: Journal, _ seconds: Int, _ generation: Int? = nil
  ) async {
    await journal.waitForEnd(of: run, within: .seconds(seconds)) { state in
      state.generation >= generation ?? 0 && state.steps.contains(where: \.needsPerson)
    }
  }

  /// Reads the reports on a run.
  static func read(
    _ id: RunID, in journal: Journal
  ) throws(JournalError) -> (report: RunReport, short: AgentReport) {
    let record = try journal.run(with: id)
    var report = try RunReport(record, try journal.events(of: record))
    report.files = journal.trace(of: id)
    return (report, AgentReport(report, in: journal))
  }
}

extension StepState {
  /// Whether the step waits for an approval.
  fileprivate var needsPerson: Bool { phase.isActive && approval != nil }
}

extension Value {
  /// The texts of a list.
  fileprivate var textsOfList: [String] {
    if case .list(let values) = self { values.compactMap(\.textOnly) } else { [] }
  }
}
