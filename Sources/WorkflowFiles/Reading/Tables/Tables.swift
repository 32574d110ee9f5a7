// The maps of the workflow language that are values of a key, one table each.

import WorkflowReading
import YAML

/// The tables of the maps of the language.
enum Tables {}

// MARK: Limits

extension Tables {
  static let concurrency = Table(
    "concurrency", Concurrency(named: "", policy: .queue), example: "{ group: %, policy: queue }",
    missing: .missingGroupAndPolicy,
    [
      Field(
        "group", \.group, .settledText, "the group of runs that must not overlap", isRequired: true
      ),
      Field(
        "policy", \.policy, .choice,
        "what happens to a run while another run of the group is active", isRequired: true),
      Field(
        "limit", \.limit, .count.computed,
        "with the policy queue: the maximum number of runs in progress"),
    ]
  ) { fields, concurrency, context, reader in
    guard let key = fields.key("limit"), concurrency.policy != .queue else { return }
    reader.readers[context.file].report(.limitOfGroup, at: key)
  }

  static let keep = Table(
    "keep", Retention(), example: "{ runs: 20, age: 30d, bytes: 1g }",
    [
      Field("runs", \.runs, .count, "the maximum number of ended runs"),
      Field("age", \.age, .duration, "the maximum time since the end of a run"),
      Field("bytes", \.bytes, .size(from: 1, "1"), "the maximum size of the output of all runs"),
      Field(
        "log", \.logBytes, .size(from: Retention.logBytesMin, "1m"),
        "the maximum size of the output of one attempt"),
      Field(
        "store", \.storeBytes, .size(from: 0, "0"),
        "the maximum size of the store from which files are restored"),
    ])
}

// MARK: Sharing

extension Tables {
  static let store = Table(
    "store", SharedStoreRule(), example: "{ folder: /mnt/team/store }", oneOf: ["folder", "get"],
    notBoth: ["folder", "get"], missing: .missingPlaceOfStore,
    [
      Field("folder", \.folder, .settledText, "the folder, such as one on a network drive"),
      Field("get", \.get, .script, "a script that writes the file $NAME of the place to $FILE"),
      Field("put", \.put, .script, "a script that writes $FILE to the file $NAME of the place"),
      Field("key", \.key, .text, "the environment variable with the key of signatures"),
      Field("read-only", \.isReadOnly, .boolean.computed, "whether nothing is written there"),
      Field("timeout", \.timeout, .duration.computed, "the maximum duration of one access"),
    ])
}

// MARK: Retries and rounds

extension Tables {
  static let retry = Table(
    "retry", Retry(limit: 1), missing: .missingLimit,
    [
      Field(
        "limit", \.limit, .count.computed, "how often it runs again at most", isRequired: true)
    ] + delays() + [
      Field(
        "for", \.failures, .failures, "the failures after which it is retried", formerly: "on")
    ]
  ) { fields, retry, context, reader in
    checkDelays(fields, retry, context, &reader)
  }

  /// The keys of the delay before something runs again, which retries, rounds and services share.
  private static func delays<Again: RunsAgain>(
    formerly former: String? = nil
  ) -> [Field<Again>] {
    [
      Field(
        "delay", \.again.delay, .delay.computed, "the delay before it runs again",
        formerly: former),
      Field("backoff", \.again.backoff, .choice, "how the delay grows"),
      Field(
        "factor", \.again.factor, .decimal(1...1000).computed, "the factor of exponential growth"),
      Field("max-delay", \.again.maxDelay, .duration.computed, "the maximum delay"),
      Field(
        "jitter", \.again.jitter, .decimal(0...1).computed, "the random fraction of the delay"),
    ]
  }

  private static func checkDelays(
    _ fields: Fields, _ again: Retry, _ context: WorkflowReader.Context,
    _ reader: inout WorkflowReader
  ) {
    guard let node = fields["factor"], again.backoff != .exponential,
      fields["backoff"] == nil || again.backoff != .constant
    else { return }
    reader.readers[context.file].report(.factorWithoutBackoff, at: node)
  }

  /// The keys of `repeat`.
  struct Rounds: Sendable {
    var until: Template?
    var whileTrue: Template?
    var again = Repetition.endless

    var rule: Repetition? {
      (until ?? whileTrue).map {
        Repetition(condition: $0, isWhile: until == nil, again: again)
      }
    }
  }

  static let roundsOfStep = rounds(.repetition)
  static let roundsOfGroup = rounds(.condition)

