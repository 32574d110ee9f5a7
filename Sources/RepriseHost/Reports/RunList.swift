// The list of runs: `reprise runs`.

package import Reprise
package import RepriseJournal
package import RepriseTerminal

/// A list of runs.
package struct RunList {
  private let runs: [(record: RunRecord, activity: RunActivity?)]
  /// The steps that may go on after the death of the engine, by run.
  private let surviving: [RunID: [String]]
  private let now: Timestamp

  /// Creates a list.
  ///
  /// - Parameters:
  ///   - runs: The runs.
  ///   - now: The current time, for runs that have not ended.
  ///   - state: Returns the state of a running or interrupted run; nil if it cannot be read.
  package init(
    _ runs: some Sequence<RunRecord>, now: Timestamp = SystemClock().now,
    state: (RunRecord) -> RunState?
  ) {
    self.now = now
    var surviving: [RunID: [String]] = [:]
    self.runs = runs.map { run in
      if run.status == .interrupted {
        surviving[run.id] = state(run)?.survivingAttempts.map(\.step)
      }
      return (run, run.status == .running ? state(run).map { RunActivity($0) } : nil)
    }
    self.surviving = surviving
  }

  /// One JSON object for each run.
  package var jsonLines: [TerminalSafe] {
    runs.map { jsonLine(RunLine($0.record, $0.activity, now, surviving[$0.record.id] ?? [])) }
  }

  /// The list as a table.
  package var table: TerminalSafe {
    guard !runs.isEmpty else { return "No matching runs." }
    let rows = runs.map { run, activity in
      let state = activity?.stateWords ?? run.status.rawValue
      let time = (run.took ?? run.elapsed(at: now)).map(durationText) ?? ""
      let left = surviving[run.id]?.prefix(3).map { "\($0) may go on" }.joined(separator: ", ")
      return [
        run.id.description, abridged(run.request.workflow),
        run.generation > 1 ? "\(state) (\(run.generation))" : state, localTime(run.requestedAt),
        time, activity?.words ?? left ?? "",
      ]
    }
    return aligned([["RUN", "WORKFLOW", "STATE", "REQUESTED", "TOOK", ""]] + rows)
  }
}

/// A run in the JSON output.
package struct RunLine: Encodable, Equatable {
  /// The id of the run.
  package let id: String
  private let workflow: String
  private let file: String
  private let directory: String
  /// The status of the run.
  package let status: RunStatus
  private let generation: Int
  private let process: Int
  /// The time at which the run was requested.
  package let started: Timestamp
  private let ended: Timestamp?
  private var seconds: Double?
  private let running: [String]?
  private let awaitingApproval: [String]?
  private let surviving: [String]?

  private enum CodingKeys: String, CodingKey {
    case id, workflow, file, directory, status, generation, process, started, ended, seconds
    case running, surviving
    case awaitingApproval = "awaiting-approval"
  }

  /// The output without the elapsed time of a live run, which changes all the time.
  package var withoutClock: RunLine {
    var line = self
    if status.isLive { line.seconds = nil }
    return line
  }

  /// Creates the output of a run.
  ///
  /// - Parameters:
  ///   - run: The run.
  ///   - state: The state of the run, if it is running or interrupted.
  ///   - now: The current time, for a run that has not ended.
  package init(_ run: RunRecord, state: RunState?, now: Timestamp) {
    self.init(
      run, run.status == .running ? state.map { RunActivity($0) } : nil, now,
      run.status == .interrupted ? state?.survivingAttempts.map(\.step) ?? [] : [])
  }

  init(
    _ run: RunRecord, _ activity: RunActivity?, _ now: Timestamp, _ surviving: [String] = []
  ) {
    self.surviving = surviving.isEmpty ? nil : surviving
    id = run.id.description
    workflow = run.request.workflow
    file = run.request.file
    directory = run.request.directory
    status = run.status
    generation = run.generation
    process = run.process
    started = run.requestedAt
    ended = run.endedAt
    seconds = (run.took ?? run.elapsed(at: now)).map { $0 / .seconds(1) }
    running = activity?.running
    awaitingApproval = activity?.awaitingApproval
  }
}
