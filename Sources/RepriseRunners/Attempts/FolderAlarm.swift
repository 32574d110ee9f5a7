// `FolderAlarm`: wakes what waits for a change in the folder of an attempt on this machine.

import Reprise

/// Reports that something has changed in a folder, so that no one needs to look at intervals.
///
/// Only for what is written on this machine: the system reports no writes of other machines to a
/// file system that they share.
final class FolderAlarm: Sendable {
  private let number: Int
  private let rings: AsyncStream<Void>
  private let bell: AsyncStream<Void>.Continuation

  /// Begins to watch a folder.
  ///
  /// - Returns: Nil if the system cannot watch it: it is out of watches, or not Linux.
  init?(_ folder: String) {
    let (rings, bell) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    guard let number = AlarmBells.shared?.add(bell, for: folder) else { return nil }
    (self.number, self.rings, self.bell) = (number, rings, bell)
  }

  deinit { AlarmBells.shared?.remove(number) }

  /// Waits until something has changed since the last wait, or for some time.
  ///
  /// One task may wait at a time.
  ///
  /// - Throws: `CancellationError`.
  func wait(upTo limit: Duration, clock: any RunClock) async throws {
    let timer = Task { [bell] in
      guard (try? await clock.sleep(for: limit)) != nil else { return }
      bell.yield()
    }
    defer { timer.cancel() }
    for await _ in rings { return }
    throw CancellationError()
  }
}
