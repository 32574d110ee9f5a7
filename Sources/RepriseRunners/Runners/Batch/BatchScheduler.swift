// `BatchScheduler`: any scheduler, by three commands of a workflow file.

import Reprise

/// A scheduler by its commands.
struct BatchScheduler: JobScheduler {
  let rules: BatchRules
  /// Further words of the command that submits.
  var options: [String] = []
  let commands: SchedulerCommands

  var name: String { rules.name }

  func submit(_ job: NewJob) async throws(RunnerFailure) -> String {
    let words = command(job)
    let said = try await commands.adding(rules.variables).answer(of: words, submitting: job)
    // Also if the command was stopped after it had submitted the job.
    if said.status ?? 0 == 0, let number = rules.job.number(in: said.output) { return number }
    guard said.status == 0 else { throw failure(of: said) }
    throw .refused(
      "\(words[0]) has not said the number of the job where \"job\" expects it: "
        + said.wholeComplaint(of: words[0]))
  }

  private func command(_ job: NewJob) -> [String] {
    let values = [
      ("{name}", job.name), ("{log}", job.log), ("{folder}", job.folder), ("{script}", job.script),
    ]
    func filled(_ word: String) -> String {
      values.reduce(word) { $0.replacing($1.0, with: $1.1) }
    }
    return rules.submit.map(filled) + options + rules.script.map(filled)
  }

  /// What it means that the command that submits has not succeeded.
  private func failure(of answer: ProgramAnswer) -> RunnerFailure {
    let text = "\(rules.submit[0]): " + answer.wholeComplaint(of: rules.submit[0])
    func says(_ words: [String]) -> Bool { words.contains { text.contains($0) } }
    guard answer.status != nil, !says(rules.unreachable) else { return .cannotAsk(text) }
    return says(rules.limited) ? .full(text) : .refused(text)
  }

  /// A number as all commands of a scheduler show it: some add the name of a server to it.
  static func plain(_ number: String) -> String { String(number.prefix { $0 != "." }) }

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
      guard let fields = rules.line.fields(of: line), let number = fields[.job],
        let word = fields[.state]
      else { return nil }
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
    let words = rules.report.map { $0.replacing("{job}", with: job) }
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
