// Finds the line of a step in a workflow file, for editors.

import Reprise

/// Returns the path of a workflow file, and the line of a step in its current content.
///
/// - Parameters:
///   - step: The id of the step. For a step that was expanded, or that is in a used file, the line
///     is that of the step in this file.
///   - path: The path of the workflow file, as in `LoadedWorkflow.parse`.
/// - Returns: The path, and the line if the step is found.
package func workflowPlace(ofStep step: String, in path: String) -> (path: String, line: Int?) {
  let source = try? LoadedWorkflow.parse(path)
  return (source?.file ?? path, source?.line(ofStep: step))
}
