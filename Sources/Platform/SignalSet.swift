// Signal sets and the signal mask of a single-threaded process.

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

  /// Creates a set.
  ///
  /// - Parameter numbers: The numbers of the signals.
  package init(_ numbers: [Int32]) {
    _ = unsafe sigemptyset(&set)
    for number in numbers { _ = unsafe sigaddset(&set, number) }
  }

  /// Blocks the signals, in a single-threaded process.
  ///
  /// - Returns: The previously blocked signals.
  package func block() -> SignalSet {
    var before = SignalSet([])
    var set = set
    _ = unsafe sigprocmask(SIG_BLOCK, &set, &before.set)
    return before
  }

  /// Sets the signal mask to these signals, in a single-threaded process.
  package func blockOnlyThese() {
    var set = set
    _ = unsafe sigprocmask(SIG_SETMASK, &set, nil)
  }

  /// Unblocks the signals, in a single-threaded process.
  package func unblock() {
    var set = set
    _ = unsafe sigprocmask(SIG_UNBLOCK, &set, nil)
  }

  /// Whether a signal that is blocked has arrived, in a single-threaded process.
  package static func isPending(_ number: Int32) -> Bool {
    var pending = sigset_t()
    return unsafe sigpending(&pending) == 0 && sigismember(&pending, number) == 1
  }

  /// Calls a closure with the set as a C value.
  ///
  /// - Parameter body: Receives the set.
  /// - Returns: The result of the closure.
  package func withPointer<Result>(_ body: (UnsafePointer<sigset_t>) -> Result) -> Result {
    unsafe withUnsafePointer(to: set) { unsafe body($0) }
  }
}

extension SignalSet {
  /// Blocks the signals in the calling thread.
  ///
  /// - Returns: The previously blocked signals.
  func blockInThisThread() -> SignalSet {
    var before = SignalSet([])
    var set = set
    _ = unsafe pthread_sigmask(SIG_BLOCK, &set, &before.set)
    return before
  }

  /// Sets the signal mask of the calling thread to these signals.
  func setInThisThread() {
    var set = set
    _ = unsafe pthread_sigmask(SIG_SETMASK, &set, nil)
  }
}
