// Reads the process table of Linux from /proc.

#if os(Linux)
import ChildProcessesShim
import Platform

extension ProcessTable {
  /// The processes at this moment.
  ///
  /// Linear in their number: about a millisecond for hundreds.
  static func current() -> ProcessTable {
    var list = [reprise_process](repeating: reprise_process(), count: 512)
    while true {
      var isTorn: Int32 = 0
      let count = unsafe Int(reprise_list_processes(&list, Int32(list.count), &isTorn))
      if count <= list.count {
        return ProcessTable(list.prefix(count).map(ProcessEntry.init), isTorn: isTorn != 0)
      }
      list = [reprise_process](repeating: reprise_process(), count: list.count * 4)
    }
  }

  /// Whether the kernel gave children to this process when their parents died.
  ///
  /// They become children of its first thread. Nobody leaves the list that is read here without being
  /// reaped, which the caller's thread alone does.
  ///
  /// - Parameter known: The children that this process has started itself; asked for after the look.
  /// - Returns: Whether it did; false is certain.
  static func hasAdoptedChildren(besides known: () -> Set<Int32>) -> Bool {
    guard let children = childrenOfFirstThread.read() else { return true }
    return !children.isEmpty && !children.isSubset(of: known())
  }

  /// Whether this process has children that it has not started itself, of any of its threads: also
  /// siblings that a child has made with `CLONE_PARENT`.
  ///
  /// Where orphans come to this process, a tree whose first process has ended has no other process when
  /// there are none: each one has a living parent, and so on up to a child of this process.
  ///
  /// - Parameter known: The children that this process has started itself; asked for after the look.
  /// - Returns: Whether it has any; false is certain.
  static func hasStrangers(besides known: () -> Set<Int32>) -> Bool {
    let pid = processID
    let threads = threads(of: pid)
    var found: Set<Int32> = []
    for thread in threads {
      guard let children = children(ofThread: thread, of: pid) else { return true }
      found.formUnion(children)
    }
    // The children of a thread that ends go to another one, perhaps to one that was read before.
    return threads.isEmpty || self.threads(of: pid) != threads || !found.isSubset(of: known())
  }

  private static func threads(of pid: Int32) -> [Int32] {
    FolderReader.names(in: "/proc/\(pid)/task").compactMap { Int32($0) }
  }

  private static func children(ofThread thread: Int32, of pid: Int32) -> Set<Int32>? {
    fileContents("/proc/\(pid)/task/\(thread)/children").map(numbers)
  }

  /// The list of the children of this process's first thread, which is asked for at each end of a process.
  private static let childrenOfFirstThread = ChildrenFile()

  fileprivate static func numbers(_ contents: [UInt8]) -> Set<Int32> {
    Set(
      contents.split(separator: UInt8(ascii: " ")).compactMap {
        Int32(String(decoding: $0, as: UTF8.self))
      })
  }

  /// The environment with which a process was started, as far as it may be read.
  static func environment(of pid: Int32) -> [String] {
    (fileContents("/proc/\(pid)/environ") ?? []).split(separator: 0)
      .map { String(decoding: $0, as: UTF8.self) }
  }
}

/// The file in which the kernel lists the children of a thread, kept open: to find it by its name takes ten
/// times as long as to read it.
private final class ChildrenFile: Sendable {
  private let file: OpenFile?
  private let process = processID

  /// Opens the list of this process's first thread.
  init() {
    file = try? OpenFile("/proc/\(process)/task/\(process)/children")
  }

  /// The children at this moment; nil where they cannot be read.
  func read() -> Set<Int32>? {
    // A fork of this process has the list of its parent.
    guard process == processID else { return nil }
    var contents: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    do throws(Errno) {
      while let count = try file?.readOnce(at: Int64(contents.count), into: &buffer) {
        guard count > 0 else { return contents.isEmpty ? [] : ProcessTable.numbers(contents) }
        contents += buffer[..<count]
      }
    } catch {
      // As where it could not be opened.
    }
    return nil
  }
}

extension ProcessEntry {
  fileprivate init(_ process: reprise_process) {
    self.init(
      pid: process.pid, parent: process.parent, group: process.group, session: process.session,
      isZombie: process.is_zombie != 0)
  }
}
#endif
