// An instance of inotify and the watches it has.

#if os(Linux)
import Platform

/// The calls that may run into a limit, so that tests can say when.
struct InotifyCalls: Sendable {
  /// Makes an instance; its descriptor.
  var open: @Sendable () throws(Errno) -> Int32 = { () throws(Errno) in
    try InotifyCall.makeInstance()
  }
  /// Adds a watch; its number.
  var add: @Sendable (_ descriptor: Int32, _ path: String, _ mask: UInt32) throws(Errno) -> Int32 =
    { descriptor, path, mask throws(Errno) in
      try InotifyCall.addWatch(descriptor, path, mask)
    }
}

/// What inotify has told.
struct InotifyEvent {
  /// The watch that saw it; -1 for lost news.
  let watch: Int32
  /// What has happened.
  let mask: InotifyMask
  /// The name in the folder; empty for the folder itself.
  let name: FileName
  /// Whether the name is not UTF-8 and so only an approximation.
  let isNameBad: Bool
}

extension InotifyEvent {
  /// Whether the writer of the file of each event closes it, as far as the events tell.
  ///
  /// - Parameter events: Events in their order.
  /// - Returns: An answer for each.
  static func isClosedLater(_ events: [InotifyEvent]) -> [Bool] {
    var closed: [Int32: Set<FileName>] = [:]
    var answers: [Bool] = []
    // From the last to the first: what happens after a file has got a name is known when this is seen.
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

/// An inotify instance that counts how often each watch is held.
///
/// Used on one queue. Who makes it closes it.
struct Inotify {
  /// The descriptor to read from.
  let descriptor: Int32
  private let calls: InotifyCalls
  private var holds: [Int32: Int32] = [:]
  /// 64 KiB: some two thousand events.
  private var buffer = [UInt8](repeating: 0, count: 64 * 1024)

  /// Makes an instance.
  ///
  /// - Throws: The error of the system.
  init(_ calls: InotifyCalls) throws(Errno) {
    descriptor = try calls.open()
    self.calls = calls
  }

  /// Watches a path and holds the watch once more.
  ///
  /// - Returns: The watch.
  /// - Throws: The error of the system.
  mutating func watch(_ path: String, _ mask: InotifyMask) throws(Errno) -> Int32 {
    let watch = try calls.add(descriptor, path, mask.rawValue)
    holds[watch, default: 0] += 1
    return watch
  }

  /// Gives a watch back once; the last time ends it.
  ///
  /// The system never uses its number for another one, so that its late events mean nothing.
  mutating func unwatch(_ watch: Int32) {
    guard let count = holds[watch] else { return }
    holds[watch] = count > 1 ? count - 1 : nil
    if count == 1 { InotifyCall.removeWatch(descriptor, watch) }
  }

  /// Takes note that the system has ended a watch.
  mutating func ended(_ watch: Int32) {
    holds[watch] = nil
  }

  /// Reads what has happened, as much as fits in one read.
  ///
  /// - Returns: The events in their order; none when there is nothing yet.
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
