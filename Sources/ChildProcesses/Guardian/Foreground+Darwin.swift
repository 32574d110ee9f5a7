// The process that a shell waits for on Darwin: the command itself.

#if canImport(Darwin)
/// Returns nil: Darwin does not say which process has sent a signal, so none could be passed on.
package func splitOffForeground(onLeave: (String) -> Never) -> ForegroundLink? { nil }
#endif
