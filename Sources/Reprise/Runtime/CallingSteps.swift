// The steps of other runs that this process runs in, by the variables that they pass on.

import Platform

/// The steps within which this process runs: none of them ends before it does, if they wait for it.
///
/// A run that is started within a step must not wait for that step, nor for its run.
package struct CallingSteps: Sendable, Equatable {
  /// The variable with all but the innermost of them: a line for each, with the run and the step.
  static let variable = "REPRISE_CALLERS"
  private static let run = "REPRISE_RUN_ID"
  private static let step = "REPRISE_STEP_ID"

  /// The steps, outermost first.
  private let lines: [String]

  /// Reads the variables.
  ///
  /// - Parameter value: Returns the value of a variable.
  init(_ value: (String) -> String?) {
    var lines = (value(Self.variable) ?? "").split(separator: "\n").map(String.init)
    if let run = value(Self.run) { lines.append("\(run) \(value(Self.step) ?? "")") }
    self.lines = lines
  }

  /// Reads the variables of this process.
  package init() { self.init(environmentVariable) }

  /// The value of the variable for the steps of this process; nil if there are none.
  var text: String? { lines.isEmpty ? nil : lines.joined(separator: "\n") }

  /// The ids of their runs.
  package var runs: [String] {
    lines.compactMap { $0.split(separator: " ").first.map(String.init) }
  }

  /// Their descriptions, as those of steps that hold places of a pool.
  var holders: Set<String> {
    Set(
      lines.compactMap { line in
        guard let space = line.firstIndex(of: " ") else { return nil }
        return Self.holder(String(line[line.index(after: space)...]), of: String(line[..<space]))
      })
  }

  /// Returns whether places are held by one of these steps, or by a group of one of their runs, which
  /// may be around the step.
  func hold(placesOf holder: String) -> Bool {
    holders.contains(holder)
      || runs.contains { holder.hasPrefix("group ") && holder.hasSuffix(" of run \($0)") }
  }

  /// Describes a group that holds places of a pool.
  static func holder(ofGroup group: String, of run: String) -> String {
    "group \"\(group)\" of run \(run)"
  }

  /// Describes a step that holds places of a pool.
  static func holder(_ step: String, of run: String) -> String {
    "step \"\(step)\" of run \(run)"
  }
}
