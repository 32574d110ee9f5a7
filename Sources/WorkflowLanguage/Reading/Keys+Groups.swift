// The keys of groups of steps, `parallel:` and nested `steps:`.

extension KeyTable {
  /// The settings of groups.
  private static let groupKeys = [
    Key("id", .stepID, "the name of the group for commands, needs and expressions"),
    Key("name", .template, "the name of the group in displays"),
    Key(
      "needs", .either([.stepID, .list(.stepID, minimum: 0)]), "the steps that must finish first"),
    Key("if", .condition, "the condition for the steps to run"),
    Key("env", environment, "environment variables for its steps"),
    Key("dir", .template, "the directory in which its steps run"),
    Key("shell", shell, "the shell that runs scripts"),
    Key(
      "continue-on-error", .computed(.boolean),
      "whether the run continues after the group if one of its steps fails"),
    Key("runner", runner, "where its steps run"),
    Key(
      "timeout", .computed(.duration),
      "the maximum time from the start of its first step to the end of its last one"),
    Key(
      "retry", Form<Retry>.retry.shape,
      "when all of its steps run again after a failure"),
    Key(
      "repeat", .map(Tables.roundsOfGroup.keys),
      "until when all of its steps run again after a success"),
    Key(
      "mutex", .template, "a name; groups and steps with the same mutex never run at once"),
    Key("pool", Form<PoolClaim>.pool.shape, "the pool of which it takes places as a whole"),
    Key("outputs", .named(.identifier, .template), "values for later steps"),
    Key(
      "foreach",
      .either([
        .template, .list(.anything, minimum: 0), .map(Tables.range.keys),
        .map(Tables.itemFiles),
      ]),
      "the items; the group runs once for each"),
    Key(
      "matrix", .either([.template, .matrix]),
      "lists; the group runs once for each combination"),
    Key("key", .template, "the text in the brackets of the id of each item"),
    Key(
      "max-items", .computed(.whole(1...FanStep.limitMax)),
      "the maximum number of items of a foreach or matrix"),
    Key(
      "max-parallel", .computed(.whole(1...Int(Int32.max))),
      "the maximum number of items, or else of branches, that run at once"),
    Key(
      "fail-fast", .either([.computed(.boolean), .whole(1...Int(Int32.max))]),
      "whether the failure of an item or branch, or of this number, cancels the others"),
  ]

  static let parallel = KeyTable(
    place: "a parallel group",
    keys: [
      Key("parallel", .branches, "branches that run in parallel", isRequired: true)
    ] + groupKeys)

  static let sequence = KeyTable(
    place: "a nested list",
    keys: [Key("steps", .steps, "steps that run in order", isRequired: true)] + groupKeys)
}
