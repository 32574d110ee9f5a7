// The keys of conditions, rounds and waits.

extension KeyTable {
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
}
