// `ExpandedItem`: one of the steps to which a step is expanded during a run.

/// One of the steps to which a step with `foreach` or `matrix` was expanded during a run.
///
/// Items cannot contain secrets, because expressions that compute them cannot use any.
public struct ExpandedItem: Sendable, Equatable, Codable {
  /// The text in the brackets of the id of the step, unique among its siblings.
  public var key: String
  /// The item of a `foreach`; nil for null, and for a `matrix`.
  public var item: Value?
  /// The combination of a `matrix`; nil for a `foreach`.
  public var matrix: [String: Value]?
  /// The label that distinguishes the step from its siblings, such as `linux, 5`.
  public var label: String

  /// Creates an item.
  ///
  /// - Parameters:
  ///   - key: The text in the brackets of the id of the step.
  ///   - item: The item of a `foreach`.
  ///   - matrix: The combination of a `matrix`.
  ///   - label: The label that distinguishes the step from its siblings.
  public init(
    key: String, item: Value? = nil, matrix: [String: Value]? = nil, label: String
  ) {
    self.key = key
    self.item = item == .null ? nil : item
    self.matrix = matrix
    self.label = label
  }

  /// Returns the id of the step of this item.
  ///
  /// - Parameter step: The id of the step that was expanded.
  /// - Returns: The id, such as `test[linux]`.
  package func id(in step: String) -> String { "\(step)[\(key)]" }

  /// The maximum number of bytes of a key.
  package static let keyBytesMax = 200

  /// Whether a text can be a key: the rest of an id, and of selectors of steps.
  package static func isKey(_ text: String) -> Bool {
    (1...keyBytesMax).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        let letter = Character(UnicodeScalar(byte))
        return letter.isASCII && (letter.isLetter || letter.isNumber)
          || "_-./@+:=,~#%".utf8.contains(byte)
      }
  }

  /// Returns two positions with the same key; nil if all keys differ.
  package static func duplicate(in keys: [String]) -> (first: Int, second: Int)? {
    var positions: [String: Int] = [:]
    for (position, key) in keys.enumerated() {
      if let first = positions.updateValue(position, forKey: key) { return (first, position) }
    }
    return nil
  }
}

extension Outline {
  /// Returns the outline with steps moved, and with groups of steps after the steps that were
  /// expanded to them.
  ///
  /// - Parameters:
  ///   - moved: Returns the new position of a step; nil if it is gone.
  ///   - children: Returns the outlines of the items of a step that is expanded, with new positions,
  ///     by the old position of that step; nil for other steps.
  /// - Returns: The outline; nil if none of its steps is left.
  package func moving(
    to moved: (Int) -> Int?, children: (Int) -> [Outline]?
  ) -> Outline? {
    switch self {
    case .step(let index):
      return moved(index.position).map { .step(StepIndex($0)) }
    case .sequence(let items):
      // A step that can be expanded comes first in a group of its own.
      if case .step(let first)? = items.first, let members = children(first.position),
        let step = moved(first.position)
      {
        let own = Outline.step(StepIndex(step))
        return .sequence(members.isEmpty ? [own] : [own, .parallel(members)])
      }
      let kept = items.compactMap { $0.moving(to: moved, children: children) }
      return kept.isEmpty ? nil : .sequence(kept)
    case .parallel(let branches):
      let kept = branches.compactMap { $0.moving(to: moved, children: children) }
      return kept.isEmpty ? nil : .parallel(kept)
    case .group(let name, let inner):
      return inner.moving(to: moved, children: children).map { .group(name, $0) }
    }
  }
}
