// The messages of errors and warnings.

import YAML

extension DiagnosticKind {
  /// The message: what is wrong, as a clause.
  var text: String {
    switch self {
    case .yaml(let kind): kind.message
    case .emptyFile: "the file is empty"
    case .unreadable(let error): error.text
    case .unreadableUse(let name, _, let error), .unreadableDotenv(let name, let error):
      "\"\(name)\" \(error.text)"
    case .variables(let path, let line, let reason): "\(path), line \(line): \(reason.text)"
    case .dotenvTooLarge(let path):
      "\"\(path)\" is larger than \(SourceFiles.dotenvBytesMax >> 20) MiB, the maximum for a "
        + "dotenv file"
    case .allDotenvTooLarge:
      "all dotenv files together are larger than \(SourceFiles.allDotenvBytesMax >> 20) MiB"
    case .usesTooLarge:
      "all files under \"uses\" together are larger than \(SourceText.bytesMax >> 20) MiB, "
        + "counting each use"

    case .unknownKey(let name, let place, _, _), .keyAfterComma(let name, let place):
      "\(place) has no key \"\(name)\""
    case .notAMap(let place, let key, let found, _):
      "\(place) must be a map with keys such as \"\(key)\", not \(found)"
    case .stepNotAMap(let found): "a step must be a map with \"id\" and \"run\", not \(found)"
    case .notNamedValues(let what, let found, _):
      "\(what) must be a map of names to values, not \(found)"
    case .matrixNotAMap(let found): "a matrix must be a map of names to lists, not \(found)"
    case .notAList(let what, let found): "expected \(what), not \(found)"
    case .textRequired(let what, let found, _): "\(what) must be text, not \(found)"
    case .unquotedColon(let what, _, _): "\(what) must be text; the colon made it a map"
    case .scriptIsList: "run must be text, not a list"
    case .emptyText(let what): "\(what) is empty"
    case .expressionNotAllowed(let what): "\(what) cannot contain an expression"
    case .nul(let what): "\(what) contains a NUL character, which cannot be passed to a program"
    case .notADuration(let what, let text): "\(what) must be a duration, not \"\(text)\""
    case .notAnAddress(let text): "\"\(text)\" is not an address like http://127.0.0.1:8080/health"
    case .notASize(let what, let text, let minimum):
      "\(what) must be a size from \(minimum), not \"\(text)\""
    case .notABoolean(let what, _): "\(what) must be true or false"
    case .notWhole(let what, nil, _, _): "\(what) must be a whole number"
    case .notWhole(let what, let minimum?, let isLarge, _):
      "\(what) must be a whole number "
        + (isLarge ? "from \(minimum) to \(Int32.max)" : "of at least \(minimum)")
    case .notInRange(let what, let range):
      "\(what) must be a number from \(short(range.lowerBound)) to \(short(range.upperBound))"
    case .aboveMaximum(let what, let maximum): "\(what) must be at most \(maximum)"
    case .rangeStepZero: "\"by\" of a range must not be 0"
    case .unknownChoice(let what, let text, _): "there is no \(what) \"\(text)\""
    case .variableName(let name): "\"\(name)\" is not a valid environment variable name"
    case .identifier(let name): "\"\(name)\" is not a valid name"
    case .reservedName: "names that begin with REPRISE_ are reserved for Reprise"
    case .longName(let count):
      "the name of a workflow must have at most \(Reader.nameBytesMax) bytes, not \(count)"
    case .missing(let keys): keys.text
    case .emptyList(let what, _): "this list needs at least one \(what)"
    case .emptyGroup: "this group needs at least one branch"
    case .noProgram(let what, _): "\(what) must begin with a program"
    case .exclusive(let first, let second, "a schedule"):
      "a schedule can have either \"\(first)\" or \"\(second)\", not both"
    case .exclusive(let first, let second, let place):
      "\(place) can have either \"\(first)\" or \"\(second)\", not both"
    case .misplaced(let key): key.text
    case .noValue(let variable): "the variable \"\(variable)\" has no value"
    case .pattern(let message): message
    case .ignorePattern: "a pattern under \"ignore\" must not begin with \"!\""

    case .noAction: "this step does nothing"
    case .stepID(let id): "\"\(id)\" is not a valid step id"
    case .duplicateID(let id, let line): "the id \"\(id)\" is already used at line \(line)"
    case .scriptWithExpression:
      "a script cannot contain an expression, because its value could run as code"
    case .tooManySteps:
      "foreach, matrix and uses create more than \(WorkflowReader.expansionsMax) steps in total"
    case .expansion(let count):
      "this expands to \(count) steps; the maximum is \(WorkflowReader.expansionMax)"
    case .largeExpansion(let count, let size):
      "this expands to \(count) steps with \(size) keys and values each; the maximum for all "
        + "expanded steps together is \(WorkflowReader.valuesOfManyMax)"
    case .largeMatrix:
      "this matrix is too large: its combinations have more than \(Matrix.valuesMax) values"
    case .tooManyUses: "\"uses\" reads more than \(WorkflowReader.filesMax) files in total"
    case .deepUses:
      "\"uses\" is nested more than \(WorkflowReader.usesDepthMax) levels deep"
    case .foreachText: "foreach must be a list, a range or an expression, not text"
    case .foreachValue(let types): "foreach must be a list, not \(types.name)"
    case .filesOfForeach(let problem): problem
    case .statusOfItem:
      "a condition that depends on an item which is only known during the run cannot test the status"
    case .tooManyItems(let count, let maximum):
      "there are \(count) items, and \"max-items\" is \(maximum)"
    case .itemKey(let key): "\"\(key)\" cannot be the key of an item"
    case .longItemKey(let key, _):
      "the key \"\(key.prefix(40))…\" of an item is too long: it has \(key.utf8.count) bytes"
    case .itemKeyTwice(let key, let first, let second):
      "items \(first) and \(second) have the same key \"\(key)\""
    case .noMatrixList: "this matrix has no lists"
    case .emptyMatrixList(let name): "the list \"\(name)\" of the matrix is empty"
    case .emptyMatrix: "this matrix has no combinations"
    case .matrixValue(let name, let found): "\"\(name)\" of a matrix must be a list, not \(found)"
    case .matrixCombination(let name): "\(name) must be a list of maps"
    case .matrixExclusion(let name): "\"\(name)\" in exclude is not a list of the matrix"
    case .approvalOfExpandedStep: "a step with \"foreach\" or \"matrix\" cannot wait for approval"

    case .itemsWaiting:
      "with this limit, these steps could wait for one another forever"
    case .positionalID(let id):
      "\"\(id)\" names a step by its position, which changes when steps are added"
    case .unknownNeed(let name, let step, _):
      "step \"\(step)\" needs \"\(name)\", which does not exist"
    case .needsAsText(let text): "\"\(text)\" is not a step id"
    case .cycle(let ids): GraphError.cycle(ids).description
    case .serviceCycle(let ids):
      "these steps wait for one another, because of the end of a service: "
        + (ids + ids.prefix(1)).joined(separator: " -> ")
    case .serviceOutside(let service, let group):
      "the service \"\(service)\" ends with "
        + (group.map { "the group \"\($0)\"" } ?? "the list of steps in which it is written")
        + ", so this step cannot use it"
    case .serviceOfNothing(let service):
      "the service \"\(service)\" never starts: it ends with the list of steps in which it is "
        + "written, and no other step of the list can use it"
    case .poolOfService(let pool, let service):
      "this step waits forever: the service \"\(service)\", which it uses, holds the places of "
        + "pool \"\(pool)\" that it needs"
    case .needsItself(let name): GraphError.needsItself(name).description
    case .neededTwice(let id): "\"\(id)\" is listed twice in needs"
    case .finallyStep(let name, _):
      "\"\(name)\" is under \"finally\", so it runs after all other steps"
    case .tooManyNeeds:
      "the steps have more than \(WorkflowReader.needsMax) needs in total: each step here needs "
        + "every step of a group"

    case .emptyExpression: "the expression is empty"
    case .operatorExpected: "expected an operator before this"
    case .expected(let symbol, _): "expected a \(symbol) here"
    case .valueExpected(nil): "expected a value at the end"
    case .valueExpected(let symbol?): "expected a value before \"\(symbol)\""
    case .memberExpected: "expected a name or * after the dot"
    case .unclosedText: "this quoted text is not closed"
    case .unclosedExpression: "this expression is not closed"
    case .unexpectedCharacter(let character): "unexpected \"\(character)\""
    case .notANumber(let text): "\"\(text)\" is not a number"
    case .deepExpression: "the expression is nested more than \(Expression.depthMax) levels deep"
    case .longExpression: "the expression has more than \(Expression.depthMax) operators"
    case .unknownName(let name): "unknown name \"\(name)\""
    case .unknownFunction(let name): "there is no function \"\(name)\""
    case .argumentCount(let function, let count):
      "\(function.rawValue) takes \(function.argumentCountName), not \(count)"
    case .argumentType(let function, let expected, let found):
      "\(function.rawValue) takes \(expected.name) here, not \(found.name)"
    case .mapArgument(.contains): "contains takes a list or text, not a map"
    case .mapArgument(let function): "\(function.rawValue) takes a list, not a map"
    case .textExpected(let types): "expected text here, not \(types.name)"
    case .notPartOfText(let types): "\(types.name) cannot be part of text"
    case .notComparable(let symbol, let left, let right):
      symbol.isOrder
        ? "\(symbol.rawValue) compares two numbers, not \(left.name) and \(right.name)"
        : "\(left.name) and \(right.name) are never equal"
    case .notSortable([.number, .text]): "sort takes numbers or texts, not both in one list"
    case .notSortable(let types): "sort takes a list of numbers or texts, not \(types.name)"
    case .notNumbers(let symbol, let left, let right):
      "\(symbol.rawValue) takes two numbers, not \(Self.other(than: .number, left, right).name)"
    case .divisionByZero(let symbol): "\(symbol.rawValue) by zero has no value"
    case .inexact(let symbol, let digits):
      "\(symbol.rawValue) would not be exact: \(abridged(digits)) has more than 53 bits"
    case .infinite(let symbol): "the result of \(symbol.rawValue) is too large for a number"
    case .textPattern(let message): "invalid pattern: \(message)"
    case .emptyPart(let function):
      "\(function.rawValue) needs a text of at least one character here"
    case .nameNotHere(let root, let place, _): "\"\(root.rawValue)\" cannot be used in \(place)"
    case .statusNotHere(let function, let place):
      "\(function.rawValue)() cannot be used in \(place)"
    case .moment(let text): "\"\(text)\" is not a moment in UTC"
    case .onlyInFinally(let name): "\"\(name)\" is not known before the other steps have ended"
    case .filesNotHere(.toFile, let place): "a file cannot be written for \(place)"
    case .filesNotHere(.hashFiles, let place): "files cannot be hashed in \(place)"
    case .filesNotHere(_, let place): "files cannot be listed in \(place)"
    case .unknownMember(let what, let name, _): "there is no \(what) \"\(name)\""
    case .secrets(let root, let name, let place):
      "\"\(root.rawValue)\" contains a secret (\(name)), which cannot be used in \(place)"
    case .secret(let root, let name, let place):
      "\"\(root.rawValue).\(name)\" contains a secret, which cannot be used in \(place)"
    case .noMember(let name, nil): "the value has no \"\(name)\""
    case .noMember(let name, let types?): "\(types.name) has no \"\(name)\""
    case .noElements(let types): "\(types.name) has no elements"
    case .noStepMember(let name, _): "a step has no \"\(name)\""
    case .computedName(let root): "a member of \(root.rawValue) must be a name, not an expression"
    case .memberName(nil): "the index of a map must be text"
    case .memberName(let types?): "the index of a map must be text, not \(types.name)"
    case .elementNumber: "the index of a list must be a number, counted from 0"
    case .notAValue(let root): "\(root.rawValue) cannot be used as a value"
    case .severalExpressions: "a condition must be a single expression"
    case .condition(let types): "if must be true or false, not \(types.name)"
    case .conditionValue(let types): "the condition must be true or false, not \(types.name)"
    case .ownOutputs(isInOutputs: false): "a step cannot use its own outputs"
    case .ownOutputs(isInOutputs: true): "a step cannot refer to itself by its id"
    case .notFinished(let name, _): "\"\(name)\" might not be finished when this step starts"
    case .notJSON(let reason): "invalid JSON: \(reason)"
    case .formatPlace: "a placeholder in the pattern of format must be {0}, {1}, …"
    case .formatValue(let number): "format has no value for {\(number)}"
    case .formatBracket: "unmatched } in the pattern of format"
    case .largeValue:
      "the value is too large: the maximum is \(EvaluationBudget.valueBytesMax >> 20) MiB for one "
        + "value and \(EvaluationBudget.bytesMax >> 20) MiB for all values together"
    case .absent(let value): value.text
    case .inside(let place, let inner): "\(place): \(inner.text)"

    case .requiredWithDefault: "a required parameter cannot have a default"
    case .optionalWithoutDefault(let name): "the optional parameter \"\(name)\" needs a default"
    case .parameterNumber(let name, let text):
      "the parameter \"\(name)\" must be a number, not \"\(text)\""
    case .parameterBoolean(let name, let text):
      "the parameter \"\(name)\" must be true or false, not \"\(text)\""
    case .parameterChoice(let name, let text, let options):
      "the parameter \"\(name)\" cannot be \"\(text)\"; \(options.hint("valid values") ?? "")"
    case .parameterKind(let name, let expected, let text):
      "the parameter \"\(name)\" must be \(expected), not \"\(text)\""
    case .parameterLimit(let name, let expected, let text):
      "the parameter \"\(name)\" must \(expected), not \"\(text)\""
    case .parameterPattern(let name, let pattern, let text):
      "the parameter \"\(name)\" must match \(pattern), and \"\(text)\" does not"
    case .emptyLimits(let name): "no value of \"\(name)\" can be within its limits"
    case .parameterType(let name, let expected, let found):
      "the parameter \"\(name)\" must be \(expected.name), not \(found.name)"
    case .unknownParameter(let name, .names([])):
      "there is no parameter \"\(name)\"; the workflow has no parameters"
    case .unknownParameter(let name, let others):
      "there is no parameter \"\(name)\"; \(others.hint() ?? "")"
    case .unknownWith(let name, let file, _): "\"\(file)\" has no parameter \"\(name)\""
    case .parameterNotGiven(let name, let description):
      "the parameter \"\(name)\" is required"
        + (description.map { "  (\($0))" } ?? "")
    case .parameterOfUse(let name, let file): "\"\(file)\" requires the parameter \"\(name)\""
    case .secretValue(let name):
      "the secret \"\(name)\" must name its source, not its value"
    case .secretSource: "a secret needs exactly one of \"env\", \"file\" and \"command\""

    case .noTrigger: "\"on\" has no trigger"
    case .noFile(let what): "\"\(what)\" needs a pattern that does not begin with \"!\""
    case .scheduleTwice(let text): "the schedule \"\(text)\" is listed twice"
    case .shortInterval: "\"every\" must be at least 1s"
    case .unknownZone(let zone, _, _): "there is no time zone \"\(zone)\""
    case .cron(let message, _): message

    case .unknownAction(let name, _): "there is no action \"\(name)\""
    case .argumentMissing(let path, _): "\"\(path)\" is missing"
    case .unknownArgument(let path, _): "unknown name \"\(path)\""
    case .argumentKind(let name, let expected, let found, _):
      "\(name) must be \(expected), not \(found)"
    case .argumentRange(let name, let minimum, let maximum):
      "\(name) must be a whole number from \(minimum) to \(maximum)"
    case .argumentChoice(let name, let text, _): "\(name) cannot be \"\(text)\""
    case .fewArguments(let name, let count):
      "\(name) has too few values: \(count)"
    case .argument(let message): message
    case .usesPath(let name): "\"\(name)\" is not a relative path to a workflow file"
    case .usesOutside(let name):
      "\"\(name)\" is outside the project of the workflow that is run"
    case .usesCycle(let paths):
      "workflows use one another in a cycle: \(paths.joined(separator: " -> "))"
    case .unknownPool(let name, _): "there is no pool \"\(name)\""
    case .unknownWorkflow(let name, _): "the file has no workflow \"\(name)\" under \"workflows\""
    case .notUsable(let key): "a workflow with \"\(key)\" cannot be used by another workflow"

    case .redundantNeed(let name, let other): "\"\(name)\" is redundant: \"\(other)\" needs it"
    case .neverTrue: "this condition is never true, so the step never runs"
    case .alwaysTrue: "this condition is always true"
    case .oneRound(let isWhile):
      "this condition is always \(!isWhile), so the step never runs again"
    case .impossibleWord(let word, let what, _, _): "\(what) is never '\(word)'"
    case .expressionInCode(let program): "the value of an expression becomes code of \(program)"
    case .notExpanded(let text, _): "\"\(text)\" is plain text here: no shell reads it"
    case .plainBraces(let text, _): "\"\(text)\" is plain text here"
    case .unusedAnchor(let name): "the anchor \"\(name)\" is never used"
    case .neverCancelled:
      "cancelled() is never true outside \"finally\": a cancelled run starts no other steps"
    case .alwaysIsNotOnCancel:
      "always() does not run this step when the run is cancelled"
    case .unreadableScript(let step, let shell, let reason):
      "\(shell) cannot read the script of step \"\(step)\": \(reason)"
    case .missingProgram(let name, let step):
      "step \"\(step)\": there is no program \"\(name)\" on this machine"
    case .runnerNotReady(let text): text
    case .unmatchedInput(let pattern, let step):
      "step \"\(step)\": no file matches \"\(pattern)\""
    case .vainExclusion(let name): "no value of \"\(name)\" is excluded: the list has no such value"
    case .unsetVariable(let name, .isOfSameFile), .unsetVariable(let name, .isOfStep):
      "the variable \"\(name)\" has no value here"
    case .unsetVariable(let name, _):
      "the variable \"\(name)\" is set neither in this file nor in the environment"
    case .unusedOutput(let name, let step):
      "the output \"\(name)\" of \"\(step)\" is never used in this file"
    case .writtenNumber(let text, let number): "\(text) is read as the number \(number)"
    case .booleanWord(let text): "\"\(text)\" is text, not true or false"
    case .noEffectInUse(let key):
      "\"\(key)\" has no effect in a workflow that is used by another workflow"
    }
  }

