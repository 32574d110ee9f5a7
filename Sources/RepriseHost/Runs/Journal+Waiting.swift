// Waits for a live run of another process until it has ended, or has come to some state.

import Platform
package import Reprise
import RepriseControl
package import RepriseJournal
import Synchronization

extension Journal {
  /// Waits until a run has ended, or its state is as wanted.
  ///
  /// Returns early if the task is cancelled.
  ///
  /// - Parameters:
  ///   - run: The run.
  ///   - patience: The maximum time.
  ///   - isWanted: Whether the state of the live run is as wanted; called after each event.
  package func waitForEnd(
    of run: RunID, within patience: Duration,
    or isWanted: @escaping @Sendable (RunState) -> Bool
  ) async {
    let end = ContinuousClock.now.advanced(by: patience)
    var pause = Duration.milliseconds(20)
    while !Task.isCancelled {
      let left = end - ContinuousClock.now
      guard left > .zero, let client = await reachable(run, within: left) else { return }
      switch await follow(client, of: run, until: end, isWanted) {
      case true: return
      case false:
        guard !Task.isCancelled, ContinuousClock.now < end else { return }
        // The connection ends with the run, whose end may be recorded a moment later.
        _ = await statusAfterEnd(of: run)
        return
      case nil:
        // It has not begun, or waits for its turn, and reports nothing before that.
        try? await SystemClock().sleep(for: pause)
        pause = min(pause * 2, .seconds(1))
      }
    }
  }

  /// Waits until a live run can be controlled; nil if it has ended, or the time is over.
  private func reachable(_ run: RunID, within patience: Duration) async -> ControlClient? {
    let found = try? await FolderChanges.first(ofLiveRunsIn: directory, within: patience) {
      () -> ControlClient?? in
      try await blocking { [self] in
        let record = try self.run(with: run)
        guard record.status.isLive else { return .some(nil) }
        // It is announced a moment before it listens.
        return (try? client(of: record)).map { .some($0) }
      }
    }
    return found ?? nil
  }

  /// Follows a run until its state is as wanted.
  ///
  /// - Returns: Whether it came to that; nil if the run cannot be followed yet.
  private func follow(
    _ client: ControlClient, of run: RunID, until end: ContinuousClock.Instant,
    _ isWanted: @escaping @Sendable (RunState) -> Bool
  ) async -> Bool? {
    let alarm = Task {
      try? await SystemClock().sleep(for: max(end - ContinuousClock.now, .zero))
      client.close()
    }
    defer { alarm.cancel() }
    return await withTaskCancellationHandler { () async -> Bool? in
      guard let reply = try? await client.ask(.attach) else { return false }
      guard reply == .ok else { return nil }
      defer { client.close() }
      return await agree(with: client, on: run, isWanted)
    } onCancel: {
      client.close()
    }
  }

  /// Waits until the events of a run and its record agree that its state is as wanted.
  ///
  /// The first events repeat what has happened so far, of which the record is newer; the later ones
  /// are recorded a few milliseconds after they were reported.
  ///
  /// - Returns: Whether it came to that before the end of the events.
  private func agree(
    with client: ControlClient, on run: RunID, _ isWanted: @escaping @Sendable (RunState) -> Bool
  ) async -> Bool {
    let (hints, hint) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let isReported = Mutex(false)
    async let reading: Void = {
      var state = RunState()
      for await event in client.events.values {
        try? state.apply(event)
        let isSo = isWanted(state)
        isReported.withLock { $0 = isSo }
        if isSo { hint.yield() }
      }
      isReported.withLock { $0 = false }
      hint.finish()
    }()
    var found = false
    search: for await _ in hints {
      var pause = Duration.milliseconds(5)
      while isReported.withLock({ $0 }), !Task.isCancelled {
        let recorded = try? await blocking { [self] in
          try self.state(of: try self.run(with: run))
        }
        found = recorded.map(isWanted) ?? false
        if found { break search }
        try? await SystemClock().sleep(for: pause)
        pause = min(pause * 2, .milliseconds(200))
      }
    }
    client.close()
    await reading
    return found
  }
}
