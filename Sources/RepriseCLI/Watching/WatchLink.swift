// How the display of a watch, which is made first, reaches the watch.

import Reprise
import RepriseTerminal
import Synchronization

/// Lets a display reach the watch that is made after it.
final class WatchLink: Sendable {
  private struct Reference {
    weak var watch: Watch?
  }

  private let reference = Mutex(Reference())

  var watch: Watch? {
    get { reference.withLock { $0.watch } }
    set { reference.withLock { $0.watch = newValue } }
  }

  func controls(end: @escaping @Sendable () -> Void) -> WatchDisplay.Controls {
    WatchDisplay.Controls(
      run: { [self] in watch?.newestRun }, status: { [self] in watch?.watchStatus },
      fire: { [self] in watch?.fire() }, pause: { [self] in watch?.togglePause() },
      outputClosed: end)
  }
}
