import Foundation
import Synchronization
import TestSupport
import Testing

@testable import FileWatching

/// A temporary folder with a watch on a folder in it, and a subscriber that reads the reported
/// files.
final class WatchedFolder: Sendable {
  let base: String
  let root: String
  /// The received events.
  let events = Protected<[FileWatchEvent]>([])
  /// The state of each file when the subscriber last read it, which it does only when an event
  /// arrives.
  let known = Protected<[String: FileState]>([:])
  /// Called with each event before it is processed.
  let onEvent = Protected<@Sendable (FileWatchEvent) -> Void>({ _ in })
  private let watch = Protected<FolderWatch?>(nil)

  /// Creates the folder, and the root in it unless `makesRoot` is false.
  init(root name: String = "root", makesRoot: Bool = true) throws {
    base = "/tmp/reprise-watch-\(UUID().uuidString)"
    root = base + "/" + name
    try FileManager.default.createDirectory(
      atPath: makesRoot ? root : base, withIntermediateDirectories: true)
  }

  deinit {
    stop()
    removeAll()
  }

  /// Starts the watch; the subscriber knows the existing files.
  func start(
    _ filter: FileWatchFilter = FileWatchFilter(),
    makeWatcher: @escaping WatchEngine.MakeWatcher = systemWatcher
  ) throws {
    let (root, events, known, onEvent) = (root, events, known, onEvent)
    let handle: @Sendable (FileWatchEvent) -> Void = { event in
      onEvent.value(event)
      if case .changed(let path) = event {
        let state = FileState(at: root + "/" + path)
        known.withLock { $0[path] = state }
      }
      events.withLock { $0.append(event) }
    }
    let begun = try FolderWatch(
      self.root, filter: filter, makeWatcher: makeWatcher, onEvent: handle)
    // Changes in the meantime are reported later, and the file is read again.
    let states = FileState.all(below: root, filter)
    known.withLock { $0.merge(states) { reported, _ in reported } }
    watch.withLock { $0 = begun }
  }

  func stop() {
    let old = watch.withLock { watch in
      defer { watch = nil }
      return watch
    }
    old?.cancel()
  }

  /// Blocks the subscriber at the next event.
  func block() -> Blockade {
    let blockade = Blockade()
    onEvent.withLock { $0 = { _ in blockade.stand() } }
    return blockade
  }

  var watchedFolders: Int { watch.value?.watchedFolders ?? 0 }

  /// Waits until the given number of folders is watched.
  ///
  /// The count is updated after the events are delivered.
  func expectWatched(
    _ count: Int, sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    await expectEventually("\(count) folders watched", sourceLocation: sourceLocation) {
      watchedFolders == count
    }
  }

  /// The reported paths, in order.
  var reported: [String] {
    events.value.compactMap {
      if case .changed(let path) = $0, !path.hasPrefix(Self.settling) { path } else { nil }
    }
  }

  var problems: [String] {
    events.value.compactMap { if case .problem(let text) = $0 { text } else { nil } }
  }

  func forgetEvents() { events.withLock { $0 = [] } }

  /// Returns the paths whose state the subscriber does not know correctly.
  func differences(_ filter: FileWatchFilter = FileWatchFilter()) -> [String] {
    let real = FileState.all(below: root, filter)
    let known = known.value
    return Set(real.keys).union(known.keys).sorted().filter { real[$0] != known[$0] }
  }

  func expectConvergence(
    _ filter: FileWatchFilter = FileWatchFilter(), within deadline: Duration = .seconds(60),
    sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    let end = ContinuousClock.now.advanced(by: deadline)
    while !differences(filter).isEmpty {
      guard ContinuousClock.now < end else {
        let real = FileState.all(below: root, filter)
        let reported = reported
        for path in differences(filter).prefix(5) {
          Issue.record(
            """
            \(path): is \(real[path].map { "\($0)" } ?? "missing"), known as \
            \(known.value[path].map { "\($0)" } ?? "missing"), reported at \
            \(reported.indices.filter { reported[$0] == path }) of \(reported.count)
            """, sourceLocation: sourceLocation)
        }
        return
      }
      await Task.yield()
    }
  }

  /// Waits until all of the given paths are reported.
  func expectReported(
    _ paths: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    await expectEventually("\(paths) reported", sourceLocation: sourceLocation) {
      Set(paths).isSubset(of: reported)
    }
  }

