// Hints for values that an expression cannot have.

extension MissingValue {
  var hint: String? {
    switch self {
    case .parameterBeforeRun: "pass a fixed value in \"with\""
    case .runDirectory(nil): "set \"runFolders\" of the engine"
    case .runDirectory: nil
    case .hashBeforeRun, .filesBeforeRun: "use it in env or in cache.key"
    case .notText: "read it in the step itself"
    case .written(_, let names):
      names.isEmpty
        ? "it has not written any" : "it has written: " + names.joined(separator: ", ")
    case .output(_, _, let result, let left):
      switch result {
      case "failure": "it failed" + Self.elseHint
      case "cancelled": "it was cancelled" + Self.elseHint
      case "skipped": "it was skipped" + Self.elseHint
      default:
        left.isEmpty ? "it has no outputs" : "it has: " + left.joined(separator: ", ")
      }
    case .beforeRun(.item), .beforeRun(.index), .beforeRun(.matrix):
      "a step computes the items during the run; they can be used in env, exec, dir, if and with"
    case .beforeRun, .itemMember, .unknownParameter, .parameter, .nul, .secret, .step, .failed: nil
    }
  }

  private static let elseHint = "; for a default, write: … || 'something else'"
}
