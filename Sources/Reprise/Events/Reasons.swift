// The causes and outcomes that events report: `FailureReason`, `CancellationCause`, `RunOutcome`.

import Platform
public import Workflows

/// The reason that a step failed.
public enum FailureReason: Sendable, Equatable, Error {
  /// The process exited with a status other than 0.
  case exited(status: Int)
  /// The process was terminated by a signal that Reprise did not send.
  case signalled(signal: Int)
  /// The step exceeded its `timeout` and was stopped.
  case timedOut(after: Duration)
  /// The step could not be started; the text says why and how to fix it.
  case notStarted(String)
  /// The action succeeded, but the outputs are invalid; the text says which and why.
  ///
  /// Either the file named by `REPRISE_OUTPUT` cannot be parsed, or the step did not create a file
  /// that `cache.makes` names.
  case badOutputs(String)
  /// A value of the step could not be computed; the text says which and why.
  case badValue(String)
  /// The approval was refused.
  case rejected
  /// An in-process step threw an error; the text describes it.
  case threw(String)
  /// The attempt was ended from outside, or nothing is left of it where it ran; the text says why.
  ///
  /// With what has ended it, and the exit status of its process, as far as they are known.
  case lost(String, cause: LossCause? = nil, status: Int? = nil)
  /// What was expected of the step did not happen; the text says what.
  ///
  /// The condition of `repeat` of a group is not met, which runs again until the last round, an approval
  /// was not given in time, or a service is not alive, or starts again on request.
  case unmet(String)
}

/// The cause that stopped a step before it could succeed or fail.
public enum CancellationCause: Sendable, Equatable {
  /// Cancellation of the run, or of this step alone, was requested.
  case request
  /// The run was restarted from the top, or from a step that this one depends on.
  case restart
  /// A step that this one needs, directly or indirectly, failed; with `fail-fast`, any step.
  case failure(ofStep: String)
  /// A step that this one needs, directly or indirectly, was cancelled on request.
  case cancellation(ofStep: String)
  /// The run exceeded the workflow's `timeout`.
  case runTimedOut
  /// Reprise itself could not continue, for this reason, such as a full disk.
  case abandoned(String)
  /// The engine of the run has ended before the run: its program has interrupted the run
  /// (``Run/interrupt()``), or has died.
  case interrupted
}

/// The outcome of a run.
public enum RunOutcome: Sendable, Equatable {
  /// Every step succeeded or was skipped.
  case succeeded
  /// The condition of the workflow was not met, so no step ran; the text is the condition.
  case skipped(String)
  /// At least one step failed; `step` is the first one that did.
  case failed(step: String, reason: FailureReason)
  /// The run was cancelled on request.
  case cancelled
  /// The program of the run has stopped it, to resume it later: ``Run/interrupt()``.
  case interrupted
  /// The run exceeded the workflow's `timeout`.
  case timedOut(after: Duration)
  /// Reprise itself could not continue, for this reason. Recorded events stay recorded.
  case abandoned(String)
}

extension FailureReason {
  /// The exit status of the process, as shells see it: 128 and the number of the signal that has ended
  /// it; nil if it has none.
  package var exitStatus: Int? {
    switch self {
    case .exited(let status): status
    case .signalled(let signal): 128 + signal
    case .lost(_, _, let status): status
    case .timedOut, .notStarted, .badOutputs, .badValue, .rejected, .threw, .unmet: nil
    }
  }

  /// What has ended the attempt from outside, or its own limit of time; nil for other failures.
  package var lossCause: LossCause? {
    switch self {
    case .lost(_, let cause, _): cause
    case .timedOut: .timeLimit
    case .exited, .signalled, .notStarted, .badOutputs, .badValue, .rejected, .threw, .unmet: nil
    }
  }
}

/// An output stream of a step.
public enum OutputChannel: String, Sendable, Codable, CaseIterable {
  /// Standard output; `stdout` in records and events.
  case standardOutput = "stdout"
  /// Standard error; `stderr` in records and events.
  case standardError = "stderr"
}

/// The outputs of a step, by name.
public typealias StepOutputs = [String: String]

// MARK: The tables

extension FailureReason: CodedCases {
  static let byName = named([
    .exited(status: 0), .signalled(signal: 0), .timedOut(after: .zero), .notStarted(""),
    .badOutputs(""), .badValue(""), .rejected, .threw(""), .lost(""), .unmet(""),
  ])

  var row: CaseRow<Self> {
    switch self {
    case .exited(let status):
      CaseRow("exited", "exited with status \(status)") {
        .exited(status: try $0.value("status", status))
      }
    case .signalled(let signal):
      CaseRow("signalled", "terminated by \(signalName(signal))") {
        .signalled(signal: try $0.value("signal", signal))
      }
    case .timedOut(let duration):
      CaseRow("timed-out", "timed out after \(durationText(duration))") {
        .timedOut(after: try $0.seconds(duration))
      }
    case .notStarted(let text):
      CaseRow("not-started", "could not start: \(text)") { .notStarted(try $0.value("text", text)) }
    case .badOutputs(let text):
      CaseRow("bad-outputs", "invalid outputs: \(text)") {
        .badOutputs(try $0.value("text", text))
      }
    case .badValue(let text): CaseRow("bad-value", text) { .badValue(try $0.value("text", text)) }
    case .rejected: CaseRow("rejected", "was not approved", self)
    case .threw(let text):
      CaseRow("threw", "threw an error: \(text)") { .threw(try $0.value("text", text)) }
    case .lost(let text, let cause, let status):
      CaseRow("lost", "was lost: \(text)") {
        .lost(
          try $0.value("text", text), cause: try $0.value("cause", cause, default: nil),
          status: try $0.value("status", status, default: nil))
      }
    case .unmet(let text): CaseRow("unmet", text) { .unmet(try $0.value("text", text)) }
    }
  }
}

