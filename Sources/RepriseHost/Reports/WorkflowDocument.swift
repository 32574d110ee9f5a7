// A workflow file in lists for other programs: the page and agents.

import Reprise

/// A workflow of the project, and what a form for its parameters needs.
package struct WorkflowDocument: Encodable {
  private let name: String
  private let path: String
  private let description: String?
  private let params: [PlannedValue]
  private let error: String?

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - name: The argument of `reprise run` that selects it.
  package init(path: String, name: String) {
    self.name = name
    self.path = path
    do {
      let workflow = try LoadedWorkflow.parse(path)
        .workflow(with: Arguments(allowsMissing: true), actions: nil)
      description = workflow.description
      params = workflow.parameters.map { PlannedValue($0) }
      error = nil
    } catch {
      (description, params) = (nil, [])
      let count = (error as? WorkflowError)?.diagnostics.count ?? 1
      self.error = "\(countText(count, "error")); see reprise validate \(name)"
    }
  }
}
