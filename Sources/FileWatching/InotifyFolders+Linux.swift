// Watches single folders with inotify as long as there is room, and says what to do when there is none.

#if os(Linux)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// An inotify instance that can be missing.
///
/// Used on one queue.
final class InotifyFolders: FolderWatches {
  private let calls: InotifyCalls
  private let host: any WatcherHost
  private var inotify: Inotify?
  private var isLimitTold = false

  private static let ofFolders: InotifyMask = [
    .attributes, .closedByWriter, .movedFrom, .movedTo, .created, .deleted, .onlyFolders,
    .notThroughLinks, .added,
  ]

  /// Makes one that is not open yet.
  init(_ calls: InotifyCalls, host: any WatcherHost) {
    self.calls = calls
    self.host = host
  }

  /// Whether there is an instance.
  var isOpen: Bool { inotify != nil }

  /// Gets an instance if there is none and the limit allows it.
  func openIfNeeded() {
    guard inotify == nil else { return }
    var failure: Int32 = 0
    inotify = Inotify(calls, failure: &failure)
    if let inotify {
      host.readWhenReady(inotify.descriptor)
    } else {
      tellLimit(number: -failure, isInstance: true)
    }
  }

  /// Reads what has happened, as much as fits in one read.
  func read() -> [InotifyEvent] {
    inotify?.read() ?? []
  }

  /// Takes note that the system has ended a watch.
  func ended(_ watch: Int32) {
    inotify?.ended(watch)
  }

  func watch(_ path: String) -> WatchOutcome {
    watch(path, Self.ofFolders)
  }

  /// Watches a path for something else than what happens in a folder.
  func watch(_ path: String, _ mask: InotifyMask) -> WatchOutcome {
    guard let watch = inotify?.watch(path, mask) else { return .noRoom }
    switch -watch {
    case ...0: return .watched(watch)
    case ENOSPC, ENOMEM:
      tellLimit(number: -watch, isInstance: false)
      return .noRoom
    case ENAMETOOLONG: return .tooLong
    default: return .nothing
    }
  }

  func unwatch(_ watch: Int32) {
    inotify?.unwatch(watch)
  }

  func isComplete(_ path: String) -> Bool? {
    hasNoWriter(path)
  }

  /// A limit of the system, by its name.
  static func limit(_ name: String) -> Int? {
    guard let file = fopen("/proc/sys/fs/inotify/\(name)", "re") else { return nil }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 32)
    guard fgets(&line, Int32(line.count), file) != nil else { return nil }
    let digits = line.prefix { $0 >= 48 && $0 <= 57 }.map { UInt8($0) }
    return Int(String(decoding: digits, as: UTF8.self))
  }

  private func tellLimit(number: Int32, isInstance: Bool) {
    guard !isLimitTold else { return }
    isLimitTold = true
    let name = isInstance ? "max_user_instances" : "max_user_watches"
    let present = Self.limit(name)
    let advice =
      if isInstance && number == EMFILE && Self.isOutOfDescriptors() {
        "this process has as many descriptors as it may; raise the limit with `ulimit -n`"
      } else if number == ENOSPC || isInstance && number == EMFILE {
        """
        the limit of the system is \(present.map(String.init) ?? "not known"); raise it with \
        `sysctl fs.inotify.\(name)=\(2 * max(present ?? 0, 65536))`
        """
      } else {
        String(cString: strerror(number))
      }
    let what = isInstance ? "no folder can be watched" : "not all folders can be watched"
    host.tell(
      .problem("\(what): \(advice); until then they are looked at every two seconds (told once)"))
  }

  private static func isOutOfDescriptors() -> Bool {
    let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
    if descriptor >= 0 { close(descriptor) }
    return descriptor < 0
  }
}
#endif
