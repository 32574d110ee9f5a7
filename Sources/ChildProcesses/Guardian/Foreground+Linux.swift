// The process that a shell waits for while its user watches a run, and that ends when the user leaves it.

#if os(Linux)
import ChildProcessesShim
import Platform

/// Forks this process: the parent stays in the foreground of the shell, and the child goes on as the command.
///
/// The guardian cannot be the process that the shell waits for, because its user may leave the run in the
/// background: a guardian that ended would no longer adopt the orphans of the steps.
///
/// The parent:
///
/// - passes on the signals that other processes send to it; those of a terminal reach the child as well,
/// - stops when the child has stopped, and continues together with it (Ctrl-Z, `fg`),
/// - ends in the same way as the child, or when the child asks for that by ``ForegroundLink/leave(saying:)``.
///
/// If the parent is killed, the child finds the link closed.
///
/// Must be called while the process has only one thread.
///
/// - Parameter onLeave: Ends the parent; gets the word of the child.
/// - Returns: In the child, its end of the link; nil if there is none, and this process goes on alone. The
///   parent never returns.
package func splitOffForeground(onLeave: (String) -> Never) -> ForegroundLink? {
  guard let ends = socketPair() else { return nil }
  let passedOn = Guardian.passedOn.filter { !isIgnored($0) }
  let handled = [
    SignalNumber.child, SignalNumber.resume, SignalNumber.terminalStop, SignalNumber.quit,
    SignalNumber.user2,
  ]
  let signals = SignalSet(passedOn + handled)
  let before = signals.block()
  let foreground = processID
  let child = reprise_fork()
  if child == 0 {
    closeDescriptor(ends.0)
    before.blockOnlyThese()
    return ForegroundLink(descriptor: ends.1, foreground: foreground)
  }
  closeDescriptor(ends.1)
  guard child > 0 else {
    closeDescriptor(ends.0)
    before.blockOnlyThese()
    return nil
  }
  setNonblocking(ends.0)
  onLeave(Foreground(child: child, link: ends.0, signals: signals).wait())
}

/// The main loop of the process in the foreground.
private struct Foreground {
  let child: Int32
  let link: Int32
  let signals: SignalSet

  /// Waits until the user leaves; ends this process if the child ends first.
  ///
  /// - Returns: The word of the child.
  func wait() -> String {
    while true {
      let (number, isFromProcess) = waitForSignal(signals, within: .seconds(3600))
      switch number {
      case 0: continue
      case SignalNumber.child: followChild()
      case SignalNumber.user2:
        var buffer = [UInt8](repeating: 0, count: 256)
        if let count = readBytes(link, into: &buffer), count > 0 {
          return String(decoding: buffer[..<count], as: UTF8.self)
        }
      default:
        if isFromProcess { sendSignal(number, to: child) }
      }
    }
  }

  /// Stops and ends as the child has.
  private func followChild() {
    while let news = waitForAnyChild(WaitOption.withoutWaiting | WaitOption.stopped) {
      switch news.change {
      case .stopped:
        // What resumes processes one by one may have resumed this one first.
        let isResumed = SignalSet.isPending(SignalNumber.resume)
        if !isResumed { sendSignal(SignalNumber.stop, to: processID) }
      case .resumed: break
      case .ended(let status): end(as: status)
      }
    }
  }
}
#endif
