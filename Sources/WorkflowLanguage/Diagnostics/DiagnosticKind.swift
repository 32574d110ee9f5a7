// The causes of errors and warnings about workflows, each with the values for its message. Codes,
// messages and hints are in the DiagnosticKind+ files.

import YAML

/// One cause of an error or a warning.
///
/// Its code never changes and is never reused for another cause.
indirect enum DiagnosticKind: Error, Sendable, Equatable {
  // MARK: R01 Files and YAML

  case yaml(Problem.Kind)
  case emptyFile
  case unreadable(ReadError)
  case unreadableUse(String, path: String, ReadError)
  case unreadableDotenv(String, ReadError)
  case variables(String, line: Int, DotenvError.Reason)
  case dotenvTooLarge(String)
  case allDotenvTooLarge
  case usesTooLarge

  // MARK: R02 Keys and values

  case unknownKey(String, in: String, advice: String?, Alternatives)
  /// A key without a value that follows text: the comma was probably part of that text.
  case keyAfterComma(String, in: String)
  case notAMap(String, firstKey: String, found: String, hint: String?)
  case stepNotAMap(found: String)
  case notNamedValues(String, found: String, text: String?)
  case matrixNotAMap(found: String)
  case notAList(String, found: String)
  case textRequired(String, found: String, isTag: Bool)
  case unquotedColon(String, key: String, value: String)
  case scriptIsList
  case emptyText(String)
  case expressionNotAllowed(String)
  case nul(String)
  case notADuration(String, String)
  case notASize(String, String, minimum: String)
  case notAnAddress(String)
  case notABoolean(String, isOtherWord: Bool)
  case notWhole(String, from: Int?, isLarge: Bool, isComputed: Bool)
  case notInRange(String, ClosedRange<Double>)
  case aboveMaximum(String, Int)
  case rangeStepZero
  case unknownChoice(String, String, Alternatives)
  case variableName(String)
  case identifier(String)
  case reservedName
  case longName(bytes: Int)
  case missing(MissingKeys)
  case emptyList(of: String, Alternatives)
  case emptyGroup
  case noProgram(String, example: String)
  case exclusive(String, String, in: String)
  case misplaced(MisplacedKey)
  case noValue(variable: String)
  case pattern(String)
  case ignorePattern

  // MARK: R03 Steps

  case noAction
  case stepID(String)
  case duplicateID(String, line: Int)
  case scriptWithExpression(bindings: String, line: String)
  case tooManySteps
  case expansion(steps: Int)
  case largeExpansion(steps: Int, size: Int)
  case largeMatrix
  case tooManyUses
  case deepUses
  case foreachText
  case foreachValue(ValueTypes)
  case filesOfForeach(String)
  case statusOfItem
  case tooManyItems(Int, maximum: Int)
  case itemKey(String)
  case longItemKey(String, bytesMax: Int)
  case itemKeyTwice(String, Int, Int)
  case noMatrixList
  case emptyMatrixList(String)
  case emptyMatrix
  case matrixValue(String, found: String)
  case matrixCombination(String)
  case matrixExclusion(String)
  case approvalOfExpandedStep

  // MARK: R04 Needs

  case unknownNeed(String, of: String, nearest: String?)
  case positionalID(String)
  case itemsWaiting
  case needsAsText(String)
  case cycle([String])
  case needsItself(String)
  case neededTwice(String)
  case finallyStep(String, isNeed: Bool)
  case tooManyNeeds
  case serviceCycle([String])
  case poolOfService(pool: String, service: String)
  case serviceOutside(String, of: String?)
  case serviceOfNothing(String)

  // MARK: R05 Expressions

  case emptyExpression
  case operatorExpected(before: String)
  case expected(String, Expression.Function?)
  case valueExpected(before: String?)
  case memberExpected
  case unclosedText(isInTemplate: Bool)
  case unclosedExpression
  case unexpectedCharacter(String)
  case notANumber(String)
  case deepExpression(isNegation: Bool)
  case longExpression
  case unknownName(String)
  case unknownFunction(String)
  case argumentCount(Expression.Function, Int)
  case argumentType(Expression.Function, expected: ValueTypes, ValueTypes)
  case mapArgument(Expression.Function)
  case textExpected(ValueTypes)
  case notPartOfText(ValueTypes)
  case notComparable(Expression.Operator, ValueTypes, ValueTypes)
  case notSortable(ValueTypes)
  case notNumbers(Expression.Operator, ValueTypes, ValueTypes)
  case divisionByZero(Expression.Operator)
  case inexact(Expression.Operator, String)
  case infinite(Expression.Operator)
  case textPattern(String)
  case emptyPart(Expression.Function)
  case nameNotHere(Expression.Root, in: String, allowed: Set<Expression.Root>)
  case statusNotHere(Expression.Function, in: String)
  case filesNotHere(Expression.Function, in: String)
  case onlyInFinally(String)
  case moment(String)
  case unknownMember(String, String, Alternatives)
  case secrets(Expression.Root, String, in: String)
  case secret(Expression.Root, String, in: String)
  case noMember(String, of: ValueTypes?)
  case noElements(ValueTypes)
  case noStepMember(String, of: String)
  case computedName(Expression.Root)
  case memberName(ValueTypes?)
  case elementNumber
  case notAValue(Expression.Root)
  case severalExpressions
  case condition(ValueTypes)
  case conditionValue(ValueTypes)
  case ownOutputs(isInOutputs: Bool)
  case notFinished(String, needsThis: Bool)
  case notJSON(String)
  case formatPlace
  case formatValue(Int)
  case formatBracket
  case largeValue
  case absent(MissingValue)
  /// A cause within a named part, such as an argument of an action.
  case inside(String, DiagnosticKind)

  // MARK: R06 Parameters and secrets

  case requiredWithDefault
  case optionalWithoutDefault(String)
  case parameterNumber(String, String)
  case parameterBoolean(String, String)
  case parameterChoice(String, String, Alternatives)
  case parameterKind(String, expected: String, String)
  case parameterLimit(String, expected: String, String)
  case parameterPattern(String, String, String)
  case emptyLimits(String)
  case parameterType(String, expected: ValueTypes, ValueTypes)
  case unknownParameter(String, Alternatives)
  case unknownWith(String, of: String, Alternatives)
  case parameterNotGiven(String, description: String?)
  case parameterOfUse(String, of: String)
  case secretValue(String)
  case secretSource(String)

  // MARK: R07 Triggers

  case noTrigger(keys: [String])
  case noFile(String)
  case scheduleTwice(String)
  case shortInterval
  case unknownZone(String, nearest: String?, areInstalled: Bool)
  case cron(String, hint: String?)

  // MARK: R08 Actions and other files

  case unknownAction(String, Alternatives)
  case argumentMissing(String, nearest: String?)
  case unknownArgument(String, Alternatives)
  case argumentKind(String, expected: String, found: String, isDuration: Bool)
  case argumentRange(String, String, String)
  case argumentChoice(String, String, Alternatives)
  case fewArguments(String, Int)
  /// The message of an error that a custom `Decodable` type has thrown.
  case argument(String)
  case usesPath(String)
  case usesOutside(String)
  case usesCycle([String])
  case notUsable(String)
  case unknownWorkflow(String, Alternatives)
  case unknownPool(String, Alternatives)

  // MARK: R09 Warnings

  case redundantNeed(String, by: String)
  case neverTrue
  case alwaysTrue
  case oneRound(isWhile: Bool)
  case unusedAnchor(String)
  case plainBraces(String, meant: String)
  case impossibleWord(String, of: String, meant: String?, words: [String])
  case notExpanded(String, meant: String)
  case expressionInCode(program: String)
  case neverCancelled
  case alwaysIsNotOnCancel
  case vainExclusion(String)
  case unreadableScript(step: String, shell: String, reason: String)
  case missingProgram(String, step: String)
  case runnerNotReady(String)
  case unmatchedInput(String, step: String)
  case unsetVariable(String, UnsetVariable)
  case unusedOutput(String, of: String)
  case writtenNumber(String, as: String)
  case booleanWord(String)
  case noEffectInUse(String)
}

