// The keys of a step.

import WorkflowReading
import YAML

/// A key of a step, what a change of its value means, and what it means for groups.
struct StepKey: Sendable {
  /// What a change of a value means for a step that has run.
  enum Change: Sendable {
    /// It concerns how the step runs, not its result.
    case setting
    /// It means nothing to an attempt in progress.
    case label
  }

  let key: Key
  /// How it is read into the extras of the step; nil for keys that shape the graph or that depend on others.
  fileprivate let field: Field<StepExtras>?
  fileprivate let change: Change?
  /// The key of groups; nil if they cannot have it.
  private(set) var ofGroups: Key?

  init(_ key: Key) {
    (self.key, field, change) = (key, nil, nil)
  }

  /// Returns the key with what it means for groups.
  ///
  /// - Parameters:
  ///   - summary: The description.
  ///   - shape: The form of the value, if it is not that for steps.
  /// - Returns: The key.
  fileprivate func ofGroups(_ summary: String, _ shape: Shape? = nil) -> StepKey {
    var row = self
    row.ofGroups = Key(key.name, shape ?? key.shape, summary, formerly: key.formerName)
    return row
  }

  /// Creates a key with a value that most steps do not have.
  fileprivate init(_ field: Field<StepExtras>, excludedBy: [String] = [], _ change: Change? = nil) {
    self.field = field
    self.change = change
    key = Key(field.key.name, field.key.shape, field.key.summary, .extras, excludedBy: excludedBy)
  }
}

extension Tables {
  private static let withoutWork = ["uses", "approval"]

  /// The keys of a step, in the order in which messages list them.
  static let step: [StepKey] =
    beginning
    + Workflow.Step.kinds.map {
      StepKey(Key($0.name, $0.shape, $0.summary, excludedBy: ["uses"]))
    } + work + places + items + [
      StepKey(
        Field("outputs", \.outputs, .outputs, "values for later steps"), excludedBy: ["uses"]
      )
      .ofGroups("values for later steps"),
      StepKey(
        Field(
          "cache", \.cache, cacheOrAuto,
          "when the step can be skipped because nothing has changed"), excludedBy: withoutWork),
      StepKey(
        Field(
          "watch", \.isWatched, .boolean, "whether reprise trace watches which files it uses"),
        excludedBy: withoutWork, .setting),
      StepKey(
        Key(
          "undo", .either([.script, .list(.template, minimum: 1), .map(undo)]),
          "what undoes its work when the run fails", .extras, excludedBy: ["uses"])),
      StepKey(
        Key(
          "when", .either([RunEnding.shape, .list(RunEnding.shape, minimum: 1)]),
          "the results of the run after which it runs, under finally", .extras,
          excludedBy: ["uses"], formerly: "on")),
    ]

  private static let beginning: [StepKey] = [
    StepKey(Key("id", .stepID, "the name of the step for commands, needs and expressions"))
      .ofGroups("the name of the group for commands, needs and expressions"),
    StepKey(Key("name", .template, "the name of the step in displays", .extras))
      .ofGroups("the name of the group in displays"),
    StepKey(
      Key(
        "needs", .either([.stepID, .list(.stepID, minimum: 0), .needsByResult]),
        "the steps that must finish first, with the expected result of each if written as a map")
    )
    .ofGroups("the steps that must finish first"),
    StepKey(
      Key(
        "if", .either([.condition, .map(condition.keys)]),
        "the condition for the step to run: an expression, or a command", .extras)
    )
    .ofGroups("the condition for the steps to run", .condition),
    StepKey(
      Field(
        "if-skipped", \.skipsDependents, .ifSkipped,
        "whether the steps that need it run or are skipped, too, when its condition is false"),
      excludedBy: ["uses"], .setting),
  ]

  private static let work: [StepKey] = [
    StepKey(Key("uses", .text, "another workflow file, whose steps replace this step", .settings)),
    StepKey(
      Key(
        "with", .named(.identifier, .anything), "arguments for the action or the other workflow",
        .settings)),
    StepKey(
      Key(
        "approval", .either([.template, .map(approval.keys)]), "the question that must be approved",
        .extras, excludedBy: ["uses"])),
    StepKey(
      Key("env", KeyTable.environment, "environment variables for this step", .environment)
    )
    .ofGroups("environment variables for its steps"),
    StepKey(Key("dir", .template, "the directory in which it runs", .settings))
      .ofGroups("the directory in which its steps run"),
    StepKey(
      Key(
        "shell", KeyTable.shell, "the shell that runs its script", .settings,
        excludedBy: ["approval"])
    )
    .ofGroups("the shell that runs scripts"),
    StepKey(
      Key(
        "timeout", .computed(.duration),
        "the maximum duration of an attempt, or of the wait of a step that only waits for approval",
        .settings)
    )
    .ofGroups("the maximum time from the start of its first step to the end of its last one"),
    StepKey(
      Key(
        "retry", Form<Retry>.retry.shape, "when it is retried after a failure", .settings,
        excludedBy: ["approval"])
    )
    .ofGroups("when all of its steps run again after a failure"),
    StepKey(
      Field(
        "repeat", \.repetition, .roundsOfStep, "until when it runs again after a success"),
      excludedBy: withoutWork
    )
    .ofGroups("until when all of its steps run again after a success", .map(roundsOfGroup.keys)),
    StepKey(
      Key(
        "grace", .computed(.duration), "the time between SIGTERM and SIGKILL", .settings,
        excludedBy: withoutWork)),
    StepKey(
      Field(
        "continue-on-error", \.continuesOnError, .boolean.computed,
        "whether the run continues if it fails"), .label
    )
    .ofGroups("whether the run continues after the group if one of its steps fails"),
  ]

