// What is wrong with a text as YAML: a case for each cause, with its words.

/// Something that is wrong with a text as YAML.
package struct Problem: Error, Sendable, Equatable {
  /// What is wrong.
  package var kind: Kind
  /// Where.
  package var mark: Mark
  /// How many characters are meant.
  package var length: Int

  /// What is wrong, as a clause.
  package var message: String { kind.message }
  /// How to fix it, to be shown beside the caret.
  package var hint: String? { kind.hint }

  /// What can be wrong.
  package enum Kind: Sendable, Equatable {
    case tooLarge(bytes: Int)
    /// A character that no file may have: its name; nil where libyaml does not name it.
    case character(String?)
    case notUTF8(byte: String)
    case tab(mayBeginValue: Bool)
    case unclosedQuote
    /// A list or map in brackets without its end, and what is there instead.
    case unclosed(Bracket, since: Mark, found: Found)
    case keyExpected(since: Mark)
    case itemExpected(since: Mark)
    case itemNotAligned
    case listHere
    /// A colon; the key before it and the one above it where these should be aligned.
    case colon(key: String?, above: String?)
    case keyWithoutColon
    case characterAtStart
    case afterValue
    case valueExpected
    case unquotedExpression
    case escape(Escape)
    case blockIndentation
    case blockOnSameLine
    case secondDocument(isMarked: Bool)
    case missingDashes
    case version
    case foreignTag
    case unsupportedTag(String)
    /// A tag that does not fit what it is for.
    case tag(Misfit)
    case anchorName
    case unknownAlias(String)
    case aliasInItself(String, Mark)
    case aliasesMax
    case depthMax
    case keyKind(String)
    case duplicateKey(String, first: Mark)
    case merge
    /// Anything else that libyaml refuses; since where it was understood.
    case notYAML(since: Mark?)
  }

  /// What a bracket opens.
  package enum Bracket: Sendable, Equatable { case list, map }
  /// What is there instead of the end of a list or map.
  package enum Found: Sendable, Equatable { case colon, bracket, other }
  /// What is wrong with an escape.
  package enum Escape: Sendable, Equatable { case unknown, digits, number }
  /// Why a tag does not fit.
  package enum Misfit: Sendable, Equatable {
    case notWhole(String)
    case notNumber(String)
    case notBoolean(String)
    case notNull(String)
    case onlyLists, onlyMaps, onlyScalars
  }
}

