// Runs blocking calls on separate threads, so that they do not block the cooperative thread pool.

import Dispatch
import Reprise

/// The queue of blocking calls.
let disk = DispatchQueue(label: "reprise.host.disk", attributes: .concurrent)

/// Runs a closure that blocks its thread, such as a journal transaction, off the cooperative pool.
///
/// - Parameter body: The blocking closure.
/// - Returns: The result of the closure.
/// - Throws: The error of the closure.
package func blocking<Value: Sendable>(
  _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
  try await disk.result(of: { Result { try body() } }).get()
}
