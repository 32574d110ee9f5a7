// What is wrong with a file of variables.

/// What is wrong with a line of a file of variables.
struct DotenvError: Error, Sendable, Equatable {
  enum Reason: Sendable, Equatable {
    case noAssignment(String)
    case reservedName, unclosedQuote, afterQuote, nul, notUTF8
  }

  let line: Int
  let reason: Reason
}
