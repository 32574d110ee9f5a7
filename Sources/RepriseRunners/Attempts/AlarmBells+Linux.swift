// `AlarmBells`: rings when something changes in a folder, by inotify.

#if os(Linux)
import Dispatch
import Platform
import Synchronization

/// The bells of all alarms, in one instance of inotify: a user may have only some of them.
final class AlarmBells: Sendable {
  static let shared = AlarmBells()

  /// A result is moved into place, output is written, and a claim is closed by its last holder.
  private static let events: InotifyMask = [.created, .movedTo, .written, .closedByWriter]

  private struct State {
    var lastNumber = 0
    /// The watches of the system by the numbers of alarms; alarms of one folder share a watch.
    var watches: [Int: Int32] = [:]
    var bells: [Int32: [Int: AsyncStream<Void>.Continuation]] = [:]
  }

  private let descriptor: Int32
  private let state = Mutex(State())

  private init?() {
    guard let descriptor = try? InotifyCall.makeInstance() else { return nil }
    self.descriptor = descriptor
    DispatchQueue(label: "reprise.attempts").async { [self] in
      while true {
        waitUntilReadable(descriptor)
        ring()
      }
    }
  }

  func add(_ bell: AsyncStream<Void>.Continuation, for folder: String) -> Int? {
    state.withLock { state in
      guard
        let watch = try? InotifyCall.addWatch(descriptor, folder, Self.events.rawValue)
      else { return nil }
      state.lastNumber += 1
      state.watches[state.lastNumber] = watch
      state.bells[watch, default: [:]][state.lastNumber] = bell
      return state.lastNumber
    }
  }

  func remove(_ number: Int) {
    state.withLock { state in
      guard let watch = state.watches.removeValue(forKey: number) else { return }
      state.bells[watch]?[number] = nil
      guard state.bells[watch]?.isEmpty == true else { return }
      state.bells[watch] = nil
      InotifyCall.removeWatch(descriptor, watch)
    }
  }

  private func ring() {
    var buffer = [UInt8](repeating: 0, count: 1 << 14)
    guard let count = readBytes(descriptor, into: &buffer), count > 0 else { return }
    let records = InotifyRecord.records(in: buffer[..<count])
    let isAll = records.contains { $0.mask.contains(.overflowed) }
    let watches = Set(records.map(\.watch))
    let bells = state.withLock { state in
      state.bells.filter { isAll || watches.contains($0.key) }.flatMap { $0.value.values }
    }
    for bell in bells { bell.yield() }
  }
}
#endif
