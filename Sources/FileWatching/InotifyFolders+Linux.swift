// Watches single folders with inotify, and reports when a limit is reached.

#if os(Linux)
import Platform

/// An inotify instance that may be unavailable.
///
/// Used on one queue.
final class InotifyFolders: FolderWatches {
  private let calls: InotifyCalls
  private let host: any WatcherHost
  private var inotify: Inotify?
  private var isLimitReported = false

  /// The events that are watched in folders.
  private let ofFolders: InotifyMask

  /// Creates a closed instance.
  ///
  /// - Parameters:
  ///   - calls: The system calls.
  ///   - seesWriting: Whether each write to a file is observed, and not only its close.
  ///   - host: The object to report to.
  init(_ calls: InotifyCalls, seesWriting: Bool = false, host: any WatcherHost) {
    let ofFolders: InotifyMask = [
      .attributes, .closedByWriter, .movedFrom, .movedTo, .created, .deleted, .onlyFolders,
      .notThroughLinks, .added,
    ]
    self.ofFolders = seesWriting ? ofFolders.union(.written) : ofFolders
    self.calls = calls
    self.host = host
  }

  /// Whether the instance is open.
  var isOpen: Bool { inotify != nil }

  /// Opens an instance if there is none and the limit allows it.
  func openIfNeeded() {
    guard inotify == nil else { return }
    do throws(Errno) {
      let opened = try Inotify(calls)
      inotify = opened
      host.readWhenReady(opened.descriptor)
    } catch {
      reportLimit(error, isInstance: true)
    }
  }

  /// Reads pending events, as many as fit in one read.
  func read() -> [InotifyEvent] {
    inotify?.read() ?? []
  }

  /// Forgets a watch that the system has removed.
  func ended(_ watch: Int32) {
    inotify?.ended(watch)
  }

  func watch(_ path: String) -> WatchOutcome {
    watch(path, ofFolders)
  }

  /// Watches a path for given events.
  func watch(_ path: String, _ mask: InotifyMask) -> WatchOutcome {
    do throws(Errno) {
      guard let watch = try inotify?.watch(path, mask) else { return .noRoom }
      return .watched(watch)
    } catch {
      switch error {
      case .noSpace, .noMemory:
        reportLimit(error, isInstance: false)
        return .noRoom
      case .fileNameTooLong: return .tooLong
      default: return .nothing
      }
    }
  }

  func unwatch(_ watch: Int32) {
    inotify?.unwatch(watch)
  }

  func isComplete(_ path: String) -> Bool? {
    hasNoWriter(path)
  }

  /// Returns a system limit by its name.
  static func limit(_ name: String) -> Int? {
    do throws(Errno) {
      let file = try OpenFile("/proc/sys/fs/inotify/\(name)")
      let digits = try file.readAll(upTo: 32).prefix { $0 >= 48 && $0 <= 57 }
      return Int(String(decoding: digits, as: UTF8.self))
    } catch {
      return nil
    }
  }

  private func reportLimit(_ error: Errno, isInstance: Bool) {
    guard !isLimitReported else { return }
    isLimitReported = true
    let name = isInstance ? "max_user_instances" : "max_user_watches"
    let present = Self.limit(name)
    let advice =
      if isInstance && error == .tooManyOpenFiles && Self.isOutOfDescriptors() {
        "this process has no file descriptors left; raise the limit with `ulimit -n`"
      } else if error == .noSpace || isInstance && error == .tooManyOpenFiles {
        """
        the system limit is \(present.map(String.init) ?? "unknown"); raise it with \
        `sysctl fs.inotify.\(name)=\(2 * max(present ?? 0, 65536))`
        """
      } else {
        "\(error)"
      }
    let what = isInstance ? "no folder can be watched" : "not all folders can be watched"
    host.report(
      .problem("\(what): \(advice); until then they are polled every two seconds (reported once)"))
  }

  private static func isOutOfDescriptors() -> Bool {
    do throws(Errno) {
      _ = try OpenFile("/dev/null")
      return false
    } catch {
      return true
    }
  }
}
#endif
