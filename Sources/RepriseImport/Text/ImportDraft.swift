// A translated workflow before it is checked and written.

/// A translated workflow before it is checked and written.
struct ImportDraft {
  /// The workflow.
  var root: Draft
  /// What differs from the original.
  var remarks: [ImportRemark]
  /// The number of steps that do something.
  var stepCount: Int
  /// What would behave differently if it was copied, and is translated with the same meaning.
  var differences: [ImportRemark] = []
  /// The files of other repositories that it uses, and that are not fetched yet.
  var wanted: [OtherFile] = []
}
