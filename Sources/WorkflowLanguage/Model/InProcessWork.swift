// Work that is a Swift closure, as a workflow carries it. What it is called with is known further up.

/// What a step does inside of this process.
///
/// Two are equal when they are the same one: closures cannot be compared.
public struct InProcessWork: Sendable, Equatable {
  /// What carries the work out.
  package let body: any AnyObject & Sendable

  /// Wraps work.
  package init(_ body: any AnyObject & Sendable) {
    self.body = body
  }

  /// Whether it is the same work.
  public static func == (left: InProcessWork, right: InProcessWork) -> Bool {
    left.body === right.body
  }
}
