// Which recorded output to print, and how: the options of `reprise logs`.

package import Reprise
import RepriseJournal

/// A selection of the output of a run.
package struct LogSelection: Sendable {
  /// The id of the step; nil for all steps.
  package var step: String?
  /// The generation; nil for all.
  package var generation: Int?
  /// The attempt; nil for all.
  package var attempt: Int?
  /// The number of lines at the end; nil for all.
  package var tail: Int?
  /// The earliest time of a line; nil for all.
  package var since: Timestamp?
  /// Whether to include only steps that have failed.
  package var onlyFailed = false
  /// Whether each line begins with its time.
  package var hasTimestamps: Bool

  /// Creates a selection of all output.
  ///
  /// - Parameters:
  ///   - step: The id of the step; nil for all steps, with each line prefixed with its step.
  ///   - hasTimestamps: Whether each line begins with its time; nil for the default: unless there
  ///     is a step.
  package init(step: String? = nil, hasTimestamps: Bool? = nil) {
    self.step = step
    self.hasTimestamps = hasTimestamps ?? (step == nil)
  }

  /// Whether lines are prefixed with their steps.
  var hasSteps: Bool { step == nil }

  /// Whether marks separate generations and attempts.
  ///
  /// The output of one step is unchanged, for other programs.
  var hasMarks: Bool { step == nil || hasTimestamps }

  /// Whether the times of lines matter.
  var needsTimes: Bool { step == nil || hasTimestamps || since != nil }

  func includes(_ log: LogFile) -> Bool {
    (generation ?? log.generation) == log.generation && (attempt ?? log.attempt) == log.attempt
  }

  /// Returns the time that `--since` names.
  ///
  /// - Parameters:
  ///   - text: An age such as `10m`, or a local time such as `2026-11-21 03:04`, of which the end
  ///     may be missing; with `Z` at its end, it is in UTC.
  ///   - now: The current time.
  ///   - offset: Returns the offset of local time from UTC at a moment.
  /// - Returns: The time; nil if the text is neither.
  package static func since(
    _ text: String, now: Timestamp, offset: (Timestamp) -> Duration
  ) -> Timestamp? {
    if let age = Duration(workflowText: text) { return now.advanced(by: .zero - age) }
    let template = "0000-00-00T00:00:00.000000Z"
    let isUTC = text.hasSuffix("Z")
    let given = (isUTC ? text.dropLast() : text[...]).replacing(" ", with: "T")
    guard given.count >= "2026-11-21".count, given.count < template.count,
      let time = Timestamp(String(given) + String(template.dropFirst(given.count)))
    else { return nil }
    return isUTC ? time : time.advanced(by: .zero - offset(time))
  }
}
