// Sets of signals, and which of them are blocked in a process that has one thread.

#if canImport(Glibc)
package import Glibc
#elseif canImport(Musl)
package import Musl
#else
package import Darwin
#endif

/// A set of signals.
package struct SignalSet: Sendable {
  private var set = sigset_t()

  /// Makes a set.
  ///
  /// - Parameter numbers: The numbers of its signals.
  package init(_ numbers: [Int32]) {
    _ = unsafe sigemptyset(&set)
    for number in numbers { _ = unsafe sigaddset(&set, number) }
  }

  /// Blocks the signals, in a process that has one thread.
  ///
  /// - Returns: What was blocked before.
  package func block() -> SignalSet {
    var before = SignalSet([])
    var set = set
    _ = unsafe sigprocmask(SIG_BLOCK, &set, &before.set)
    return before
  }

  /// Has these signals blocked and no others, in a process that has one thread.
  package func blockOnlyThese() {
    var set = set
    _ = unsafe sigprocmask(SIG_SETMASK, &set, nil)
  }

  /// Lets the signals through again, in a process that has one thread.
  package func unblock() {
    var set = set
    _ = unsafe sigprocmask(SIG_UNBLOCK, &set, nil)
  }

  /// Lends the set as the C library has it.
  ///
  /// - Parameter body: Is given the set.
  /// - Returns: What it returns.
  package func withPointer<Result>(_ body: (UnsafePointer<sigset_t>) -> Result) -> Result {
    unsafe withUnsafePointer(to: set) { unsafe body($0) }
  }
}
