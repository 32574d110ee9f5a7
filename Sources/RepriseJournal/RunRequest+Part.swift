// The file of a run, and the workflow in it, if the file has several.

extension RunRequest {
  /// The option with the name of the workflow under `workflows` of its file.
  package static let optionOfPart = "part"

  /// The name of the workflow under `workflows` of its file; nil for the file itself.
  package var part: String? { options[Self.optionOfPart] }

  /// The path of the file, without the name of the workflow in it.
  ///
  /// `file` has both, as in `ci.yaml#release`, because runs of different workflows are compared by
  /// it.
  package var path: String {
    guard let part, file.hasSuffix("#" + part) else { return file }
    return String(file.dropLast(part.count + 1))
  }
}
