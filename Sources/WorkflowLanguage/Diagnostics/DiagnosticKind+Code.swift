// The codes of errors and warnings. A code never changes its meaning, and the code of a removed
// cause is never reused.

import YAML

extension DiagnosticKind {
  /// The code, such as `R0201`.
  var code: String {
    switch self {
    case .unreadable, .unreadableUse, .unreadableDotenv: "R0101"
    case .emptyFile: "R0102"
    case .yaml(let kind): kind.code
    case .dotenvTooLarge, .allDotenvTooLarge, .usesTooLarge: "R0103"
    case .variables: "R0119"

    case .unknownKey, .keyAfterComma: "R0201"
    case .notAMap, .stepNotAMap, .notNamedValues, .matrixNotAMap: "R0202"
    case .notAList: "R0203"
    case .textRequired, .unquotedColon, .scriptIsList: "R0204"
    case .emptyText: "R0205"
    case .expressionNotAllowed: "R0206"
    case .nul: "R0207"
    case .notADuration: "R0208"
    case .notABoolean: "R0209"
    case .notWhole, .notInRange, .aboveMaximum, .rangeStepZero: "R0210"
    case .unknownChoice: "R0211"
    case .variableName, .identifier, .reservedName, .longName: "R0212"
    case .missing: "R0213"
    case .emptyList, .emptyGroup: "R0214"
    case .noProgram: "R0215"
    case .exclusive: "R0216"
    case .misplaced: "R0217"
    case .noValue: "R0218"
    case .pattern, .ignorePattern: "R0219"
    case .notASize: "R0220"
    case .notAnAddress: "R0221"

    case .noAction: "R0301"
    case .stepID: "R0302"
    case .duplicateID: "R0303"
    case .scriptWithExpression: "R0304"
    case .tooManySteps, .tooManyItems, .expansion, .largeExpansion, .largeMatrix: "R0305"
    case .tooManyUses, .deepUses: "R0305"
    case .foreachText, .foreachValue, .filesOfForeach, .fanOfUses, .statusOfItem: "R0306"
    case .itemKey, .itemKeyTwice: "R0306"
    case .noMatrixList, .emptyMatrixList, .emptyMatrix: "R0307"
    case .matrixValue, .matrixCombination: "R0308"
    case .matrixExclusion: "R0309"
    case .approvalOfExpandedStep: "R0310"

    case .unknownNeed, .needsAsText: "R0401"
    case .cycle: "R0402"
    case .needsItself: "R0403"
    case .neededTwice: "R0404"
    case .finallyStep: "R0405"
    case .tooManyNeeds: "R0406"
    case .positionalID: "R0407"
    case .itemsWaiting: "R0408"

    case .emptyExpression, .operatorExpected, .expected, .valueExpected, .memberExpected: "R0501"
    case .unclosedText, .unclosedExpression: "R0502"
    case .unexpectedCharacter, .notANumber: "R0503"
    case .deepExpression, .longExpression: "R0504"
    case .unknownName: "R0505"
    case .unknownFunction: "R0506"
    case .argumentCount: "R0507"
    case .argumentType, .mapArgument: "R0508"
    case .notComparable, .notSortable: "R0509"
    case .nameNotHere, .statusNotHere, .filesNotHere, .onlyInFinally: "R0510"
    case .unknownMember: "R0511"
    case .secrets, .secret: "R0512"
    case .noMember, .noElements, .noStepMember, .memberName, .elementNumber: "R0513"
    case .computedName, .notAValue: "R0514"
    case .moment: "R0210"
    case .textExpected, .notPartOfText: "R0515"
    case .severalExpressions, .condition, .conditionValue: "R0516"
    case .ownOutputs: "R0517"
    case .notFinished: "R0518"
    case .notJSON: "R0519"
    case .formatPlace, .formatValue, .formatBracket: "R0520"
    case .largeValue: "R0521"
    case .absent: "R0522"
    case .notNumbers: "R0523"
    case .divisionByZero, .infinite: "R0524"
    case .textPattern, .emptyPart: "R0525"
    case .inside(_, let inner): inner.code

    case .requiredWithDefault, .optionalWithoutDefault: "R0601"
    case .parameterNumber, .parameterBoolean, .parameterChoice, .parameterType: "R0602"
    case .parameterKind, .parameterLimit, .parameterPattern, .emptyLimits: "R0602"
    case .unknownParameter, .unknownWith: "R0603"
    case .parameterNotGiven, .parameterOfUse: "R0604"
    case .secretValue, .secretSource: "R0605"

    case .noTrigger: "R0701"
    case .noFile: "R0702"
    case .scheduleTwice: "R0703"
    case .shortInterval: "R0704"
    case .unknownZone: "R0705"
    case .cron: "R0706"

    case .unknownAction: "R0801"
    case .argumentMissing, .fewArguments: "R0802"
    case .unknownArgument: "R0803"
    case .argumentKind, .argumentRange, .argumentChoice, .argument: "R0804"
    case .usesPath, .usesOutside: "R0805"
    case .usesCycle: "R0806"
    case .notUsable: "R0807"
    case .unknownWorkflow: "R0808"
    case .unknownPool: "R0809"

    case .redundantNeed: "R0901"
    case .neverTrue: "R0902"
    case .neverCancelled: "R0903"
    case .alwaysIsNotOnCancel: "R0909"
    case .vainExclusion: "R0910"
    case .unsetVariable: "R0904"
    case .unusedOutput: "R0905"
    case .writtenNumber: "R0906"
    case .booleanWord: "R0907"
    case .noEffectInUse: "R0908"
    }
  }
}

extension Problem.Kind {
  fileprivate var code: String {
    switch self {
    case .tooLarge, .aliasesMax, .depthMax: "R0103"
    case .character, .notUTF8: "R0104"
    case .unclosedQuote, .unclosed: "R0105"
    case .keyExpected, .itemExpected, .itemNotAligned, .listHere: "R0106"
    case .tab: "R0107"
    case .colon, .keyWithoutColon: "R0108"
    case .characterAtStart, .afterValue, .valueExpected, .unquotedExpression: "R0109"
    case .escape: "R0110"
    case .blockIndentation, .blockOnSameLine: "R0111"
    case .secondDocument, .missingDashes, .version: "R0112"
    case .foreignTag, .unsupportedTag, .tag: "R0113"
    case .anchorName, .unknownAlias, .aliasInItself: "R0114"
    case .keyKind: "R0115"
    case .duplicateKey: "R0116"
    case .merge: "R0117"
    case .notYAML: "R0118"
    }
  }
}
