// Imports short files, and checks each result as `reprise validate` would.

import RepriseImport
import Testing
import WorkflowFiles

/// Imports a text and checks that the result has no errors.
func imported(
  _ text: String, from format: ImportFormat = .github, path: String = "ci.yml",
  files: [String: String] = [:], others: [OtherFile: OtherFile.Answer]? = nil
) throws -> ImportedWorkflow {
  let folder = ImportFolder(
    read: { files[$0].map { Array($0.utf8) } },
    names: { folder in
      let start = folder == "." ? "" : folder + "/"
      return files.keys.filter { $0.hasPrefix(start) }.map { path in
        let rest = path.dropFirst(start.count)
        return rest.firstIndex(of: "/").map { String(rest[...$0]) } ?? String(rest)
      }
    }, system: "Linux", architecture: "x86_64", others: others)
  let workflow = try ImportedWorkflow(
    Array(text.utf8), from: format, path: path, folder: folder)
  try checkWorkflows(in: workflow.text)
  return workflow
}

/// Checks all workflows of a file.
func checkWorkflows(in text: String) throws {
  let file = WorkflowText(Array(text.utf8), file: "ci.yaml")
  for part in (file.hasOnlyParts ? [] : [nil]) + file.namesOfParts {
    _ = try WorkflowText(Array(text.utf8), file: "ci.yaml", part: part)
      .workflow(with: Arguments(allowsMissing: true), actions: nil)
  }
}

/// Imports a job with these steps.
func importedSteps(
  _ steps: String, job: String = "", files: [String: String] = [:]
) throws -> ImportedWorkflow {
  let indented = steps.split(separator: "\n").map { "      \($0)" }.joined(separator: "\n")
  return try imported(
    "on: push\njobs:\n  build:\n    runs-on: ubuntu-latest\n\(job)    steps:\n\(indented)\n",
    files: files)
}

/// A composite action with inputs and an output, and a last step.
func compositeAction(last step: String) -> String {
  """
  inputs: { what: { default: all }, mode: {} }
  outputs: { file: { value: "${{ steps.find.outputs.path }}" } }
  runs:
    using: composite
    steps:
      - { id: find, shell: bash, run: "make ${{ inputs.what }} ${{ inputs.mode }}" }
      - \(step)
  """
}