  private static func rounds(_ place: ExpressionPlace) -> Table<Rounds> {
    Table(
      "repeat", Rounds(), example: "{ until: \"stdout == 'ready'\", delay: 2s, limit: 30 }",
      oneOf: ["until", "while"], notBoth: ["until", "while"], missing: .missingUntil,
      [
        Field(
          "until", \.until, .template(place, isExpression: true),
          "the condition that ends the rounds", called: "a condition"),
        Field(
          "while", \.whileTrue, .template(place, isExpression: true),
          "the condition for another round", called: "a condition"),
        Field(
          "limit", \.again.limit, .whole(0...Int(Int32.max)).computed,
          "how often it runs again at most; after that, it fails"),
      ] + delays(formerly: "every")
    ) { fields, rounds, context, reader in
      checkDelays(fields, rounds.again, context, &reader)
      guard fields.former.contains("delay"), let node = fields["limit"] else { return }
      // Where the delay was called `every`, the limit counted the first round, too.
      rounds.again.limit -= 1
      reader.readers[context.file].warn(.formerLimit(node.text ?? ""), at: node)
    }
  }
}

extension Repetition {
  /// The lines that describe the limit and the delays.
  var settings: [String] {
    Tables.roundsOfStep.lines("repeat", Tables.Rounds(again: again))
  }
}

/// What runs again after a delay.
private protocol RunsAgain: Sendable, SendableMetatype {
  var again: Retry { get set }
}

extension Retry: RunsAgain {
  fileprivate var again: Retry {
    get { self }
    set { self = newValue }
  }
}

extension Tables.Rounds: RunsAgain {}

extension Form where Content == Retry {
  /// `retry`: the number of retries, or a map.
  static let retry = Form<Int>.count.map { Retry(limit: $0) }.or(.map(Tables.retry))
  /// `restart` of a service.
  static let restart = Form<String>.word(of: ["on-failure"])
    .map { _ in
      Retry(limit: 5, delay: .seconds(1), backoff: .exponential, maxDelay: .seconds(30))
    }.or(.map(Tables.retry))
}

// MARK: Steps

extension Tables {
  static let condition = Table(
    "a condition", ConditionCommand(script: ""), example: "{ run: test -f % }",
    missing: .missingRunOfCondition,
    [
      Field(
        "run", \.script, .checkedScript, "a command: exit status 0 means true, 1 means false",
        isRequired: true),
      Field("timeout", \.limit, .duration.computed, "the maximum duration of the command"),
    ])

  static let cache = Table(
    "cache", CacheRule(), example: "{ inputs: [src/**], makes: [build/app] }",
    oneOf: ["inputs", "key", "max-age", "depfile", "auto"], missing: .missingInputs,
    [
      Field("inputs", \.inputs, .patterns, "patterns of the files that it reads"),
      Field(
        "makes", \.outputs, .patterns, "patterns of the files that it makes", formerly: "outputs"),
      Field("key", \.key, .template(.cacheKey), "a value for other dependencies"),
      Field(
        "max-age", \.maxAge, .duration.computed, "the maximum time since it last succeeded"),
      Field(
        "depfile", \.dependencyFile, .pathOfFile,
        "the file in which it lists its inputs, as gcc -MD and make do"),
      Field(
        "auto", \.learning, learning,
        "whether its inputs and outputs are learnt by watching it"),
      Field(
        "system", \.learnt.readsSystem, .boolean,
        "whether programs outside of the project count by their contents; with auto"),
      Field(
        "ignore", \.learnt.ignored, .patterns,
        "patterns of files that it does not depend on; with auto"),
      Field(
        "env", \.learnt.readsEnvironment, .boolean,
        "whether it depends on the variables that it inherits; with auto"),
      Field(
        "path", \.learnt.readsPath, .boolean,
        "whether it depends on where the project is; with auto"),
    ]
  ) { fields, rule, context, reader in
    if rule.learning == nil { checkWithoutLearning(fields, context, &reader) }
  }

  private static let learning: Form<LearningRule> = Form<Bool>.boolean.map(
    { (learns: Bool) -> LearningRule? in learns ? LearningRule() : nil },
    { (_: LearningRule) -> Bool? in true })

  private static func checkWithoutLearning(
    _ fields: Fields, _ context: WorkflowReader.Context, _ reader: inout WorkflowReader
  ) {
    for name in ["system", "ignore", "env", "path"] {
      guard let key = fields.key(name) else { continue }
      reader.readers[context.file].report(.withoutAuto(name), at: key)
    }
    // With nothing to compare, it would be up to date forever.
    let others = ["inputs", "key", "max-age", "depfile"]
    guard let node = fields["auto"], others.allSatisfy({ fields.lacks($0) }) else { return }
    reader.readers[context.file].report(.missingInputs, at: node)
  }

  /// `cache: auto`, or a map.
  static let cacheOrAuto = Form<CacheRule>(
    .either([.choice(["auto"]), .map(cache.keys)]),
    read: { (node, site, reader: inout WorkflowReader) -> CacheRule? in
      if node.text == "auto" { return CacheRule.auto }
      return cache.read(node, &reader, site.context, site.draft)
    },
    write: { (rule: CacheRule) -> Value? in
      rule == CacheRule.auto ? Value.text("auto") : cache.write(rule)
    })

