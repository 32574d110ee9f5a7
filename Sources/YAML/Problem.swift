// The errors in YAML text, with their messages.

/// An error in YAML text.
package struct Problem: Error, Sendable, Equatable {
  /// The kind of the error.
  package var kind: Kind
  /// The location of the error.
  package var mark: Mark
  /// The number of characters to underline.
  package var length: Int

  /// The message, as a clause.
  package var message: String { kind.message }
  /// A suggestion for fixing the error, shown next to the caret.
  package var hint: String? { kind.hint }

  /// The kinds of errors.
  package enum Kind: Sendable, Equatable {
    case tooLarge(bytes: Int)
    /// A forbidden character; nil if libyaml does not report which.
    case character(String?)
    case notUTF8(byte: String)
    case tab(mayBeginValue: Bool)
    case unclosedQuote
    /// An unclosed list or map in brackets, and what was found instead of its end.
    case unclosed(Bracket, since: Mark, found: Found)
    case keyExpected(since: Mark)
    case itemExpected(since: Mark)
    /// A key that is less indented than the first key of its item, at that column.
    case keyNotAligned(column: Int)
    case itemNotAligned
    case listHere
    /// A colon in a text that has quotes before it, such as `echo "note: hi"`.
    case colonInScript
    /// An unexpected colon, with the key before it and the key above if their indentation differs.
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
    /// A tag that does not match its value.
    case tag(TagMismatch)
    case anchorName
    case unknownAlias(String)
    case aliasInItself(String, Mark)
    case aliasesMax
    case depthMax
    case keyKind(String)
    case duplicateKey(String, first: Mark)
    case merge
    /// Any other error of libyaml, with the start of the surrounding construct if known.
    case notYAML(since: Mark?)
  }

  /// The kind of collection in brackets.
  package enum Bracket: Sendable, Equatable { case list, map }
  /// The token found instead of the end of a list or map.
  package enum Found: Sendable, Equatable { case colon, bracket, comment, other }
  /// The error in an escape.
  package enum Escape: Sendable, Equatable { case unknown, digits, number }
  /// The mismatch between a tag and its value.
  package enum TagMismatch: Sendable, Equatable {
    case notWhole(String)
    case notNumber(String)
    case notBoolean(String)
    case notNull(String)
    case onlyLists, onlyMaps, onlyScalars
  }
}

extension Problem.Kind {
  /// The message, as a clause.
  package var message: String {
    switch self {
    case .tooLarge(let count):
      "the file has \(count) bytes; the maximum is \(SourceText.bytesMax)"
    case .character(let name?): "a \(name) is not allowed in a YAML file"
    case .character(nil): "this character is not allowed in a YAML file"
    case .notUTF8(let byte): "this byte (\(byte)) is not valid UTF-8"
    case .tab(mayBeginValue: true): "a tab is not allowed in indentation or before a value"
    case .tab(mayBeginValue: false): "a tab is not allowed in indentation"
    case .unclosedQuote: "this quoted text is not closed"
    case .unclosed(let bracket, _, .bracket):
      "an unquoted text inside \(bracket == .list ? "[ ]" : "{ }") cannot contain brackets"
    case .unclosed(let bracket, let since, _):
      "the \(bracket == .list ? "list" : "map") that begins at \(since.name) is not closed"
    case .keyExpected(let since): "expected a key of the map that begins at \(since.name)"
    case .itemExpected(let since):
      "expected an item of the list that begins at \(since.name)"
    case .keyNotAligned: "this key is not aligned with the key of the item above"
    case .itemNotAligned: "this item is not aligned with the items above"
    case .listHere: "a list cannot begin here"
    case .colon, .colonInScript: "unexpected \":\""
    case .keyWithoutColon: "missing \":\" after this key"
    case .characterAtStart: "a value cannot begin with this character"
    case .afterValue: "unexpected text after the end of the value"
    case .valueExpected: "expected a value here"
    case .unquotedExpression: "an expression inside { } or [ ] must be quoted"
    case .escape(.unknown): "invalid escape in double-quoted text"
    case .escape(.digits): "expected hexadecimal digits after \\x, \\u or \\U"
    case .escape(.number): "invalid character code"
    case .blockIndentation: "the number after | or > must be from 1 to 9"
    case .blockOnSameLine: "the text after | or > must begin on the next line"
    case .secondDocument(isMarked: true):
      "a second document begins here; a file must contain a single workflow"
    case .secondDocument(isMarked: false): "a second document begins here"
    case .missingDashes: "missing --- line before this"
    case .version: "unsupported YAML version"
    case .foreignTag: "a ! at the beginning is a YAML tag"
    case .unsupportedTag(let name): "the tag !!\(name) is not supported"
    case .tag(.notWhole(let text)): "\"\(text)\" is not a whole number"
    case .tag(.notNumber(let text)): "\"\(text)\" is not a number"
    case .tag(.notBoolean(let text)): "\"\(text)\" is neither true nor false"
    case .tag(.notNull(let text)): "\"\(text)\" is not null"
    case .tag(.onlyLists): "!!seq is for lists"
    case .tag(.onlyMaps): "!!map is for maps"
    case .tag(.onlyScalars): "the tag is for text and numbers, not for a list or a map"
    case .anchorName: "expected a name of letters and digits after & or *"
    case .unknownAlias(let name): "unknown alias *\(name): there is no anchor &\(name) before it"
    case .aliasInItself(let name, let mark):
      "*\(name) is inside the value of its own anchor &\(name), which begins at \(mark.name)"
    case .aliasesMax:
      "the aliases of this file expand to more than \(Document.aliasedNodesMax) values"
    case .depthMax: "lists and maps are nested more than \(Document.depthMax) levels deep"
    case .keyKind(let name): "a key must be text, not \(name)"
    case .duplicateKey(let name, let first):
      "duplicate key \"\(name)\"; the first one is at \(first.name)"
    case .merge: "the value of << must be a map or a list of maps"
    case .notYAML: "this is not valid YAML"
    }
  }