  private static let places: [StepKey] = [
    StepKey(
      Field(
        "mutex", \.mutex, .settledText, "a name; steps with the same mutex never run at once"),
      .setting
    )
    .ofGroups("a name; groups and steps with the same mutex never run at once"),
    StepKey(
      Field("pool", \.pools, .pool, "the pools of which it takes places"), excludedBy: withoutWork,
      .setting
    )
    .ofGroups("the pools of which it takes places as a whole"),
    StepKey(
      Field(
        "share", \.share, .template(.share),
        "a name; steps with the same name that run at once share one execution"),
      excludedBy: ["uses"], .setting),
    StepKey(
      Key(
        "runner", KeyTable.runner, "where it runs, if not as a process on this machine", .extras,
        excludedBy: ["approval"])
    )
    .ofGroups("where its steps run"),
    StepKey(
      Key(
        "survive", .boolean, "whether it goes on when its engine dies, to be adopted by resume",
        .extras, excludedBy: withoutWork)),
    StepKey(
      Field(
        "terminal", \.usesTerminal, .boolean.computed,
        "whether it owns the terminal while it runs, to interact with its user"),
      excludedBy: withoutWork, .setting),
    StepKey(
      Field(
        "separate-streams", \.separatesStreams, .boolean.computed,
        "whether events distinguish its standard error from its standard output"),
      excludedBy: withoutWork, .setting),
    StepKey(
      Field(
        "tty", \.writesToTerminal, .boolean.computed,
        "whether its output goes to a pseudo-terminal, for colours and whole lines at once"),
      excludedBy: withoutWork, .setting),
    StepKey(
      Key(
        "ready", .map(ready.keys), "when a service is ready for the steps that need it", .extras,
        excludedBy: withoutWork)),
    StepKey(
      Key(
        "alive", .map(alive.keys), "how a service that is ready is checked", .extras,
        excludedBy: withoutWork)),
    StepKey(
      Key(
        "stop", Form<Int32>.signal.shape, "the signal that asks a service to end", .extras,
        excludedBy: withoutWork)),
    StepKey(
      Key(
        "restart", Form<Retry>.restart.shape,
        "when a service that ends while steps need it is started again", .extras,
        excludedBy: withoutWork)),
    StepKey(
      Field(
        "priority", \.priority, .whole(-1000...1000).computed,
        "of the ready steps, those with a higher number start first"),
      excludedBy: ["uses"], .label),
  ]

  private static let items: [StepKey] = [
    StepKey(
      Key(
        "foreach",
        .either([
          .template, .list(.anything, minimum: 0), .map(range.keys), .map(itemFiles),
        ]),
        "the items; the step runs once for each", .many)
    )
    .ofGroups("the items; the group runs once for each"),
    StepKey(
      Key(
        "matrix", .computed(.matrix), "lists; the step runs once for each combination",
        .many)
    )
    .ofGroups("lists; the group runs once for each combination"),
    StepKey(
      Key(
        "item-id", .template, "the text in the brackets of the id of each item", .many,
        formerly: "key")
    )
    .ofGroups("the text in the brackets of the id of each item"),
    StepKey(
      Key(
        "max-items", .computed(.whole(1...FanStep.limitMax)),
        "the maximum number of items of a foreach or matrix", .many)
    )
    .ofGroups("the maximum number of items of a foreach or matrix"),
    StepKey(
      Key(
        "max-parallel", .computed(.whole(1...Int(Int32.max))),
        "the maximum number of steps of a foreach or matrix that run at once", .many)
    )
    .ofGroups("the maximum number of items, or else of branches, that run at once"),
    StepKey(
      Key(
        "fail-fast", .either([.computed(.boolean), .whole(1...Int(Int32.max))]),
        "whether the first failure of a foreach or matrix, or this number, cancels the others",
        .many)
    )
    .ofGroups("whether the failure of an item or branch, or of this number, cancels the others"),
  ]

  /// Reads the extras of a step that are present.
  static func readExtras(
    _ found: Fields, into extras: inout StepExtras, _ reader: inout WorkflowReader,
    _ context: WorkflowReader.Context, _ draft: Int
  ) {
    var rest = found.bits & extraBits
    while rest != 0 {
      let position = rest.trailingZeroBitCount
      rest &= rest - 1
      guard let field = step[position].field, let node = found[field.key.name] else { continue }
      field.read(node, &extras, context, draft, &reader)
    }
  }

  private static let extraBits: UInt64 = step.indices.reduce(0) {
    step[$1].field == nil ? $0 : $0 | 1 << UInt64($1)
  }

  /// Returns the lines that describe the extras of a step, of those whose change means this.
  static func lines(of extras: StepExtras, _ change: StepKey.Change) -> [String] {
    step.filter { $0.change == change }.compactMap { row in
      guard let field = row.field, let value = field.write(extras),
        value != field.write(StepExtras())
      else { return nil }
      return "\(row.key.name): \(value.asText)"
    }
  }
}

extension Form where Content == Repetition {
  /// `repeat` of a step.
  fileprivate static let roundsOfStep = Form<Tables.Rounds>.map(Tables.roundsOfStep).map {
    $0.rule
  }
}

extension Form where Content == [String: Template] {
  /// `outputs` of a step.
  fileprivate static let outputs = Form(
    .named(.identifier, .template),
    read: { $2.readOutputs($0, of: "a step", $1.context, $1.draft) })
}

extension RunEnding {
  /// The form in files.
  static let shape = Shape.choice(allCases.map(\.rawValue), former: formerWords)
}