extension Problem.Kind {
  /// What is wrong, as a clause.
  package var message: String {
    switch self {
    case .tooLarge(let count):
      "the file has \(count) bytes; at most \(SourceText.bytesMax) are read"
    case .character(let name?): "a \(name) cannot be part of a YAML file"
    case .character(nil): "this character cannot be part of a YAML file"
    case .notUTF8(let byte): "this byte (\(byte)) is not UTF-8"
    case .tab(mayBeginValue: true): "a tab cannot indent or begin a value"
    case .tab(mayBeginValue: false): "a tab cannot indent"
    case .unclosedQuote: "the quoted text that begins here is never closed"
    case .unclosed(let bracket, let since, _):
      "the \(bracket == .list ? "list" : "map") that begins at \(since.name) is not closed"
    case .keyExpected(let since): "a key of the map that begins at \(since.name) is expected here"
    case .itemExpected(let since):
      "an item of the list that begins at \(since.name) is expected here"
    case .itemNotAligned: "an item is indented like the items above"
    case .listHere: "a list cannot begin here"
    case .colon: "a \":\" is not expected here"
    case .keyWithoutColon: "a key without \":\""
    case .characterAtStart: "nothing can begin with this character"
    case .afterValue: "something stands behind the end of the value"
    case .valueExpected: "a value is expected here"
    case .unquotedExpression: "an expression in { } or [ ] stands in quotes"
    case .escape(.unknown): "there is no such escape in a text in double quotes"
    case .escape(.digits): "hexadecimal digits are expected after \\x, \\u and \\U"
    case .escape(.number): "there is no character of this number"
    case .blockIndentation: "a number behind | or > is from 1 to 9"
    case .blockOnSameLine: "after | or > the text begins on the next line"
    case .secondDocument(isMarked: true):
      "a second document begins here; a file holds one workflow"
    case .secondDocument(isMarked: false): "a second document begins here"
    case .missingDashes: "the line --- is missing before this"
    case .version: "this is no version of YAML that is read"
    case .foreignTag: "a ! at the beginning means something to YAML"
    case .unsupportedTag(let name): "there is no !!\(name) in a workflow file"
    case .tag(.notWhole(let text)): "\"\(text)\" is not a whole number"
    case .tag(.notNumber(let text)): "\"\(text)\" is not a number"
    case .tag(.notBoolean(let text)): "\"\(text)\" is neither true nor false"
    case .tag(.notNull(let text)): "\"\(text)\" is not nothing"
    case .tag(.onlyLists): "!!seq is for lists"
    case .tag(.onlyMaps): "!!map is for maps"
    case .tag(.onlyScalars): "the tag is for a text or a number, not for a list or a map"
    case .anchorName: "a name of letters and digits is expected after & or *"
    case .unknownAlias(let name): "*\(name) is used, but nothing is named &\(name) before it"
    case .aliasInItself(let name, let mark):
      "*\(name) stands inside of what &\(name) names at \(mark.name), which therefore has no end"
    case .aliasesMax:
      "the aliases of this file expand to more than \(Document.aliasedNodesMax) values"
    case .depthMax: "lists and maps are nested deeper than \(Document.depthMax)"
    case .keyKind(let name): "a key is a text, not \(name)"
    case .duplicateKey(let name, let first):
      "the key \"\(name)\" stands here a second time; the first one is at \(first.name)"
    case .merge: "<< takes a map or a list of maps"
    case .notYAML: "this is not YAML"
    }
  }

  /// How to fix it, to be shown beside the caret.
  package var hint: String? {
    switch self {
    case .character: "remove it"
    case .notUTF8: "save the file as UTF-8"
    case .tab: "use spaces"
    case .unclosedQuote: "close it with the same quote"
    case .unclosed(let bracket, _, let found):
      switch found {
      case .bracket: "quote the text if this is part of it"
      case .colon, .other:
        "a comma or \(bracket == .list ? "]" : "}") is expected here"
          + (found == .colon ? "; or quote the text if this is part of it" : "")
      }
    case .keyExpected: "indent it like the keys above"
    case .itemExpected: "begin it with \"- \", indented like the items above"
    case .itemNotAligned: "align it with them"
    case .listHere: "put it on a line of its own"
    case .colon(let key?, let above?): "indent \"\(key)\" like \"\(above)\" above"
    case .colon: "quote the text if the colon is part of it, or check the indentation"
    case .keyWithoutColon: "add \": \" and a value"
    case .characterAtStart, .foreignTag: "quote the text"
    case .afterValue: "quote all of it; in single quotes, write '' for a quote"
    case .valueExpected: "quote the text if this is part of it"
    case .unquotedExpression: "write \"${{ … }}\""
    case .escape(.unknown), .escape(.digits): "write \\\\ for a backslash, or use single quotes"
    case .blockIndentation: "leave it out"
    case .secondDocument(isMarked: true): "put it into a file of its own"
    case .secondDocument(isMarked: false):
      "put --- before it; or indent all lines alike, if it is part of the first one"
    case .missingDashes: "write it, or leave out the first line"
    case .version: "write %YAML 1.2, or leave the line out"
    case .unsupportedTag, .tag: "leave the tag out"
    case .anchorName: "quote the text if it begins with & or *"
    case .unknownAlias: "quote the text if it begins with *"
    case .depthMax: "make it flatter"
    case .duplicateKey: "remove one of them"
    case .notYAML(let since?): "it was understood since \(since.name)"
    case .tooLarge, .escape(.number), .blockOnSameLine, .aliasInItself, .aliasesMax, .keyKind,
      .merge, .notYAML(nil):
      nil
    }
  }
}

extension Mark {
  /// The place in messages; without a column where that is 0.
  fileprivate var name: String { "line \(line)" + (column > 0 ? ", column \(column)" : "") }
}