  /// Returns the types of the value that is not of the expected type.
  private static func other(
    than expected: ValueTypes, _ left: ValueTypes, _ right: ValueTypes
  ) -> ValueTypes {
    left.isDisjoint(with: expected) ? left : right
  }

  private func short(_ bound: Double) -> String {
    bound == bound.rounded() ? String(Int(bound)) : String(bound)
  }
}

extension ReadError {
  /// The message, as the predicate that follows the name of the file.
  var text: String {
    switch self {
    case .failed(let reason): "cannot be read: \(reason)"
    case .notRegular: "is not a regular file"
    case .notKept: "was not saved with the run"
    }
  }
}

extension DotenvError.Reason {
  /// The message: what is wrong, as a clause.
  var text: String {
    switch self {
    case .noAssignment(let line): "\"\(line)\" is not NAME=VALUE"
    case .reservedName: DiagnosticKind.reservedName.text
    case .unclosedQuote: "the quote is not closed"
    case .afterQuote: "unexpected text after the closing quote"
    case .nul: "it contains a NUL character, which cannot be passed to a program"
    case .notUTF8: "it is not valid UTF-8"
    }
  }
}

extension MissingValue {
  fileprivate var text: String {
    switch self {
    case .beforeRun(let root): "\"\(root.rawValue)\" is not known before the run starts"
    case .parameterBeforeRun(let name, let what):
      "\(what) must be known before the run starts, but \"\(name)\" is computed by a step"
    case .hashBeforeRun: "files cannot be hashed before the run starts"
    case .runDirectory(nil): "this engine keeps no folder for its runs"
    case .runDirectory(let problem?): "the folder of the run cannot be created: \(problem)"
    case .filesBeforeRun: "files cannot be listed before the run starts"
    case .itemMember(let name, let types): "the item has no \"\(name)\": it is \(types.name)"
    case .unknownParameter(let name): "there is no parameter \"\(name)\""
    case .parameter(let name): "the parameter \"\(name)\" has no value"
    case .notText(let variable): "the value of the variable \"\(variable)\" is not valid UTF-8"
    case .nul: "the value contains a NUL character, which cannot be passed to a program"
    case .secret(let name): "the secret \"\(name)\" is not known"
    case .written(let name, _): "the step has not written an output \"\(name)\""
    case .step(let name): "the step \"\(name)\" is not part of this run"
    case .output(let name, let step, _, _):
      "the step \"\(step)\" has no output \"\(name)\""
    case .failed(let message): message
    }
  }
}
