// The error of a dotenv file that cannot be parsed.

/// An invalid line of a dotenv file.
struct DotenvError: Error, Sendable, Equatable {
  enum Reason: Sendable, Equatable {
    case noAssignment(String)
    case reservedName, unclosedQuote, afterQuote, nul, notUTF8
  }

  let line: Int
  let reason: Reason
}
