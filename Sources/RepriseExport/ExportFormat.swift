// The formats of other workflow engines to which a workflow can be exported.

package import Workflows

/// A format of another workflow engine.
package enum ExportFormat: String, Sendable, CaseIterable {
  /// A manifest for Argo Workflows.
  case argo
  /// A Python file that defines a DAG for Apache Airflow.
  case airflow
}

/// Returns the program that runs a script, with its arguments.
package typealias ScriptCommand = (_ shell: Shell, _ script: String) -> [String]

extension Workflow {
  /// Translates the workflow to the format of another engine.
  ///
  /// Everything is translated or refused; nothing is left out silently, except texts for people.
  /// Parameters have the values with which the workflow was read. Linear in steps and needs.
  ///
  /// - Parameters:
  ///   - format: The format.
  ///   - image: With ``ExportFormat/argo``, the image for steps without a runner; nil to refuse them.
  ///   - command: Returns the program that runs a script, with its arguments.
  /// - Returns: The text without a line feed at the end, or every part that cannot be expressed.
  package func exported(
    as format: ExportFormat, image: String? = nil, running command: @escaping ScriptCommand
  ) -> Result<String, ExportRefusals> {
    var reader = ExportReader(self, running: command)
    reader.readWorkflow()
    reader.readSteps()
    var refusals = reader.refusals
    let text: String
    switch format {
    case .argo:
      var export = ArgoExport(reader.steps, refusals, image: image)
      text = export.text()
      refusals = export.refusals
    case .airflow:
      var export = AirflowExport(reader.steps, refusals)
      text = export.text()
      refusals = export.refusals
    }
    guard !refusals.all.isEmpty else { return .success(text) }
    let places = RefusalPlaces(self)
    return .failure(ExportRefusals(all: places?.sorted(refusals.all) ?? refusals.all))
  }
}
