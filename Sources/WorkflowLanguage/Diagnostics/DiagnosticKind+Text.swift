// The messages of errors and warnings: what is wrong, as a clause.

import YAML

extension DiagnosticKind {
  /// What is wrong, as a clause.
  var text: String {
    switch self {
    case .yaml(let kind): kind.message
    case .emptyFile: "the file is empty"
    case .unreadable(let error): error.text
    case .unreadableUse(let name, _, let error), .unreadableVariables(let name, let error):
      "\"\(name)\" \(error.text)"
    case .variables(let path, let line, let reason): "\(path), line \(line): \(reason.text)"
    case .largeVariables(let path):
      "\"\(path)\" is larger than \(SourceFiles.dotenvBytesMax >> 20) MiB, which is the most that a "
        + "file of variables may have"
    case .largeVariablesTogether:
      "all files of variables have more than \(SourceFiles.allDotenvBytesMax >> 20) MiB together"
    case .largeUses:
      "the files that are used have more than \(SourceText.bytesMax >> 20) MiB together, each "
        + "as often as it is used"

    case .unknownKey(let name, let place, _, _), .keyAfterComma(let name, let place):
      "\(place) has no key \"\(name)\""
    case .groupKey("needs"): "a parallel group has no \"needs\" of its own"
    case .groupKey(let name): "a parallel group has no key \"\(name)\""
    case .notAMap(let place, let key, let found, _):
      "\(place) is a map with keys such as \"\(key)\", not \(found)"
    case .stepNotAMap(let found): "a step is a map with \"id\" and \"run\", not \(found)"
    case .notNamedValues(let what, let found, _):
      "\(what) is a map of names and values, not \(found)"
    case .matrixNotAMap(let found): "a matrix is a map of names and lists, not \(found)"
    case .notAList(let what, let found): "\(what) expected here, not \(found)"
    case .notAText(let what, let found, _): "\(what) is a text, not \(found)"
    case .colonMadeMap(let what, _, _): "\(what) is a text; the colon made a map of it"
    case .scriptIsList: "run is a text, not a list"
    case .emptyText(let what): "\(what) is empty"
    case .notComputable(let what): "\(what) cannot be computed"
    case .nul(let what): "\(what) has a NUL in it, which no program can be given"
    case .notADuration(let what, let text): "\(what) is a duration, not \"\(text)\""
    case .notABoolean(let what, _): "\(what) is true or false"
    case .notWhole(let what, nil, _, _): "\(what) is a whole number"
    case .notWhole(let what, let minimum?, let isLarge, _):
      "\(what) is a whole number from \(minimum)" + (isLarge ? " to \(Int32.max)" : "")
    case .notInRange(let what, let range):
      "\(what) is a number from \(short(range.lowerBound)) to \(short(range.upperBound))"
    case .aboveMaximum(let what, let maximum): "\(what) is at most \(maximum)"
    case .rangeStepZero: "the distance of a range is not 0"
    case .unknownChoice(let what, let text, _): "there is no \(what) \"\(text)\""
    case .variableName(let name): "\"\(name)\" cannot be the name of an environment variable"
    case .identifier(let name): "\"\(name)\" cannot be a name here"
    case .reservedName: "names that begin with REPRISE_ are set by Reprise itself"
    case .longName(let count):
      "the name of a workflow has at most \(Reader.nameBytesMax) bytes, not \(count)"
    case .missing(let keys): keys.text
    case .emptyList(let what, _): "there is no \(what) in this list"
    case .emptyGroup: "there is no branch in this group"
    case .noProgram(let what, _): "\(what) names no program"
    case .exclusive(let first, let second, "a schedule"):
      "a schedule has \"\(first)\" or \"\(second)\", not both"
    case .exclusive(let first, let second, let place):
      "\(place) has either \"\(first)\" or \"\(second)\", not both"
    case .misplaced(let key): key.text
    case .noValue(let variable): "the variable \"\(variable)\" has no value"
    case .pattern(let message): message
    case .ignorePattern: "a pattern of \"ignore\" does not begin with \"!\""

    case .noAction: "this step does nothing"
    case .stepID(let id): "\"\(id)\" cannot be an id"
    case .duplicateID(let id, let line): "there is a step \"\(id)\" already, at line \(line)"
    case .scriptWithExpression:
      "a value is never pasted into a script, where it could become code"
    case .tooManySteps:
      "more than \(WorkflowReader.expansionsMax) steps are made by foreach, matrix and uses"
    case .expansion(let count):
      "this makes \(count) steps; at most \(WorkflowReader.expansionMax) are made of one"
    case .largeExpansion(let count, let size):
      "this makes \(count) steps with \(size) keys and values each; all steps that are made of "
        + "others have at most \(WorkflowReader.valuesOfManyMax) together"
    case .largeMatrix:
      "this matrix is too large: its combinations have more than \(Matrix.valuesMax) values together"
    case .tooManyUses: "other files are used more than \(WorkflowReader.filesMax) times"
    case .deepUses:
      "more than \(WorkflowReader.usesDepthMax) workflows use one another in a row"
    case .foreachText: "foreach takes a list, a range or an expression, not a text"
    case .foreachValue(let types): "foreach takes a list, not \(types.name)"
    case .noMatrixList: "there is no list in this matrix"
    case .emptyMatrixList(let name): "the list \"\(name)\" of the matrix is empty"
    case .emptyMatrix: "nothing is left of this matrix"
    case .matrixValue(let name, let found): "\"\(name)\" of a matrix is a list, not \(found)"
    case .matrixCombination(let name): "\(name) is a list of maps"
    case .matrixExclusion(let name): "\"\(name)\" in exclude is no list of the matrix"
    case .approvalOfMany: "a step that becomes many cannot wait for approval"

    case .unknownNeed(let name, let step, _):
      "step \"\(step)\" needs \"\(name)\", which does not exist"
    case .needsAsText(let text): "\"\(text)\" is no id"
    case .cycle(let ids): GraphError.cycle(ids).description
    case .needsItself(let name): GraphError.needsItself(name).description
    case .neededTwice(let id): "\"\(id)\" is needed already"
    case .finallyStep(let name, _):
      "\"\(name)\" stands under \"finally\": it runs when all others are over"
    case .tooManyNeeds:
      "the steps have more than \(WorkflowReader.needsMax) needs: each step here needs each one of a "
        + "group"

    case .emptyExpression: "the expression is empty"
    case .operatorExpected: "an operator is expected before this"
    case .expected(let symbol, _): "a \(symbol) is expected here"
    case .valueExpected(nil): "a value is expected at the end"
    case .valueExpected(let symbol?): "a value is expected before \"\(symbol)\""
    case .memberExpected: "a name or * is expected behind the point"
    case .unclosedText: "this text is never closed"
    case .unclosedExpression: "this expression is never closed"
    case .strayCharacter(let character): "\"\(character)\" means nothing here"
    case .notANumber(let text): "\"\(text)\" is no number"
    case .deepExpression: "the expression is nested deeper than \(Expression.depthMax)"
    case .longExpression:
      "more than \(Expression.depthMax) operators stand in one expression"
    case .unknownName(let name): "there is no \"\(name)\""
    case .unknownFunction(let name): "there is no function \"\(name)\""
    case .argumentCount(let function, let count):
      "\(function.rawValue) takes \(function.argumentCountName), not \(count)"
    case .argumentType(let function, let expected, let found):
      "\(function.rawValue) takes \(expected.name) here, not \(found.name)"
    case .mapArgument(.contains): "contains takes a list or a text, not a map"
    case .mapArgument(let function): "\(function.rawValue) takes a list, not a map"
    case .textExpected(let types): "a text is expected here, not \(types.name)"
    case .notPartOfText(let types): "\(types.name) cannot be part of a text"
    case .notComparable(let symbol, let left, let right):
      symbol.isOrder
        ? "\(symbol.rawValue) compares two numbers, not \(left.name) and \(right.name)"
        : "\(left.name) and \(right.name) are never equal"
    case .nameNotHere(let root, let place, _): "\"\(root.rawValue)\" cannot be used in \(place)"
    case .statusNotHere(let function, let place):
      "\(function.rawValue)() cannot be used in \(place)"
    case .filesNotHere(let place): "files cannot be hashed in \(place)"
    case .unknownMember(let what, let name, _): "there is no \(what) \"\(name)\""
    case .secrets(let root, let name, let place):
      "\"\(root.rawValue)\" holds a secret (\(name)), which cannot be used in \(place)"
    case .secret(let root, let name, let place):
      "\"\(root.rawValue).\(name)\" holds a secret, which cannot be used in \(place)"
    case .noMember(let name, nil): "this has no \"\(name)\""
    case .noMember(let name, let types?): "\(types.name) has no \"\(name)\""
    case .noElements(let types): "\(types.name) has no elements"
    case .noStepMember(let name, _): "a step has no \"\(name)\""
    case .computedName(let root): "what is taken of \(root.rawValue) is named, not computed"
    case .memberName(nil): "a member of a map is named by a text"
    case .memberName(let types?): "a member of a map is named by a text, not \(types.name)"
    case .elementNumber: "an element of a list is named by a number, from 0"
    case .noValueByItself(let root): "\(root.rawValue) is no value by itself"
    case .severalExpressions: "a condition is one expression"
    case .condition(let types): "if is true or false, not \(types.name)"
    case .conditionValue(let types): "it is true or false, not \(types.name)"
    case .ownOutputs(isInOutputs: false): "a step cannot use its own outputs"
    case .ownOutputs(isInOutputs: true): "a step's own outputs are \"outputs.…\""
    case .notOver(let name, _): "\"\(name)\" may not be over when this step starts"
    case .notJSON(let reason): "this is not JSON: \(reason)"
    case .formatPlace: "a place in the pattern of format is written {0}, {1} …"
    case .formatValue(let number): "format has no value for {\(number)}"
    case .formatBracket: "a } in the pattern of format stands alone"
    case .largeValue:
      "the value is too large: one value has at most \(EvaluationBudget.valueBytesMax >> 20) MiB, "
        + "all of them together \(EvaluationBudget.bytesMax >> 20) MiB"
    case .absent(let value): value.text
    case .inside(let place, let inner): "\(place): \(inner.text)"

    case .requiredWithDefault: "a parameter that has to be given has no default"
    case .optionalWithoutDefault(let name):
      "the parameter \"\(name)\" need not be given and has no default"
    case .parameterNumber(let name, let text):
      "the parameter \"\(name)\" is a number, not \"\(text)\""
    case .parameterBoolean(let name, let text):
      "the parameter \"\(name)\" is true or false, not \"\(text)\""
    case .parameterChoice(let name, let text, let options):
      "the parameter \"\(name)\" cannot be \"\(text)\"; \(options.hint("it may be") ?? "")"
    case .parameterType(let name, let expected, let found):
      "the parameter \"\(name)\" is \(expected.name), not \(found.name)"
    case .unknownParameter(let name, .names([])):
      "there is no parameter \"\(name)\"; the workflow has none"
    case .unknownParameter(let name, let others):
      "there is no parameter \"\(name)\"; \(others.hint() ?? "")"
    case .unknownWith(let name, let file, _): "\"\(file)\" has no parameter \"\(name)\""
    case .parameterNotGiven(let name, let description):
      "the parameter \"\(name)\" has to be given: -p \(name)=…"
        + (description.map { "  (\($0))" } ?? "")
    case .parameterOfUse(let name, let file): "\"\(file)\" needs its parameter \"\(name)\""
    case .secretValue(let name):
      "the secret \"\(name)\" says where it comes from, never what it is"
    case .secretSource: "a secret comes from one of \"env\", \"file\" and \"command\""

    case .noTrigger: "nothing under \"on\" starts a run"
    case .noFile(let what): "\"\(what)\" names no file"
    case .scheduleTwice(let text): "the schedule \"\(text)\" stands here twice"
    case .shortInterval: "\"every\" is at least a second"
    case .unknownZone(let zone, _, _): "there is no time zone \"\(zone)\""
    case .cron(let message, _): message

    case .unknownAction(let name, _): "there is no action \"\(name)\""
    case .argumentMissing(let path, _): "\"\(path)\" is missing"
    case .unknownArgument(let path, _): "there is no \"\(path)\" here"
    case .argumentKind(let name, let expected, let found, _):
      "\(name) has to be \(expected), not \(found)"
    case .argumentRange(let name, let minimum, let maximum):
      "\(name) has to be a whole number from \(minimum) to \(maximum)"
    case .argumentChoice(let name, let text, _): "\(name) cannot be \"\(text)\""
    case .fewArguments(let name, let count):
      "\(name) has \(count) values, and more are expected"
    case .argument(let message): message
    case .usesPath(let name): "\"\(name)\" is no path of a workflow file"
    case .usesOutside(let name):
      "\"\(name)\" is outside of the folder of the workflow that is run"
    case .usesCycle(let paths):
      "workflows use one another in a circle: \(paths.joined(separator: " -> "))"
    case .notUsable(let key): "a workflow with \"\(key)\" cannot be used by another one"

    case .impliedNeed(let name, let other): "\"\(name)\" is needed already, by \"\(other)\""
    case .neverTrue: "this condition is never true, so nothing reaches the step"
    case .neverCancelled:
      "cancelled() is never true outside of \"finally\": a cancelled run starts no other step"
    case .unsetVariable(let name, _):
      "the variable \"\(name)\" is set neither in this file nor in the environment"
    case .unusedOutput(let name, let step):
      "the output \"\(name)\" of \"\(step)\" is never used in this file"
    case .writtenNumber(let text, let number): "\(text) is the number \(number)"
    case .booleanWord(let text): "\"\(text)\" is a text, not true or false"
    case .noEffectInUse(let key):
      "\"\(key)\" has no effect in a workflow that another one uses"
    }
  }

