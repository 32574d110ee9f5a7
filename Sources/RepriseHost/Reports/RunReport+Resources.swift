// What the steps of a run have used where runners ran them, beside what they had asked for.

import Reprise
package import RepriseTerminal

extension RunReport {
  /// The steps that runners have run, with what their last attempts have used.
  package var resources: TerminalSafe {
    let rows = state.steps.compactMap { resourceRow($0) }
    guard !rows.isEmpty else {
      return "nothing is known of what the steps of this run have used: only runners say it"
    }
    let head = ["STEP", "WHERE", "JOB", "WAITED", "RAN", "CPU", "OF CPUS", "MEMORY", "ASKED FOR"]
    return aligned([head] + rows)
  }

  private func resourceRow(_ step: StepState) -> [String]? {
    guard let placement = step.placement else { return nil }
    let asked = placement.place.asked
    let ran = step.startedAt.flatMap { start in step.endedAt.map { $0 - start } }
    var share = ""
    if let use = placement.use, let ran, ran > .zero,
      let processors = asked["cpus"].flatMap(Double.init)
    {
      share = "\(Int((use.processorTime / ran / processors * 100).rounded())) %"
    }
    return [
      state.title(of: step.id), placement.host ?? placement.place.runner,
      placement.place.job ?? "",
      step.startedAt.map { durationText($0 - placement.queuedAt) } ?? "",
      ran.map(durationText) ?? "", placement.use.map { durationText($0.processorTime) } ?? "",
      share, placement.use.map { bytesText($0.peakBytes) } ?? "",
      asked.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", "),
    ]
  }
}
