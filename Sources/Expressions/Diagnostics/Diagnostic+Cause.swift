// The cause of an error or a warning: its code, its message and its hint. Each is described once, in
// the file of its chapter in `Causes`.

extension Diagnostic {
  /// One cause of an error or a warning.
  ///
  /// A code never changes its meaning, and the code of a removed cause is never reused. Related
  /// causes share a code, and with it the page in Documentation/errors.
  package struct Cause: Error, Sendable, Equatable {
    /// In one place, because each function that throws a cause has room for it on the stack, and
    /// expressions are parsed with such functions in one another.
    private final class Contents: Sendable {
      let code, message: String
      let hint: String?
      let fix: Fix?

      init(_ code: String, _ message: String, _ hint: String?, _ fix: Fix?) {
        (self.code, self.message, self.hint, self.fix) = (code, message, hint, fix)
      }
    }

    private let contents: Contents

    /// The code, such as `R0201`.
    package var code: String { contents.code }
    /// What is wrong, as a clause.
    package var message: String { contents.message }
    /// How to fix the problem; nil if the message already says so.
    package var hint: String? { contents.hint }
    /// What removes the cause without a change of meaning; nil if a person has to decide.
    package var fix: Fix? { contents.fix }

    package init(_ code: String, _ message: String, hint: String? = nil, fix: Fix? = nil) {
      contents = Contents(code, message, hint, fix)
    }

    package static func == (one: Self, other: Self) -> Bool {
      (one.code, one.message, one.hint) == (other.code, other.message, other.hint)
        && one.fix == other.fix
    }

    /// Returns the cause with a hint.
    package func hint(_ hint: String?) -> Self { Self(code, message, hint: hint, fix: fix) }

    /// Returns the cause with what removes it.
    package func fixed(by fix: Fix?) -> Self { Self(code, message, hint: hint, fix: fix) }

    /// Returns the cause within a named part, such as an argument of an action.
    package func inside(_ part: String) -> Self { Self(code, "\(part): \(message)").hint(hint) }
  }
}

/// What removes the cause of a diagnostic without a change of meaning.
package enum Fix: Sendable, Equatable {
  /// Replaces the marked text.
  case replacement(String)
  /// Changes other places of the file.
  case edits([Diagnostic.Edit])
}

/// Suggestions for a name that does not exist.
package enum Alternatives: Sendable, Equatable {
  /// The most similar name.
  case nearest(String)
  /// All names, because none is similar.
  case names([String])
  /// The name before a minus that was meant as an operator.
  case minus(String)
  /// No suggestion: the search would take too long.
  case unsearched

  /// Finds the most similar name.
  package init(to name: String, among names: [String]) {
    // Or the same stem, as in failed and failure.
    let near =
      Expressions.nearest(to: name, among: names)
      ?? (name.count < 4 ? nil : names.first { $0.prefix(4) == name.prefix(4) })
    self = near.map(Self.nearest) ?? .names(names)
  }

  /// Returns a hint with the nearest name, or with a list of the names.
  package func hint(_ introduction: String = "available", atMost count: Int = 20) -> String? {
    switch self {
    case .nearest(let name): didYouMean(name)
    case .names(let names) where !names.isEmpty:
      "\(introduction): " + names.prefix(count).joined(separator: ", ")
    case .minus(let name):
      "put spaces around a minus: \(name) - …; in a name, it is part of the name"
    case .names, .unsearched: nil
    }
  }
}

/// Returns the hint that suggests a name.
package func didYouMean(_ name: String) -> String { "did you mean \"\(name)\"?" }