  /// A suggestion for fixing the error, shown next to the caret.
  package var hint: String? {
    switch self {
    case .character: "remove it"
    case .notUTF8: "save the file as UTF-8"
    case .tab: "use spaces"
    case .unclosedQuote: "close it with the same quote"
    case .unclosed(let bracket, _, let found):
      switch found {
      case .bracket: "quote all of the text if this is part of it"
      case .comment: "a comment begins here; quote all of the text if this is part of it"
      case .colon, .other:
        "expected a comma or \(bracket == .list ? "]" : "}") here"
          + (found == .colon ? "; or quote the text if this is part of it" : "")
      }
    case .keyExpected: "indent it like the keys above"
    case .itemExpected: "begin it with \"- \", indented like the items above"
    case .itemNotAligned: "align it with them"
    case .listHere: "put it on a line of its own"
    case .colon(let key?, let above?): "indent \"\(key)\" like \"\(above)\" above"
    case .colonInScript: "write the text on the next line, indented, and a | here instead of it"
    case .keyNotAligned(let column): "begin it in column \(column)"
    case .colon: "quote the text if the colon is part of it, or check the indentation"
    case .keyWithoutColon: "add \": \" and a value"
    case .characterAtStart, .foreignTag: "quote the text"
    case .afterValue: "quote all of it; in single quotes, write '' for a quote"
    case .valueExpected: "quote the text if this is part of it"
    case .unquotedExpression: "write \"${{ … }}\""
    case .escape(.unknown), .escape(.digits): "write \\\\ for a backslash, or use single quotes"
    case .blockIndentation: "remove it"
    case .secondDocument(isMarked: true): "move it to a separate file"
    case .secondDocument(isMarked: false):
      "write --- before it, or indent all lines equally if it is part of the first document"
    case .missingDashes: "add it, or remove the first line"
    case .version: "write %YAML 1.2, or remove the line"
    case .unsupportedTag, .tag: "remove the tag"
    case .anchorName: "quote the text if it begins with & or *"
    case .unknownAlias: "quote the text if it begins with *"
    case .depthMax: "reduce the nesting"
    case .duplicateKey: "remove one of them"
    case .notYAML(let since?): "the surrounding value begins at \(since.name)"
    case .tooLarge, .escape(.number), .blockOnSameLine, .aliasInItself, .aliasesMax, .keyKind,
      .merge, .notYAML(nil):
      nil
    }
  }
}

extension Mark {
  /// The location for messages, without a column if that is 0.
  fileprivate var name: String { "line \(line)" + (column > 0 ? ", column \(column)" : "") }
}