  private func short(_ bound: Double) -> String {
    bound == bound.rounded() ? String(Int(bound)) : String(bound)
  }
}

extension ReadError {
  /// What is wrong, after the name of the file.
  var text: String {
    switch self {
    case .failed(let reason): "cannot be read: \(reason)"
    case .notRegular: "is not a regular file"
    case .notKept: "was not kept with the run"
    }
  }
}

extension DotenvError.Reason {
  /// What is wrong, as a clause.
  var text: String {
    switch self {
    case .noAssignment(let line): "\"\(line)\" is no NAME=VALUE"
    case .reservedName: DiagnosticKind.reservedName.text
    case .unclosedQuote: "the quote is never closed"
    case .afterQuote: "something stands behind the closing quote"
    case .nul: "it has a NUL in it, which no program can be given"
    case .notUTF8: "it is not UTF-8"
    }
  }
}

extension MissingKeys {
  fileprivate var text: String {
    switch self {
    case .steps: "a workflow needs \"steps\""
    case .id: "a step needs an \"id\""
    case .limit: "retry needs a \"limit\""
    case .groupAndPolicy: "concurrency needs a \"group\" and a \"policy\""
    case .fromAndTo: "a range needs \"from\" and \"to\""
    case .paths: "files needs \"paths\""
    case .cronOrEvery: "a schedule needs \"cron\" or \"every\""
    case .path: "a file of variables needs a \"path\""
    case .inputsOrKey: "cache needs \"inputs\" or a \"key\""
    case .options(let name): "the choice \"\(name)\" needs \"options\""
    }
  }
}

