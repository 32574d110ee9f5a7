// The Swift closure of a step, as a workflow carries it. `Reprise` defines how it is called.

/// The work of a step that runs in this process.
///
/// Equality is identity, because closures cannot be compared.
package struct InProcessWork: Sendable, Equatable {
  /// The object that performs the work.
  package let body: any AnyObject & Sendable
  /// Why it cannot be performed, which its declaration reports; nil if it can.
  package let problem: Diagnostic.Cause?

  /// Wraps the work.
  package init(_ body: any AnyObject & Sendable, problem: Diagnostic.Cause? = nil) {
    self.body = body
    self.problem = problem
  }

  /// Returns whether both values hold the same object.
  package static func == (left: InProcessWork, right: InProcessWork) -> Bool {
    left.body === right.body
  }
}
