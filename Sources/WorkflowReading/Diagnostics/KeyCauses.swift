// R0213 and R0217: keys that are missing, or that are not valid where they are.

package import Workflows

extension Diagnostic.Cause {
  package static let missingSteps = Self("R0213", "a workflow needs \"steps\"")
  package static let missingMessage = Self("R0213", "an approval needs a \"message\"")
    .hint("write it like: { message: Deploy?, timeout: 1d }")
  package static let missingTimeout = Self(
    "R0213", "\"default\" needs a \"timeout\", after which it is the answer"
  )
  .hint("write it like: { message: Deploy?, timeout: 1d, default: reject }")
  package static func missingDefault(ofValue name: String) -> Self {
    Self("R0213", "\"\(name)\" needs a default to be approved without an answer")
      .hint("write it like: \(name): { default: none }")
  }
  package static let missingRunOfCondition = Self("R0213", "a condition needs a \"run\"")
    .hint("write it like: { run: test -f data.csv }")
  package static let missingUntil = Self("R0213", "repeat needs \"until\" or \"while\"")
    .hint("write it like: { until: \"stdout == 'ready'\", delay: 2s, limit: 30 }")
  package static let missingDuration = Self("R0213", "wait needs a duration or \"until\"")
    .hint("write it like: wait: 30m, or { until: \"2026-12-01T08:00:00Z\" }")
  package static let missingLimit = Self("R0213", "retry needs a \"limit\"")
    .hint("write it like: { limit: 3, delay: 2s, backoff: exponential }")
  package static let missingGroupAndPolicy = Self(
    "R0213", "concurrency needs a \"group\" and a \"policy\""
  )
  .hint("write it like: { group: deploy, policy: queue }")
  package static let missingFromAndTo = Self("R0213", "a range needs \"from\" and \"to\"")
    .hint("write it like: { from: 1, to: 5 }")
  package static let missingPaths = Self("R0213", "files needs \"paths\"")
    .hint("write it like: { paths: [src/**] }")
  package static let missingSchedule = Self("R0213", "a schedule needs \"cron\" or \"every\"")
    .hint("write it like: { cron: '30 2 * * *', time-zone: Europe/Berlin } or { every: 10m }")
  package static let missingPath = Self("R0213", "a dotenv entry needs a \"path\"")
    .hint("write it like: { path: .env }")
  package static let missingProbe = Self(
    "R0213", "ready needs one of \"run\", \"port\", \"http\", \"line\" and \"report\""
  )
  .hint("write it like: { port: 5432 }")
  package static let missingProbeOfLife = Self(
    "R0213", "alive needs one of \"run\", \"port\" and \"http\""
  )
  .hint("write it like: { port: 5432, every: 10s, failures: 3 }")
  package static let missingInputs = Self(
    "R0213", "cache needs one of \"inputs\", \"key\", \"max-age\", \"depfile\" and \"auto\""
  )
  .hint("write it like: { inputs: [src/**], makes: [build/app] }, or auto")
  package static let missingPlaceOfStore = Self("R0213", "store needs a \"folder\" or a \"get\"")
    .hint("write it like: { folder: /mnt/team/store }")
  package static let missingFiles = Self("R0213", "files as items need \"files\"")
    .hint("write it like: { files: \"src/*.c\" }")
  package static let missingUndo = Self("R0213", "undo needs a \"run\" or an \"exec\"")
    .hint("write it like: undo: ./undo, or { run: ./undo, timeout: 1m }")
  package static let missingName = Self("R0213", "a pool needs a \"name\"")
    .hint("write it like: { name: db, take: 2 }")
  package static let missingIDOfOutputs = Self("R0213", "the outputs of a group need an \"id\"")
    .hint("write it like: { id: build, outputs: { … }, steps: [ … ] }")
  package static let missingIDOfRepeat = Self("R0213", "\"repeat\" of a group needs an \"id\"")
    .hint("write it like: { id: poll, repeat: { … }, steps: [ … ] }")
  package static func missingOptions(of name: String) -> Self {
    Self("R0213", "the choice \"\(name)\" needs \"options\"")
      .hint("write them like: options: [staging, production]")
  }

