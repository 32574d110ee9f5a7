// An inotify instance and its watches.

#if os(Linux)
import Platform

/// The system calls that can reach a limit, replaceable in tests.
struct InotifyCalls: Sendable {
  /// Creates an instance and returns its descriptor.
  var open: @Sendable () throws(Errno) -> Int32 = { () throws(Errno) in
    try InotifyCall.makeInstance()
  }
  /// Adds a watch and returns its descriptor.
  var add: @Sendable (_ descriptor: Int32, _ path: String, _ mask: UInt32) throws(Errno) -> Int32 =
    { descriptor, path, mask throws(Errno) in
      try InotifyCall.addWatch(descriptor, path, mask)
    }
}

/// An inotify event.
struct InotifyEvent {
  /// The watch that the event belongs to; -1 if events were lost.
  let watch: Int32
  /// The kind of event.
  let mask: InotifyMask
  /// The name in the folder; empty for the folder itself.
  let name: FileName
  /// Whether the name is not UTF-8, so that `name` is only an approximation.
  let isNameBad: Bool
}

extension InotifyEvent {
  /// Returns, for each event, whether a later one reports that the writer has closed the file.
  ///
  /// - Parameter events: Events in order.
  /// - Returns: A value for each event.
  static func isClosedLater(_ events: [InotifyEvent]) -> [Bool] {
    var closed: [Int32: Set<FileName>] = [:]
    var answers: [Bool] = []
    // Go backwards, so that each creation is visited after the later events of the same name.
    for event in events.reversed() {
      answers.append(closed[event.watch]?.contains(event.name) ?? false)
      if event.mask.contains(.closedByWriter) {
        closed[event.watch, default: []].insert(event.name)
      } else if !event.mask.isDisjoint(with: [.created, .deleted, .movedFrom, .movedTo]) {
        closed[event.watch]?.remove(event.name)
      }
    }
    return answers.reversed()
  }
}

/// An inotify instance with reference-counted watches.
///
/// Used on one queue. The owner must close the descriptor.
struct Inotify {
  /// The descriptor to read from.
  let descriptor: Int32
  private let calls: InotifyCalls
  private var holds: [Int32: Int32] = [:]
  /// 64 KiB: about two thousand events.
  private var buffer = [UInt8](repeating: 0, count: 64 * 1024)

  /// Creates an instance.
  ///
  /// - Throws: The system error.
  init(_ calls: InotifyCalls) throws(Errno) {
    descriptor = try calls.open()
    self.calls = calls
  }

  /// Watches a path, and increments the reference count of the watch.
  ///
  /// - Returns: The watch.
  /// - Throws: The system error.
  mutating func watch(_ path: String, _ mask: InotifyMask) throws(Errno) -> Int32 {
    let watch = try calls.add(descriptor, path, mask.rawValue)
    holds[watch, default: 0] += 1
    return watch
  }

  /// Decrements the reference count of a watch; removes the watch when it reaches zero.
  ///
  /// The system never reuses the number of a watch, so late events of a removed watch are ignored.
  mutating func unwatch(_ watch: Int32) {
    guard let count = holds[watch] else { return }
    holds[watch] = count > 1 ? count - 1 : nil
    if count == 1 { InotifyCall.removeWatch(descriptor, watch) }
  }

  /// Forgets a watch that the system has removed.
  mutating func ended(_ watch: Int32) {
    holds[watch] = nil
  }

  /// Reads pending events, as many as fit in one read.
  ///
  /// - Returns: The events in order; empty if none are pending.
  mutating func read() -> [InotifyEvent] {
    guard let count = readBytes(descriptor, into: &buffer), count > 0 else { return [] }
    return InotifyRecord.records(in: buffer[..<count]).map { record in
      let name = String(validating: record.name, as: UTF8.self)
      return InotifyEvent(
        watch: record.watch, mask: record.mask,
        name: FileName(name ?? String(decoding: record.name, as: UTF8.self)),
        isNameBad: name == nil)
    }
  }
}
#endif
