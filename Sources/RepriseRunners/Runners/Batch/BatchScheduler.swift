// `BatchScheduler`: any scheduler, by three commands of a workflow file.

import Reprise

/// A scheduler by its commands.
struct BatchScheduler: ArrayScheduler {
  let rules: BatchRules
  /// Further words of the command that submits.
  var options: [String] = []
  let commands: SchedulerCommands

  var name: String { rules.name }

  func submit(_ job: NewJob) async throws(RunnerFailure) -> String {
    let isElement = rules.array != nil && rules.line.has(.index)
    switch try await numbers(of: job, elements: isElement ? 1 : nil) {
    case .success(let numbers): return numbers[0]
    case .failure(.failure(let failure)): throw failure
    case .failure(.tooMany): throw .refused("\(rules.submit[0]) does not take an array of one job")
    }
  }

  var arrayGroup: String? {
    rules.array.map { (rules.submit + $0.submit + options).joined(separator: "\u{0}") }
  }

  var arrayVariables: [String] { rules.array.map { [$0.variable] + $0.others } ?? [] }

  func submit(
    _ job: NewJob, elements count: Int
  ) async throws(RunnerFailure) -> Result<[String], Submission.Refusal> {
    try await numbers(of: job, elements: count)
  }

  /// Submits a job, or an array of some elements.
  private func numbers(
    of job: NewJob, elements count: Int?
  ) async throws(RunnerFailure) -> Result<[String], Submission.Refusal> {
    let words = command(job, elements: count)
    let array = count == nil ? nil : rules.array
    let said = try await commands.adding(rules.variables).answer(of: words, submitting: job)
    // Also if the command was stopped after it had submitted the job.
    if said.status ?? 0 == 0, let number = (array?.job ?? rules.job).number(in: said.output) {
      guard let array, let count else { return .success([number]) }
      return .success((1...count).map { array.number(of: number, "\($0)") })
    }
    guard said.status == 0 else {
      let text = said.wholeComplaint(of: words[0])
      guard said.status == nil || array?.limited?.contains(where: text.contains) != true else {
        return .failure(.tooMany)
      }
      throw failure(of: said)
    }
    throw .refused(
      "\(words[0]) has not said the number of the job where \"job\" expects it: "
        + said.wholeComplaint(of: words[0]))
  }

  private func command(_ job: NewJob, elements count: Int?) -> [String] {
    let values = [
      ("{name}", job.name), ("{log}", job.log), ("{folder}", job.folder), ("{script}", job.script),
      ("{count}", "\(count ?? 1)"),
    ]
    func filled(_ word: String) -> String {
      values.reduce(word) { $0.replacing($1.0, with: $1.1) }
    }
    let array = count == nil ? [] : rules.array?.submit ?? []
    let hasScript = (rules.submit + array).contains { $0.contains("{script}") }
    return (rules.submit + array).map(filled) + options
      + (hasScript ? [] : rules.script.map(filled))
  }

  /// What it means that the command that submits has not succeeded.
  private func failure(of answer: ProgramAnswer) -> RunnerFailure {
    let text = "\(rules.submit[0]): " + answer.wholeComplaint(of: rules.submit[0])
    func says(_ words: [String]) -> Bool { words.contains { text.contains($0) } }
    guard answer.status != nil, !says(rules.unreachable) else { return .cannotAsk(text) }
    return says(rules.limited) ? .full(text) : .refused(text)
  }

  /// Returns what is compared of a number: some commands add the name of a server to it, or a process.
  var comparing: @Sendable (String) -> String {
    if let array = rules.array, array.number(of: "", "").contains(".") { return { $0 } }
    return { number in String(number.prefix { $0 != "." }) }
  }

  func jobs(within limit: Duration) async throws(RunnerFailure) -> [SchedulerJob] {
    // Jobs are known by their numbers, so those of other users do no harm.
    let user = commands.environment["USER"] ?? commands.environment["LOGNAME"] ?? "*"
    let words = rules.status.map { $0.replacing("{user}", with: user) }
    let answer = try await commands.answer(of: words, within: limit)
    if answer.status != 0 {
      let text = answer.errors + answer.output
      guard answer.status != nil, rules.none.contains(where: text.contains) else {
        throw .cannotAsk("\(words[0]): " + answer.wholeComplaint(of: words[0]))
      }
      return []
    }
    return answer.output.split(whereSeparator: \.isNewline).compactMap { line in
      guard let fields = rules.line.fields(of: line), var number = fields[.job],
        let word = fields[.state]
      else { return nil }
      if let index = fields[.index], let array = rules.array {
        number = array.number(of: number, index)
      }
      let state = rules.states[word]
      // A word that is not known says nothing; it is shown, and the job counts as there.
      let unknown = state == nil ? "unknown state \(word)" : ""
      let reason = fields[.reason] ?? ""
      return SchedulerJob(
        number, state?.phase ?? .queued, state: word,
        reason: ["", "None"].contains(reason) ? unknown : reason,
        cause: state?.cause ?? cause(in: reason))
    }
  }

  /// What a text says about the end of a job; nil if it has none of the known parts.
  private func cause(in text: String) -> LossCause? {
    // The longest part is the most exact one; of equal ones, always the same.
    rules.causes.filter { text.contains($0.key) }
      .max { ($0.key.count, $1.key) < ($1.key.count, $0.key) }?.value
  }

  func end(
    ofJob job: String, within limit: Duration
  ) async throws(RunnerFailure) -> AttemptEnd? {
    guard !rules.report.isEmpty else { return nil }
    let fields = rules.array?.element.fields(of: job) ?? [:]
    let words = rules.report.map {
      $0.replacing("{job}", with: fields[.job] ?? job)
        .replacing("{index}", with: fields[.index] ?? "")
    }
    let answer = try await commands.answer(of: words, within: limit)
    guard answer.status == 0 else {
      throw .cannotAsk("\(words[0]): " + answer.wholeComplaint(of: words[0]))
    }
    for line in answer.output.split(whereSeparator: \.isNewline) {
      guard let cause = cause(in: String(line)) else { continue }
      let text = line.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      return AttemptEnd("\(name) ended its job: \(text)", cause: cause)
    }
    return nil
  }

  func cancel(_ jobs: [String], within limit: Duration) async throws(RunnerFailure) {
    let answer = try await commands.answer(of: rules.cancel + jobs, within: limit)
    guard answer.status != 0 else { return }
    throw .cannotAsk("\(rules.cancel[0]): " + answer.wholeComplaint(of: rules.cancel[0]))
  }

  func removal(of jobs: [String]) -> String { (rules.cancel + jobs).joined(separator: " ") }
}
