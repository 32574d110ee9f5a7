// Workflows declared in Swift. The same reader checks them and workflow files.

import WorkflowReading
import YAML

extension Workflow {
  /// Declares a workflow in Swift.
  ///
  ///     let workflow = try Workflow("coordinator") {
  ///       Step("step-1", run: "sleep 1")
  ///       Parallel {
  ///         Step("step-2-1", run: "sleep 2")
  ///         Step("step-2-2", run: "sleep 1")
  ///       }
  ///       Step("step-3", run: "sleep 1")
  ///     }
  ///
  /// The declaration has the same meaning as the equivalent workflow file and is checked in the
  /// same way; errors are reported at the line of Swift that declares the step. Linear in the
  /// number of steps.
  ///
  /// - Parameters:
  ///   - name: The name of the workflow.
  ///   - settings: The settings of the workflow.
  ///   - arguments: The arguments of the run.
  ///   - actions: The actions that steps may call; if nil, calls are not checked.
  ///   - file: The source file of the declaration, for messages.
  ///   - line: The source line of the declaration, for messages.
  ///   - steps: The steps, which run in order.
  ///   - finally: Steps that run at the end, regardless of the results of the others.
  /// - Throws: ``WorkflowError`` with every error.
  public init(
    _ name: String, _ settings: WorkflowSetting..., with arguments: Arguments = Arguments(),
    actions: ActionCatalog? = nil, file: StaticString = #fileID, line: Int = #line,
    @WorkflowBuilder steps: () -> [WorkflowItem],
    @WorkflowBuilder finally: () -> [WorkflowItem] = { [] }
  ) throws(WorkflowError) {
    let declaration = DeclarationText(
      name: name, settings, steps: steps(), finally: finally(), DeclarationPlace(file, line))
    let source = SourceText(Array(declaration.text.utf8))
    var reader = WorkflowReader(
      file: "", source: source, sources: .disk, arguments: arguments, actions: actions)
    reader.works = declaration.works
    reader.readers[0].lineInDeclaration = { declaration.place(ofLine: $0)?.line ?? $0 }
    do throws(WorkflowError) {
      self = try reader.workflow(from: declaration.document, defaultName: name)
    } catch {
      throw WorkflowError(
        diagnostics: error.diagnostics.map { $0.moved(by: declaration) },
        errorCount: error.errorCount)
    }
    warnings = warnings.map { $0.moved(by: declaration) }
    declared = Declared(text: declaration.text, stepsInSwift: declaration.closureStepIDs)
  }

  /// Returns the text of an equivalent workflow file.
  ///
  /// - Returns: Text that `Workflow(text:file:)` accepts.
  /// - Throws: ``WorkflowExportError`` if the workflow has steps with Swift code or was not declared in
  ///   Swift.
  public func yaml() throws(WorkflowExportError) -> String {
    guard let declared else { throw .wasNotDeclared(file: file) }
    guard declared.stepsInSwift.isEmpty else { throw .hasStepsInSwift(declared.stepsInSwift) }
    return declared.text
  }

  /// The text of the declaration in Swift, which calls closures by number; nil if there is none.
  package var declarationText: String? { declared?.text }
}

/// The reason why a workflow cannot be written as a file.
public enum WorkflowExportError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The steps with these ids are Swift code.
  case hasStepsInSwift([String])
  /// The workflow was read from this file, or was built from values if nil.
  case wasNotDeclared(file: String?)

  /// The reason and a suggestion, as a clause without a period.
  public var description: String {
    switch self {
    case .hasStepsInSwift(let ids):
      "a workflow file cannot contain Swift code: step "
        + ids.map { "\"\($0)\"" }.joined(separator: ", ")
        + "; register the code as an action and call it"
    case .wasNotDeclared(let file?): "the workflow was not declared in Swift but read from \(file)"
    case .wasNotDeclared(nil): "the workflow was not declared with a list of steps"
    }
  }
}

extension Diagnostic {
  /// Returns the diagnostic at the Swift source location of its line; unchanged for other files.
  fileprivate func moved(by declaration: DeclarationText) -> Diagnostic {
    guard file.isEmpty, let place = declaration.place(ofLine: line) else { return self }
    var moved = self
    moved.file = place.file
    moved.line = place.line
    return moved
  }
}
