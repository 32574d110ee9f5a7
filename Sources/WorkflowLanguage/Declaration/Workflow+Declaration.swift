// Workflows that are declared in Swift: they become a document and are read like a file, so that both mean the
// same and have the same errors.

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
  /// It means what the same workflow in a file means, and is checked like one: mistakes are told at the line of
  /// Swift where the step is declared. Linear in the number of steps.
  ///
  /// - Parameters:
  ///   - name: The name of the workflow.
  ///   - settings: Its settings.
  ///   - arguments: What the run is given.
  ///   - actions: What its steps may call; what they call is not checked when nil.
  ///   - file: Where it is declared, for messages.
  ///   - line: Where it is declared, for messages.
  ///   - steps: The steps, which run in their order.
  ///   - finally: Steps that run however the others ended.
  /// - Throws: ``WorkflowError`` with every mistake.
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
    reader.readers[0].adjust = { $0.moved(by: declaration) }
    do throws(WorkflowError) {
      self = try reader.workflow(from: declaration.document, defaultName: name)
    } catch {
      throw WorkflowError(
        diagnostics: error.diagnostics.map { $0.moved(by: declaration) },
        mistakeCount: error.mistakeCount)
    }
    warnings = warnings.map { $0.moved(by: declaration) }
    declared = Declared(text: declaration.text, stepsInSwift: declaration.idsOfWorks)
  }

  /// The text of a workflow file that declares the same.
  ///
  /// - Returns: The text; `Workflow(text:file:)` reads it.
  /// - Throws: ``NoWorkflowFile`` for a workflow that has steps of Swift code, or that was not declared in Swift.
  public func yaml() throws(NoWorkflowFile) -> String {
    guard let declared else { throw .wasNotDeclared(file: file) }
    guard declared.stepsInSwift.isEmpty else { throw .hasStepsInSwift(declared.stepsInSwift) }
    return declared.text
  }

  /// How a workflow was declared in Swift.
  struct Declared: Sendable, Equatable {
    var text: String
    var stepsInSwift: [String]
  }
}

/// Why a workflow cannot be written as a file.
public enum NoWorkflowFile: Error, Sendable, Equatable, CustomStringConvertible {
  /// These steps are Swift code.
  case hasStepsInSwift([String])
  /// It was read from this file, or put together of values.
  case wasNotDeclared(file: String?)

  /// The reason as a sentence without a full stop, and how to mend it.
  public var description: String {
    switch self {
    case .hasStepsInSwift(let ids):
      "a file cannot hold Swift code, as \(ids.map { "\"\($0)\"" }.joined(separator: ", ")) has it; "
        + "register it as an action, and call that"
    case .wasNotDeclared(let file?): "the workflow was read from \(file), which is its text"
    case .wasNotDeclared(nil): "the workflow was not declared with a list of steps"
    }
  }
}

extension Diagnostic {
  /// The same mistake at the place in Swift that its line comes from; those of other files stay.
  fileprivate func moved(by declaration: DeclarationText) -> Diagnostic {
    guard file.isEmpty, let place = declaration.place(ofLine: line) else { return self }
    var moved = self
    moved.file = place.file
    moved.line = place.line
    return moved
  }
}

extension DiagnosticKind {
  /// The same with the lines of Swift where it names other places.
  func moved(by declaration: DeclarationText) -> DiagnosticKind {
    func line(_ line: Int) -> Int { declaration.place(ofLine: line)?.line ?? line }
    switch self {
    case .duplicateID(let id, let first): return .duplicateID(id, line: line(first))
    case .yaml(.duplicateKey(let name, let first)):
      return .yaml(.duplicateKey(name, first: Mark(line: line(first.line), column: 0)))
    default: return self
    }
  }
}
