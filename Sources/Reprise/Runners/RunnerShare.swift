// `RunnerShare`: what the executors of one runner have in common.

import Synchronization

/// What is shared by the executors of one runner whose settings differ by the number of the attempt only, such as
/// the queue of a scheduler.
package final class RunnerShare: Sendable {
  private let parts = Mutex<[String: any Sendable]>([:])

  package init() {}

  /// Returns the shared part of a type, which is made at its first use.
  ///
  /// - Parameters:
  ///   - name: What tells parts of one type apart.
  ///   - make: Makes the part; called under a lock.
  /// - Returns: The part.
  package func part<Part: Sendable>(_ name: String = "", _ make: () -> Part) -> Part {
    parts.withLock { parts in
      let key = "\(Part.self) \(name)"
      if let known = parts[key] as? Part { return known }
      let part = make()
      parts[key] = part
      return part
    }
  }
}
