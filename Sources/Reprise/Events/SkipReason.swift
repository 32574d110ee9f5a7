// `SkipReason`: why a step was skipped. Recorded as its text.

public import Workflows

/// Why a step was skipped.
///
/// In records and events it is a text, ``description``, from which it is read again.
public enum SkipReason: Sendable, Equatable {
  /// Its condition, or that of a group or file around it, is not met: the condition as written.
  case condition(String)
  /// The step with this id, which it needs, was skipped.
  case need(String)
  /// What it depends on has not changed since an earlier run, in which it succeeded.
  ///
  /// The note says what is doubtful about that; nil if nothing is.
  case upToDate(note: String?)
  /// The same, but an earlier generation of this run has done the work.
  case upToDateInRun(note: String?)
  /// What it depends on is as it was before an earlier success, whose files were restored.
  case restored
  /// It is a service that no step needs, or needs any more.
  case unused
  /// It is under `finally`, and does not run after this ending of the run.
  case ending(RunEnding)
  /// It is under `finally` of a used file, and does not run after this ending of the file's steps.
  case endingOfFile(RunEnding)
  /// The step with this id, which makes the items, has none.
  case noItems(String)
  /// It undoes the step with this id, which has not succeeded.
  case nothingToUndo(String)
  /// On request, by hand.
  case request
  /// Another reason, such as one of another version of the program.
  case other(String)
}

extension SkipReason {
  /// Creates the reason of a condition that is not met: what stands under `if`, or what is expected of needs.
  init(unmet condition: String) {
    self = condition.hasPrefix("needs: ") ? .other(condition) : .condition(condition)
  }

  /// Whether the work of the step has been done before, and counts as done.
  package var isUpToDate: Bool {
    switch self {
    case .upToDate, .upToDateInRun, .restored: true
    default: false
    }
  }
}

extension SkipReason: CustomStringConvertible {
  private static let upToDate = "up to date"
  private static let upToDateInRun = "up to date since an earlier generation"

  /// The reason, as a clause without a period.
  public var description: String {
    switch self {
    case .condition(let condition): "if: \(condition)"
    case .need(let step): "step \"\(step)\" was skipped"
    case .upToDate(let note): Self.upToDate + Self.clause(note)
    case .upToDateInRun(let note): Self.upToDateInRun + Self.clause(note)
    case .restored: "its files were restored from an earlier success"
    case .unused: "no step needs it"
    case .ending(let ending): "the run ended with \(ending.rawValue)"
    case .endingOfFile(let ending): "the steps of its file ended with \(ending.rawValue)"
    case .noItems(let step): "step \"\(step)\" has no items"
    case .nothingToUndo(let step): "step \"\(step)\" has not succeeded"
    case .request: "on request"
    case .other(let text): text
    }
  }

  private static func clause(_ note: String?) -> String { note.map { ", although \($0)" } ?? "" }

  /// Creates the reason with a text, as it was recorded.
  ///
  /// - Parameter text: The text.
  public init(_ text: String) {
    func rest(after prefix: String, before suffix: String = "") -> String? {
      guard text.hasPrefix(prefix), text.hasSuffix(suffix),
        text.utf8.count >= prefix.utf8.count + suffix.utf8.count
      else { return nil }
      return String(text.dropFirst(prefix.count).dropLast(suffix.count))
    }
    func note(after words: String) -> String?? {
      text == words ? .some(nil) : rest(after: words + ", although ").map { .some($0) }
    }
    if let condition = rest(after: "if: ") {
      self = .condition(condition)
    } else if let step = rest(after: "step \"", before: "\" was skipped") {
      self = .need(step)
    } else if let note = note(after: Self.upToDate) {
      self = .upToDate(note: note)
    } else if let note = note(after: Self.upToDateInRun) {
      self = .upToDateInRun(note: note)
    } else if let ending = rest(after: "the run ended with ").flatMap(RunEnding.init(word:)) {
      self = .ending(ending)
    } else if let ending = rest(after: "the steps of its file ended with ")
      .flatMap(RunEnding.init(word:))
    {
      self = .endingOfFile(ending)
    } else if let step = rest(after: "step \"", before: "\" has no items") {
      self = .noItems(step)
    } else if let step = rest(after: "step \"", before: "\" has not succeeded") {
      self = .nothingToUndo(step)
    } else {
      let fixed: [SkipReason] = [.unused, .request, .restored]
      self = fixed.first { $0.description == text } ?? .other(text)
    }
  }
}

extension SkipReason: ExpressibleByStringLiteral {
  /// Creates the reason with a text.
  public init(stringLiteral text: String) { self.init(text) }
}

extension SkipReason: Codable {
  /// Decodes a reason from its text.
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(String.self))
  }

  /// Encodes the text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