/// Suggestions for a name that does not exist.
enum Alternatives: Sendable, Equatable {
  /// The most similar name.
  case nearest(String)
  /// All names, because none is similar.
  case names([String])
  /// The name before a minus that was meant as an operator.
  case minus(String)
  /// No suggestion: the search would take too long.
  case unsearched

  /// Finds the most similar name.
  init(to name: String, among names: [String]) {
    self = WorkflowLanguage.nearest(to: name, among: names).map(Self.nearest) ?? .names(names)
  }
}

/// The reason why a file cannot be read.
enum ReadError: Error, Sendable, Equatable {
  /// A system error, with its message.
  case failed(String)
  case notRegular
  case notKept
}

/// Required keys that are missing.
enum MissingKeys: Sendable, Equatable {
  case steps, runOfCondition, messageOfApproval, timeoutOfDefault, untilOrWhile, momentOfWait,
    limit, groupAndPolicy, fromAndTo,
    paths, cronOrEvery, path,
    inputsOrKey, files, probe, idOfOutputs, idOfRepeat, nameOfPool,
    runOfUndo
  case options(of: String)
  case defaultOfValue(String)
}

/// A key that is not valid where it is.
enum MisplacedKey: Sendable, Equatable {
  case limits(String, of: String)
  case with, options, factor, timeZone, on, shellOfCall, needsOfFinally, sharedApproval
  case ofMany(String)
  case ofMatrix(String)
  case withPolicy(String, BusyPolicy, hasOther: Bool)
  case ofApproval(String)
  case ofUses(String)
  case statusOfGroup, commandOfGroup, retryOfFinally, mutexInMutex, limitOfGroup
  case undoOfFinally, repeatOfFinally
  case ofService(String)
  case inPoolOfGroup(String)
  case requiredOfCommand
}

/// The reason why an expression does not see a variable.
enum UnsetVariable: Sendable, Equatable {
  case isOfSameFile, isOfStep
  case unknown(nearest: String?)
}

/// The reason why an expression has no value.
enum MissingValue: Sendable, Equatable {
  case beforeRun(Expression.Root)
  case parameterBeforeRun(String, String)
  case hashBeforeRun
  case filesBeforeRun
  /// The folder of the run, with the reason why it could not be created.
  case runDirectory(String?)
  case itemMember(String, ValueTypes)
  case unknownParameter(String)
  case parameter(String)
  case notText(variable: String)
  case nul
  case secret(String)
  case written(String, [String])
  case step(String)
  case output(String, of: String, result: String, left: [String])
  /// An error of the source of the value, with its message.
  case failed(String)
}
