// Stand-in for the declarations of the language target, replaced at its merge.
public struct StepIndex: Hashable, Comparable, Sendable {
  public let position: Int
  public init(_ position: Int) { self.position = position }
  public static func < (a: Self, b: Self) -> Bool { a.position < b.position }
}
public indirect enum Outline: Sendable, Equatable {
  case step(StepIndex)
  case sequence([Outline])
  case parallel([Outline])
}
