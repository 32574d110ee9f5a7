// Calls that wait for the disk, on threads of their own: the tasks of a process share a few threads, and
// one that waits there holds up all others.

import Dispatch
import Reprise

private let disk = DispatchQueue(label: "reprise.host.disk", attributes: .concurrent)

/// Carries out what blocks its thread, such as a transaction of the journal, without holding up tasks.
///
/// - Parameter body: What blocks.
/// - Returns: What it returns.
/// - Throws: What it throws.
package func blocking<Value: Sendable>(
  _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
  try await disk.result(of: { Result { try body() } }).get()
}
