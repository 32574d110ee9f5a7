// The messages and hints about keys that are missing or that are not valid where they are.

extension MissingKeys {
  var text: String {
    switch self {
    case .steps: "a workflow needs \"steps\""
    case .untilOrWhile: "repeat needs \"until\" or \"while\""
    case .momentOfWait: "wait needs a duration or \"until\""
    case .messageOfApproval: "an approval needs a \"message\""
    case .timeoutOfDefault: "\"default\" needs a \"timeout\", after which it is the answer"
    case .defaultOfValue(let name): "\"\(name)\" needs a default to be approved without an answer"
    case .runOfCondition: "a condition needs a \"run\""
    case .limit: "retry needs a \"limit\""
    case .groupAndPolicy: "concurrency needs a \"group\" and a \"policy\""
    case .fromAndTo: "a range needs \"from\" and \"to\""
    case .paths: "files needs \"paths\""
    case .cronOrEvery: "a schedule needs \"cron\" or \"every\""
    case .path: "a dotenv entry needs a \"path\""
    case .probe: "ready needs one of \"run\", \"port\", \"http\", \"line\" and \"report\""
    case .inputsOrKey: "cache needs \"inputs\" or a \"key\""
    case .files: "files as items need \"files\""
    case .runOfUndo: "undo needs a \"run\" or an \"exec\""
    case .nameOfPool: "a pool needs a \"name\""
    case .idOfOutputs: "the outputs of a group need an \"id\""
    case .idOfRepeat: "\"repeat\" of a group needs an \"id\""
    case .options(let name): "the choice \"\(name)\" needs \"options\""
    }
  }
}

extension MissingKeys {
  var hint: String? {
    switch self {
    case .steps: nil
    case .messageOfApproval: "write it like: { message: Deploy?, timeout: 1d }"
    case .timeoutOfDefault: "write it like: { message: Deploy?, timeout: 1d, default: reject }"
    case .defaultOfValue(let name): "write it like: \(name): { default: none }"
    case .runOfCondition: "write it like: { run: test -f data.csv }"
    case .untilOrWhile: "write it like: { until: \"stdout == 'ready'\", every: 2s, limit: 30 }"
    case .momentOfWait: "write it like: wait: 30m, or { until: \"2026-12-01T08:00:00Z\" }"
    case .limit: "write it like: { limit: 3, delay: 2s, backoff: exponential }"
    case .groupAndPolicy: "write it like: { group: deploy, policy: queue }"
    case .fromAndTo: "write it like: { from: 1, to: 5 }"
    case .paths: "write it like: { paths: [src/**] }"
    case .cronOrEvery:
      "write it like: { cron: '30 2 * * *', time-zone: Europe/Berlin } or { every: 10m }"
    case .path: "write it like: { path: .env }"
    case .probe: "write it like: { port: 5432 }"
    case .inputsOrKey: "write it like: { inputs: [src/**], outputs: [build/app] }"
    case .files: "write it like: { files: \"src/*.c\" }"
    case .runOfUndo: "write it like: undo: ./undo, or { run: ./undo, timeout: 1m }"
    case .nameOfPool: "write it like: { name: db, take: 2 }"
    case .idOfOutputs: "write it like: { id: build, outputs: { … }, steps: [ … ] }"
    case .idOfRepeat: "write it like: { id: poll, repeat: { … }, steps: [ … ] }"
    case .options: "write them like: options: [staging, production]"
    }
  }
}

extension MisplacedKey {
  var text: String {
    switch self {
    case .with: "\"with\" is only valid with \"call\" or \"uses\""
    case .limits(let key, let type): "\"\(key)\" is not valid with \"type: \(type)\""
    case .options: "\"options\" is only valid with \"type: choice\""
    case .factor: "\"factor\" is only valid with \"backoff: exponential\""
    case .timeZone: "\"time-zone\" is only valid with \"cron\""
    case .on: "\"on\" is only valid for steps under \"finally\""
    case .shellOfCall: "a step with \"call\" cannot have \"shell\""
    case .needsOfFinally: "a step under \"finally\" cannot have \"needs\""
    case .sharedApproval: "a step that only waits for approval has no work to share"
    case .ofMany(let name):
      "\"\(name)\" of a step is only valid with \"foreach\" or \"matrix\""
    case .ofMatrix(let name): "\"\(name)\" belongs next to \"matrix\", not inside it"
    case .withPolicy(let name, let policy, _):
      "\"\(name)\" is only valid with when-busy: \(policy.rawValue)"
    case .ofApproval(let name):
      "a step that only waits for approval cannot have \"\(name)\""
    case .statusOfGroup:
      "the if of a group cannot test the status of steps"
    case .commandOfGroup: "the if of a group cannot be a command"
    case .repeatOfFinally: "a group under \"finally\" cannot have \"repeat\""
    case .retryOfFinally: "a group under \"finally\" cannot have \"retry\""
    case .undoOfFinally: "a step under \"finally\" cannot have \"undo\""
    case .limitOfGroup: "\"limit\" is only valid with the policy queue"
    case .mutexInMutex: "a group with \"mutex\" cannot contain another mutex"
    case .requiredOfCommand: "\"required\" is only valid with \"env\" or \"file\""
    case .inPoolOfGroup(let name): "a group with \"pool\" cannot contain \"\(name)\""
    case .ofService(let name): "\"\(name)\" of a step is only valid with \"service\""
    case .ofUses(let name): "a step with \"uses\" cannot have \"\(name)\""
    }
  }
}

extension MisplacedKey {
  var hint: String {
    switch self {
    case .with: "use env"
    case .limits("pattern", _): "it is valid with \"type: string\""
    case .limits: "it is valid with numbers, and with texts, lists and maps for their length"
    case .options: "change \"type\" to choice, or remove \"options\""
    case .factor: "add \"backoff: exponential\", or remove \"factor\""
    case .timeZone: "remove it"
    case .on: "use \"if\" here"
    case .shellOfCall, .sharedApproval: "remove it"
    case .needsOfFinally: "these steps run in order, after all other steps"
    case .ofMany: "move it to the workflow, or remove it"
    case .ofMatrix: "move it out of \"matrix\""
    case .withPolicy(_, let policy, hasOther: false): "add when-busy: \(policy.rawValue)"
    case .withPolicy: "remove one of the two"
    case .ofApproval: "remove it, or move it to the step that does the work"
    case .statusOfGroup: "write it at the first step of the group"
    case .commandOfGroup:
      "run it in a step before the group, and write if: ${{ steps.ID.outputs.NAME == 'yes' }}"
    case .retryOfFinally, .repeatOfFinally: "set it on the steps of the group"
    case .undoOfFinally: "remove it, or move the step to \"steps\""
    case .limitOfGroup: "write policy: queue, or remove it"
    case .requiredOfCommand: "remove it: a command that fails stops the run"
    case .mutexInMutex, .inPoolOfGroup:
      "remove one of the two: they could wait for one another forever"
    case .ofService: "write \"service\" instead of \"run\" or \"exec\", or remove it"
    case .ofUses: "move it to the steps of the used file"
    }
  }
}
