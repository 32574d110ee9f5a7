// The keys of conditions, rounds and waits.

extension KeyTable {
  static let approval = KeyTable(
    place: "an approval", example: "{ message: \"%\" }",
    keys: [
      Key("message", .template, "the question to approve", isRequired: true),
      Key(
        "values", .named(.identifier, .either([.map(parameter), .text])),
        "values that are given with the approval and become outputs"),
      Key("timeout", .computed(.duration), "the maximum duration of the wait"),
      Key(
        "default", .choice(ApprovalRule.Answer.allCases.map(\.rawValue)),
        "the answer after that time"),
      Key("after", .boolean, "whether it is asked after the work of the step"),
    ])

  static let repetition = KeyTable(
    place: "repeat", example: "{ until: \"stdout == 'ready'\", every: 2s, limit: 30 }",
    oneOf: ["until", "while"], notBoth: ["until", "while"],
    keys: [
      Key("until", .condition, "the condition that ends the rounds"),
      Key("while", .condition, "the condition for another round"),
      Key("every", .computed(.duration), "the delay between two rounds"),
      Key(
        "limit", .computed(.whole(1...Int(Int32.max))),
        "the maximum number of rounds; the step then fails"),
    ])

  static let pause = KeyTable(
    place: "wait", example: "{ until: \"2026-12-01T08:00:00Z\" }",
    keys: [
      Key("until", .template, "the moment at which the wait ends, in UTC", isRequired: true)
    ])

  static let condition = KeyTable(
    place: "a condition", example: "{ run: test -f % }",
    keys: [
      Key(
        "run", .script, "a command: exit status 0 means true, 1 means false", isRequired: true),
      Key("timeout", .computed(.duration), "the maximum duration of the command"),
    ])

  static let pool = KeyTable(
    place: "a pool", example: "{ name: %, take: 2 }",
    keys: [
      Key("name", .template, "the name of the pool", isRequired: true),
      Key(
        "take", .computed(.whole(1...PoolClaim.sizeMax)), "the number of places that it takes"),
    ])

  static let undo = KeyTable(
    place: "undo", example: "{ run: % }", oneOf: ["run", "exec"], notBoth: ["run", "exec"],
    keys: [
      Key("run", .script, "a script that undoes the work"),
      Key("exec", .list(.template, minimum: 1), "a program that undoes the work"),
      Key("env", environment, "environment variables, in addition to those of the step"),
      Key("timeout", .computed(.duration), "the maximum duration of an attempt"),
      Key(
        "retry", .either([.whole(1...Int(Int32.max)), .map(retry)]),
        "when it is retried after a failure"),
    ])
}
