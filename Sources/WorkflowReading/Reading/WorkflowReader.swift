// What has been read of a workflow file and of the files that it uses.

package import Workflows
package import YAML

/// A reader for a workflow file and the files that it uses, which reports all errors at once.
package struct WorkflowReader {
  /// A need of a step, as it was read.
  package enum Need: Equatable {
    /// A step of the graph, by its position.
    case step(Int)
    /// A name in a file, by its position in `needNames`.
    case name(Int)
  }

  /// A name under `needs`.
  package struct NeedName {
    let text: String
    /// The place of the name.
    let mark: Mark
    let length: Int
    let scope: Int
    let file: Int
    /// What is expected of the step; nil if it is one of several of which one is enough.
    let result: ExpectedResult?

    package init(
      text: String, mark: Mark, length: Int, scope: Int, file: Int, result: ExpectedResult?
    ) {
      (self.text, self.mark, self.length) = (text, mark, length)
      (self.scope, self.file, self.result) = (scope, file, result)
    }
  }

  /// The place and the step of an id.
  package struct Place {
    /// The place of the id.
    package let mark: Mark
    /// The position of the step.
    ///
    /// Only valid for a single step without errors; otherwise another step may have this position.
    let step: Int

    package init(mark: Mark, step: Int) {
      (self.mark, self.step) = (mark, step)
    }
  }

  /// The needs of a step as they were read, and its place for messages.
  package struct Draft {
    var needs: [Need]
    let file: Int
    /// The place of the id.
    let mark: Mark
    let length: Int

    package init(needs: [Need], file: Int, mark: Mark, length: Int) {
      (self.needs, self.file, self.mark, self.length) = (needs, file, mark, length)
    }
  }

  /// A template to check after all steps have been read.
  package struct Check {
    let template: Template
    let node: Node
    let place: ExpressionPlace
    let file: Int
    let scope: Int
    let bindings: Bindings?
    /// The position of the step, whose needs must include the steps that the template refers to.
    let draft: Int?
  }

  /// The undoing of a step, which is read after all other steps.
  package struct Undo {
    /// The keys of its step.
    package let fields: Fields
    /// The id of that step in its file.
    package let id: String
    /// The name of that step for displays; nil if it has none.
    package let name: String?
    package let context: Context
    /// Whether that step computes items, and steps of its template are undone.
    package var isOfItems = false

    package init(
      fields: Fields, id: String, name: String?, context: Context, isOfItems: Bool = false
    ) {
      (self.fields, self.id, self.name) = (fields, id, name)
      (self.context, self.isOfItems) = (context, isOfItems)
    }
  }

  /// A step with computed items, whose template was read as if there were one item.
  package struct FoldedFan {
    /// The position of the step that computes the items.
    package let draft: Int
    /// The scope that declares it, and its name there.
    let scope: Int
    let name: String
    /// The layout of the template.
    package let outline: Outline
    /// The last steps of the template.
    package var ends: [String]
    /// The scopes of the template, and its groups.
    package let scopes: Range<Int>
    package let groups: Range<Int>

    package init(
      draft: Int, scope: Int, name: String, outline: Outline, ends: [String], scopes: Range<Int>,
      groups: Range<Int>
    ) {
      (self.draft, self.scope, self.name, self.outline) = (draft, scope, name, outline)
      (self.ends, self.scopes, self.groups) = (ends, scopes, groups)
    }
  }

  /// The name of the workflow under `workflows` of the main file; nil for the file itself.
  package let part: String?
  package let sources: SourceFiles
  package let arguments: Arguments
  /// The readers, one for each use of a file.
  package var readers: [Reader]
  /// The steps that were read; `drafts` has their unresolved needs.
  package var steps: [Workflow.Step] = []
  package var drafts: [Draft] = []
  package var scopes: [Scope] = []
  package var groups = GroupTree()
  var checks: [Check] = []
  /// The names under `needs`; `Need.name` contains positions in this list.
  package var needNames: [NeedName] = []
  /// The first places of ids, by scope.
  package var places: [[String: Place]] = []
  /// The ids of the steps, by scope.
  package var stepIDs: [StepIDs] = []
  /// The groups that contain steps with needs of their own.
  package var groupsWithOwnNeeds: Set<GroupIndex> = []
  /// The names of groups for displays, by id.
  package var groupNames: [String: String] = [:]
  package var undos: [Undo] = []
  /// The steps with computed items, inner ones first.
  package var fans: [FoldedFan] = []
  /// The places of `max-parallel` and `mutex` of groups, by the name of the limit.
  package var limitPlaces: [String: NeedName] = [:]
  package var usedSources: [String: String] = [:]
  /// The folder of the project of the main file, outside of which no file is used.
  package lazy var projectFolder = SourceFiles.project(ofFile: readers[0].file)
  /// The needs of the steps that were expanded to no steps, by their full ids.
  package var emptyGroups: [String: [Need]] = [:]
  /// The ids of the steps under `finally`.
  package var finallyIDs: Set<String> = []
  /// The parameters whose default is wrong, which has been reported.
  package var faultyDefaults: Set<String> = []
  /// The budget for values of expressions that are evaluated while the file is read.
  package let budget = EvaluationBudget()
  var knownPatterns = KnownPatterns()
  /// The number of keys and values of all expanded steps.
  package var expandedValueCount = 0
  /// The files that have been used, by path, each parsed once.
  package var usedFiles: [String: ParsedFile] = [:]
  /// The total size of used files in bytes.
  package var usedBytes = 0
  /// The total size of dotenv files in bytes.
  package var dotenvBytes = 0
  /// The actions that steps can call; nil if unknown.
  package let actions: ActionCatalog?
  /// The closures of a workflow declared in Swift, whose text refers to them as `#0`, `#1`, ….
  package var works: [InProcessWork] = []

  package init(
    file: String, part: String? = nil, source: SourceText, sources: SourceFiles,
    arguments: Arguments, actions: ActionCatalog?
  ) {
    self.part = part
    self.sources = sources
    self.arguments = arguments
    self.actions = actions
    readers = [Reader(file: file, source: source)]
  }

  package var errorCount: Int { readers.reduce(0) { $0 + $1.errorCount } }

  /// All diagnostics, file by file.
  package var diagnostics: [Diagnostic] {
    var seen: [Diagnostic] = []
    for reader in readers {
      for diagnostic in reader.sortedDiagnostics() where !seen.contains(diagnostic) {
        seen.append(diagnostic)
      }
    }
    return seen
  }
}

/// The ids of the steps of a file.
package struct StepIDs {
  /// The number of steps that were read.
  package var count = 0
  /// The written ids, if some step has none.
  package var written: Set<String> = []
  /// The ids generated from the positions of steps.
  ///
  /// Nothing can refer to them, because they change when steps are added.
  package var positional: Set<String> = []

  package init() {}
}

/// A file that steps use, as it was parsed.
package struct ParsedFile: Sendable {
  package let source: SourceText
  package let document: Document

  package init(source: SourceText, document: Document) {
    (self.source, self.document) = (source, document)
  }
}

/// What the steps of a workflow may be expanded to.
extension WorkflowReader {
  /// The maximum number of steps if some result from `foreach`, `matrix` or `uses`.
  package static let expansionsMax = 100_000
  /// The maximum number of steps that one step can expand to.
  package static let expansionMax = 10_000
  /// The maximum number of keys and values in all expanded steps together.
  package static let valuesOfManyMax = 4_000_000
  /// The maximum nesting depth of `uses`.
  package static let usesDepthMax = 16
  /// The maximum number of uses in total.
  package static let filesMax = 10_000
}
