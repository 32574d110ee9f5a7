// What the child processes of this one have used.

import PlatformShim

/// Returns the processor time of all child processes that were waited for, and of those that they have waited
/// for; and the peak memory of the largest one, in bytes.
package func resourcesOfChildren() -> (processorTime: Duration, peakBytes: Int64) {
  let use = reprise_child_use()
  return (.microseconds(use.microseconds), use.peak_bytes)
}
