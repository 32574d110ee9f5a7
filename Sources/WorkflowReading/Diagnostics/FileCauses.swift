// R01: files that cannot be read, and YAML.

package import Workflows
package import YAML

extension Diagnostic.Cause {
  package static func unreadable(_ error: ReadError) -> Self { Self("R0101", error.reason) }
  package static func unreadableUse(_ name: String, path: String, _ error: ReadError) -> Self {
    Self("R0101", "\"\(name)\" \(error.reason)").hint("the file was expected at \(path)")
  }
  package static func unreadableDotenv(_ path: String, _ error: ReadError) -> Self {
    Self("R0101", "\"\(path)\" \(error.reason)")
      .hint("create it, or write: { path: \(path), required: false }")
  }

  package static let emptyFile = Self("R0102", "the file is empty")
    .hint("a workflow needs at least: steps: [{ id: hello, run: echo hello }]")

  package static func dotenvTooLarge(_ path: String) -> Self {
    Self(
      "R0103",
      "\"\(path)\" is larger than \(SourceFiles.dotenvBytesMax >> 20) MiB, the maximum for a "
        + "dotenv file"
    )
    .hint("make it smaller: the system limits the size of a program's environment")
  }
  package static let allDotenvTooLarge = Self(
    "R0103", "all dotenv files together are larger than \(SourceFiles.allDotenvBytesMax >> 20) MiB"
  )
  .hint("use fewer or smaller files")
  package static let usesTooLarge = Self(
    "R0103",
    "all files under \"uses\" together are larger than \(SourceText.bytesMax >> 20) MiB"
  )
  .hint("use fewer or smaller files")

  package static func variables(_ path: String, _ error: DotenvError) -> Self {
    Self("R0119", "\(path), line \(error.line): \(error.reason)")
      .hint("write NAME=value, one per line")
  }

  package static func yaml(_ kind: Problem.Kind) -> Self {
    Self(kind.code, kind.message).hint(kind.hint)
  }
}

extension Problem.Kind {
  fileprivate var code: String {
    switch self {
    case .tooLarge, .aliasesMax, .depthMax: "R0103"
    case .character, .notUTF8: "R0104"
    case .unclosedQuote, .unclosed: "R0105"
    case .keyExpected, .itemExpected, .itemNotAligned, .keyNotAligned, .listHere: "R0106"
    case .tab: "R0107"
    case .colon, .colonInScript, .keyWithoutColon: "R0108"
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

/// An invalid line of a dotenv file.
package struct DotenvError: Error, Sendable, Equatable {
  let line: Int
  /// What is wrong, as a clause.
  let reason: String

  package init(line: Int, reason: String) {
    (self.line, self.reason) = (line, reason)
  }
}