  /// The keys of `approval`.
  struct Approval: Sendable {
    var message: String?
    var rule = ApprovalRule()
  }

  static let approval = Table(
    "an approval", Approval(), example: "{ message: \"%\" }", missing: .missingMessage,
    [
      Field("message", \.message, .settledText, "the question to approve", isRequired: true),
      Field(
        "values", \.rule.values, .parameters,
        "values that are given with the approval and become outputs"),
      Field("timeout", \.rule.timeout, .duration.computed, "the maximum duration of the wait"),
      Field("default", \.rule.answer, .choice, "the answer after that time"),
      Field(
        "after", \.rule.isAfter, .boolean.computed, "whether it is asked after the work of the step"
      ),
    ]
  ) { fields, approval, context, reader in
    guard let node = fields["default"] else { return }
    let file = context.file
    if fields.lacks("timeout") {
      reader.readers[file].report(
        .missingTimeout, at: fields.key("default") ?? node)
    }
    let open = approval.rule.values.first { $0.defaultValue == nil }
    if approval.rule.answer == .approve, let open {
      reader.readers[file].report(.missingDefault(ofValue: open.name), at: node)
    }
  }

  static let undo = KeyTable(
    place: "undo", example: "{ run: % }", oneOf: ["run", "exec"], notBoth: ["run", "exec"],
    keys: [
      Key("run", .script, "a script that undoes the work"),
      Key("exec", .list(.template, minimum: 1), "a program that undoes the work"),
      Key("env", KeyTable.environment, "environment variables, in addition to those of the step"),
      Key("timeout", .computed(.duration), "the maximum duration of an attempt"),
      Key("retry", Form<Retry>.retry.shape, "when it is retried after a failure"),
    ])
}

extension Form where Content == String {
  /// A script, in which expressions are an error that shows how to write it.
  static let checkedScript = Form(
    .script, read: { $2.readScript($0, $1.context) }, write: { .text($0) })

  /// The path of a file, which is no pattern.
  static let pathOfFile = Form(
    .template, read: { $2.pathOfFile($0, $1.what, $1.context) }, write: { .text($0) })
}

// MARK: Files and workflows

extension Tables {
  /// An entry of `dotenv`.
  struct DotenvFile: Sendable {
    var path: PlacedText?
    var isRequired = true
  }

  /// A text with its place.
  struct PlacedText: Sendable {
    let text: String
    let node: Node
  }

  static let dotenv = Table(
    "a dotenv entry", DotenvFile(), missing: .missingPath,
    [
      Field("path", \.path, .placedText, "the path of the file", isRequired: true),
      Field("required", \.isRequired, .boolean, "whether a missing file is an error"),
    ])

  static let defaults = Table(
    "defaults", WorkflowReader.Defaults(),
    [
      Field(
        "timeout", \.timeout, .duration.computed, "the maximum duration of an attempt of a step"),
      Field("retry", \.retry, .retry, "when a failed step is retried"),
      Field(
        "continue-on-error", \.continuesOnError, .boolean.computed,
        "whether the run continues if a step fails"),
      Field(
        "if-skipped", \.skipsDependents, .ifSkipped,
        "whether the steps that need a skipped step run or are skipped, too"),
    ])

  /// A range of numbers.
  struct Range: Sendable {
    var from = 0
    var to = 0
    var by = 1
  }

  static let range = Table(
    "a range", Range(), missing: .missingFromAndTo,
    [
      Field("from", \.from, .anyWhole, "the first number", isRequired: true),
      Field("to", \.to, .anyWhole, "the last number", isRequired: true),
      Field("by", \.by, .anyWhole, "the difference between two numbers"),
    ]
  ) { fields, range, context, reader in
    guard range.by == 0 else { return }
    reader.readers[context.file].report(.rangeStepZero, at: fields["by"] ?? fields.node)
  }
}

extension Form where Content == Tables.PlacedText {
  fileprivate static let placedText = Form(
    .text,
    read: { node, site, reader in
      reader.readers[site.context.file].nonEmptyText(node, site.what).map {
        Tables.PlacedText(text: $0, node: node)
      }
    })
}

extension Form where Content == Bool {
  /// `if-skipped`.
  static let ifSkipped = Form<String>.word(of: ["run", "skip"]).computed
    .map({ $0 == "skip" }, { $0 ? "skip" : "run" })
}

extension Form where Content == Int {
  private static let all = Int(Int32.min)...Int(Int32.max)

  /// A number of a range, or an expression.
  fileprivate static let anyWhole = Form(
    .either([.whole(all), .template]),
    read: { node, site, reader in
      guard let settled = reader.settled(node, site.what, site.context) else { return nil }
      if let text = settled.text, let number = Int(text), all.contains(number) { return number }
      reader.readers[site.context.file].report(
        .notWhole(site.what, from: nil, isLarge: false, isComputed: false), at: node)
      return nil
    }, write: { .number(Double($0)) })
}