  /// Waits until all previous changes are reported, since events are delivered in order.
  func settle() async throws {
    let name = Self.settling + UUID().uuidString
    try write(name, "")
    await expectEventually("settled", within: .seconds(30)) {
      events.value.contains(.changed(path: name))
    }
    try remove(name)
  }

  private static let settling = "settling-"

  /// Removes everything, including folders without permissions.
  private func removeAll() {
    var folders = [base]
    while let folder = folders.popLast() {
      chmod(folder, 0o755)
      for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
        var status = stat()
        let path = folder + "/" + name
        if lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR { folders.append(path) }
      }
    }
    try? FileManager.default.removeItem(atPath: base)
  }

  // MARK: Changes

  func path(_ name: String) -> String {
    name.isEmpty ? root : name.hasPrefix("/") ? name : root + "/" + name
  }

  func write(_ name: String, _ text: String = "text") throws {
    let descriptor = open(path(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw Failure(name, errno) }
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    guard Foundation.write(descriptor, bytes, bytes.count) == bytes.count else {
      throw Failure(name, errno)
    }
  }

  func makeFolder(_ name: String) throws {
    try FileManager.default.createDirectory(
      atPath: path(name), withIntermediateDirectories: true)
  }

  func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: path(name))
  }

  func move(_ old: String, _ new: String) throws {
    guard rename(path(old), path(new)) == 0 else { throw Failure("\(old) \(new)", errno) }
  }

  func link(_ target: String, _ name: String) throws {
    guard symlink(target, path(name)) == 0 else { throw Failure(name, errno) }
  }

  func hardLink(_ old: String, _ new: String) throws {
    guard Foundation.link(path(old), path(new)) == 0 else { throw Failure(new, errno) }
  }

  func setMode(_ name: String, _ mode: UInt32) throws {
    guard chmod(path(name), mode) == 0 else { throw Failure(name, errno) }
  }

  struct Failure: Error {
    let what: String
    let number: Int32

    init(_ what: String, _ number: Int32) {
      self.what = what
      self.number = number
    }
  }
}

/// The observable state of a file.
struct FileState: Sendable, Equatable {
  let contents: [UInt8]?
  let target: String?
  let mode: UInt32
  let modified: Int64

  /// Reads the state of a file; nil if there is none to report.
  init?(at path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    mode = UInt32(status.st_mode)
    modified = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
    switch status.st_mode & S_IFMT {
    case S_IFREG:
      contents = Self.contents(of: path)
      target = nil
    case S_IFLNK:
      var end = stat()
      if stat(path, &end) == 0 && end.st_mode & S_IFMT != S_IFREG { return nil }
      contents = nil
      target = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
    default: return nil
    }
  }

  /// Reads a file without waiting for the writer of a pipe that has replaced it.
  private static func contents(of path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = read(descriptor, &buffer, buffer.count)
    return count < 0 ? nil : Array(buffer[..<count])
  }

  /// Returns the state of all files that match a filter.
  static func all(below root: String, _ filter: FileWatchFilter) -> [String: FileState] {
    var states: [String: FileState] = [:]
    var folders = [""]
    while let folder = folders.popLast() {
      let path = folder.isEmpty ? root : root + "/" + folder
      let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
      for name in names {
        let relative = folder.isEmpty ? name : folder + "/" + name
        var status = stat()
        guard lstat(root + "/" + relative, &status) == 0 else { continue }
        if status.st_mode & S_IFMT == S_IFDIR {
          if name != ".git" && name != ".reprise" && filter.entersFolder(relative) {
            folders.append(relative)
          }
        } else if filter.wantsFile(relative) {
          states[relative] = FileState(at: root + "/" + relative)
        }
      }
    }
    return states
  }
}

/// Blocks one call until it is opened.
final class Blockade: Sendable {
  private let isUsed = Atomic(false)
  private let entered = DispatchSemaphore(value: 0)
  private let gate = DispatchSemaphore(value: 0)

  func stand() {
    guard !isUsed.exchange(true, ordering: .sequentiallyConsistent) else { return }
    entered.signal()
    gate.wait()
  }

  func waitUntilEntered() { entered.wait() }
  func open() { gate.signal() }
}
