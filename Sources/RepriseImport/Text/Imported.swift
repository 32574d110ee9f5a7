// The result of an import: the text of a workflow file, and what differs from the original.

/// A remark about a part of the original that is not exactly the same in the workflow.
package struct ImportRemark: Sendable, Equatable {
  /// How much a part differs.
  package enum Weight: String, Sendable {
    /// It works in another way, or is not needed on one machine.
    case note
    /// It is missing, and must be written by hand.
    case missing
  }

  /// How much the part differs.
  package var weight: Weight
  /// The line of the part in the original, from 1; 0 if the remark is about the whole file.
  package var line: Int
  /// What differs.
  package var text: String
}

/// A workflow file made from a file of another tool.
package struct ImportedWorkflow: Sendable {
  /// How much of the original is in the workflow.
  package enum Verdict: String, Sendable {
    /// Everything, with the same meaning.
    case full
    /// Everything, with remarks.
    case withNotes = "with notes"
    /// Some parts are missing.
    case inPart = "in part"
  }

  /// The text of the workflow file, which has no errors.
  package var text: String
  /// What differs, in the order of the original.
  package var remarks: [ImportRemark]
  /// What would behave differently if it was copied, and has the same meaning in this workflow.
  package var differences: [ImportRemark]
  /// The number of steps that do something.
  package var stepCount: Int
  /// The files of other repositories that it uses, and that are not among the fetched ones yet.
  ///
  /// With their contents, the import is another one, and can want more. It is empty if nothing may be
  /// fetched.
  package var wanted: [OtherFile]

  /// How much of the original is in the workflow.
  package var verdict: Verdict {
    if remarks.contains(where: { $0.weight == .missing }) { return .inPart }
    return remarks.isEmpty ? .full : .withNotes
  }
}

/// The reason why a file cannot be imported.
package struct ImportError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The reason.
  package var description: String

  init(_ description: String) { self.description = description }
}