extension CancellationCause: CodedCases {
  static let byName = named([
    .request, .restart, .failure(ofStep: ""), .cancellation(ofStep: ""), .runTimedOut,
    .abandoned(""), .interrupted,
  ])

  var row: CaseRow<Self> {
    switch self {
    case .request: CaseRow("request", "on request", self)
    case .restart: CaseRow("restart", "for a restart", self)
    case .failure(let step):
      CaseRow("failure", "because step \"\(step)\" failed") {
        .failure(ofStep: try $0.value("step", step))
      }
    case .cancellation(let step):
      CaseRow("cancellation", "because step \"\(step)\" was cancelled") {
        .cancellation(ofStep: try $0.value("step", step))
      }
    case .runTimedOut: CaseRow("run-timed-out", "because the run timed out", self)
    case .abandoned(let text):
      CaseRow("abandoned", "because Reprise could not continue: \(text)") {
        .abandoned(try $0.value("text", text))
      }
    case .interrupted: CaseRow("interrupted", "because it was interrupted", self)
    }
  }
}

extension RunOutcome: CodedCases {
  static let byName = named([
    .succeeded, .skipped(""), .failed(step: "", reason: .rejected), .cancelled,
    .interrupted, .timedOut(after: .zero), .abandoned(""),
  ])

  var row: CaseRow<Self> {
    switch self {
    case .succeeded: CaseRow("succeeded", "succeeded", self)
    case .skipped(let text):
      CaseRow("skipped", "skipped: \(text)") { .skipped(try $0.value("text", text)) }
    case .failed(let step, let reason):
      CaseRow("failed", "step \"\(step)\" failed: \(reason)") {
        .failed(step: try $0.value("step", step), reason: try $0.value("reason", reason))
      }
    case .cancelled: CaseRow("cancelled", "cancelled", self)
    case .interrupted: CaseRow("interrupted", "interrupted", self)
    case .timedOut(let duration):
      CaseRow("timed-out", "timed out after \(durationText(duration))") {
        .timedOut(after: try $0.seconds(duration))
      }
    case .abandoned(let text):
      CaseRow("abandoned", "abandoned: \(text)") { .abandoned(try $0.value("text", text)) }
    }
  }
}

/// Returns the name of a signal with its number, such as `SIGTERM (15)`.
///
/// - Parameter signal: The number. Those from 1 to 15 have the same names on Linux and Darwin,
///   except 7, 10 and 12, for which no name is returned.
/// - Returns: The name, or `signal N`.
package func signalName(_ signal: Int) -> String {
  let names = [
    1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 8: "SIGFPE",
    9: "SIGKILL", 11: "SIGSEGV", 13: "SIGPIPE", 14: "SIGALRM", 15: "SIGTERM",
  ]
  return names[signal].map { "\($0) (\(signal))" } ?? "signal \(signal)"
}

/// Formats a duration for people: `350 ms`, `1.2 s`, `2 m 05 s`, `1 h 02 m`.
///
/// - Parameter duration: The duration; negative ones are shown as `0 ms`.
/// - Returns: The text.
package func durationText(_ duration: Duration) -> String {
  let (wholeSeconds, attoseconds) = duration.components
  let milliseconds = max(0, wholeSeconds * 1000 + attoseconds / 1_000_000_000_000_000)
  let seconds = milliseconds / 1000
  func twoDigits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
  return switch milliseconds {
  case ..<1000: "\(milliseconds) ms"
  case ..<60_000: "\(seconds).\(milliseconds % 1000 / 100) s"
  case ..<3_600_000: "\(seconds / 60) m \(twoDigits(seconds % 60)) s"
  default: "\(seconds / 3600) h \(twoDigits(seconds / 60 % 60)) m"
  }
}

extension RunOutcome {
  /// The exit status of a tool that ends with this outcome, as of the command `reprise`.
  ///
  /// 0 if the run succeeded or its condition was not met, 1 if a step failed, 3 if the run timed out,
  /// 4 if it was abandoned, 130, as after Ctrl-C, if it was cancelled, and 143, as after SIGTERM, if it
  /// was interrupted; ``Run/exitStatus`` also says which signal has cancelled it.
  public var exitStatus: Int32 {
    switch self {
    case .succeeded, .skipped: 0
    case .failed: 1
    case .timedOut: 3
    case .abandoned: 4
    case .cancelled: 128 + SignalNumber.interrupt
    case .interrupted: 128 + SignalNumber.terminate
    }
  }
}

extension RunOutcome {
  /// Whether nothing went wrong: the run succeeded, or its condition was not met.
  package var isSuccess: Bool {
    switch self {
    case .succeeded, .skipped: true
    case .failed, .cancelled, .interrupted, .timedOut, .abandoned: false
    }
  }
}