extension MisplacedKey {
  fileprivate var text: String {
    switch self {
    case .with: "\"with\" belongs to a step with \"call\" or \"uses\""
    case .options: "\"options\" belong to \"type: choice\""
    case .factor: "a factor means something with \"backoff: exponential\" only"
    case .timeZone: "\"time-zone\" counts only with \"cron\""
    case .on: "\"on\" belongs to steps under \"finally\""
    case .shellOfCall: "a step with \"call\" has no shell"
    case .needsOfFinally: "a step under finally has no \"needs\""
    case .sharedApproval: "a step that only waits for approval has no work to share"
    case .ofMany(let name):
      "\"\(name)\" of a step means something with \"foreach\" or \"matrix\" only"
    case .ofMatrix(let name): "\"\(name)\" stands beside matrix, not in it"
    case .withPolicy(let name, let policy, _):
      "\"\(name)\" counts only with when-busy: \(policy.rawValue)"
    case .ofApproval(let name):
      "a step that only waits for approval has no work for \"\(name)\""
    case .ofUses(let name): "a step with \"uses\" has no \"\(name)\""
    }
  }
}

extension AbsentValue {
  fileprivate var text: String {
    switch self {
    case .beforeRun(let root): "\"\(root.rawValue)\" is not known before the run begins"
    case .parameterBeforeRun(let name, let what):
      "\(what) has to be known before the run begins, but \"\(name)\" is computed by a step"
    case .hashBeforeRun: "files are hashed when the run is under way"
    case .itemMember(let name, let types): "the item has no \"\(name)\": it is \(types.name)"
    case .unknownParameter(let name): "there is no parameter \"\(name)\""
    case .parameter(let name): "the parameter \"\(name)\" was not given"
    case .notText(let variable): "the value of the variable \"\(variable)\" is not UTF-8"
    case .nul: "the value has a NUL in it, which nothing can be given"
    case .secret(let name): "the secret \"\(name)\" is not known"
    case .written(let name, _): "it has written no output \"\(name)\""
    case .step(let name): "the step \"\(name)\" is not part of this run"
    case .output(let name, let step, _, _):
      "the step \"\(step)\" has left no output \"\(name)\""
    case .failed(let message): message
    }
  }
}