  package static let withWithoutCall = Self(
    "R0217", "\"with\" is only valid with \"call\" or \"uses\""
  )
  .hint("use env")
  package static func limit(_ key: String, ofType type: String) -> Self {
    Self("R0217", "\"\(key)\" is not valid with \"type: \(type)\"")
      .hint(
        key == "pattern"
          ? "it is valid with \"type: string\""
          : "it is valid with numbers, and with texts, lists and maps for their length")
  }
  package static func withoutAuto(_ key: String) -> Self {
    Self("R0217", "\"\(key)\" of a cache is only valid with \"auto: true\"")
      .hint("add \"auto: true\", or remove \"\(key)\"")
  }
  package static let optionsWithoutChoice = Self(
    "R0217", "\"options\" is only valid with \"type: choice\""
  )
  .hint("change \"type\" to choice, or remove \"options\"")
  package static let factorWithoutBackoff = Self(
    "R0217", "\"factor\" is only valid with \"backoff: exponential\""
  )
  .hint("add \"backoff: exponential\", or remove \"factor\"")
  package static let timeZoneWithoutCron = Self(
    "R0217", "\"time-zone\" is only valid with \"cron\""
  )
  .hint("remove it")
  package static let whenOutsideFinally = Self(
    "R0217", "\"when\" is only valid for steps under \"finally\""
  )

  .hint("use \"if\" here")
  package static let shellOfCall = Self("R0217", "a step with \"call\" cannot have \"shell\"")
    .hint("remove it")
  package static let sharedApproval = Self(
    "R0217", "a step that only waits for approval has no work to share"
  )
  .hint("remove it")
  package static func keyOfApproval(_ name: String) -> Self {
    Self("R0217", "a step that only waits for approval cannot have \"\(name)\"")
      .hint("remove it, or move it to the step that does the work")
  }
  package static func keyOfExpansion(_ name: String) -> Self {
    Self("R0217", "\"\(name)\" of a step is only valid with \"foreach\" or \"matrix\"")
      .hint("move it to the workflow, or remove it")
  }
  package static func keyInMatrix(_ name: String) -> Self {
    Self("R0217", "\"\(name)\" belongs next to \"matrix\", not inside it")
      .hint("move it out of \"matrix\"")
  }
  package static func keyOfPolicy(_ name: String, _ policy: BusyPolicy, hasOther: Bool) -> Self {
    Self("R0217", "\"\(name)\" is only valid with when-busy: \(policy.rawValue)")
      .hint(hasOther ? "remove one of the two" : "add when-busy: \(policy.rawValue)")
  }
  package static func keyOfService(_ name: String) -> Self {
    Self("R0217", "\"\(name)\" of a step is only valid with \"service\"")
      .hint("write \"service\" instead of \"run\" or \"exec\", or remove it")
  }
  package static func keyOfUses(_ name: String) -> Self {
    Self("R0217", "a step with \"uses\" cannot have \"\(name)\"")
      .hint("move it to the steps of the used file")
  }
  package static let statusOfGroup = Self(
    "R0217", "the if of a group cannot test the status of steps"
  )
  .hint("write it at the first step of the group")
  package static let commandOfGroup = Self("R0217", "the if of a group cannot be a command")
    .hint("run it in a step before the group, and write if: ${{ steps.ID.outputs.NAME == 'yes' }}")
  package static let needsOfFinally = Self(
    "R0217", "a step under \"finally\" cannot have \"needs\""
  )
  .hint("these steps run in order, after all other steps")
  package static let repeatOfFinally = Self(
    "R0217", "a group under \"finally\" cannot have \"repeat\""
  )
  .hint("set it on the steps of the group")
  package static let retryOfFinally = Self(
    "R0217", "a group under \"finally\" cannot have \"retry\""
  )
  .hint("set it on the steps of the group")
  package static func attemptWithKeep(_ key: String) -> Self {
    Self("R0217", "\"\(key)\" cannot depend on the attempt, since \"keep\" serves all of them")
      .hint("remove \"keep\", or ${{ attempt }}")
  }
  package static func noSecondAttempt(_ kind: String, _ cause: Diagnostic.Cause?) -> Self {
    Self(
      "R0217",
      "a setting of \"\(kind)\" has no value for the second attempt"
        + (cause.map { ": \($0.message)" } ?? ""))
  }
  package static let undoOfFinally = Self("R0217", "a step under \"finally\" cannot have \"undo\"")
    .hint("remove it, or move the step to \"steps\"")
  package static let limitOfGroup = Self("R0217", "\"limit\" is only valid with the policy queue")
    .hint("write policy: queue, or remove it")
  package static let requiredOfCommand = Self(
    "R0217", "\"required\" is only valid with \"env\" or \"file\""
  )
  .hint("remove it: a command that fails stops the run")
  package static let mutexInMutex = Self(
    "R0217", "a group with \"mutex\" cannot contain another mutex"
  )
  .hint("remove one of the two: they could wait for one another forever")
  package static func poolTwice(_ name: String) -> Self {
    Self("R0217", "the pool \"\(name)\" is named twice")
      .hint("write { name: \(name), take: 2 } for two places of it")
  }
  package static func keyInPool(_ name: String) -> Self {
    Self("R0217", "a group with \"pool\" cannot contain \"\(name)\"")
      .hint("remove one of the two: they could wait for one another forever")
  }
}
