// Reads the process table of Linux from /proc.

#if os(Linux)
import ChildProcessesShim
import Platform
import Synchronization

extension ProcessTable {
  /// Returns the current processes.
  ///
  /// Linear in their number: about a millisecond for hundreds.
  static func current() -> ProcessTable {
    var room = lastCount.load(ordering: .relaxed) + 512
    while true {
      var list = [reprise_process](repeating: reprise_process(), count: room)
      var isIncomplete: Int32 = 0
      let count = unsafe Int(reprise_list_processes(&list, Int32(list.count), &isIncomplete))
      if count <= list.count {
        lastCount.store(count, ordering: .relaxed)
        return ProcessTable(
          list.prefix(count).map(ProcessEntry.init), isIncomplete: isIncomplete != 0)
      }
      room *= 4
    }
  }

  /// The number of processes at the last look, so that one reading is enough for the next one.
  private static let lastCount = Atomic(0)

  /// Returns whether this process has adopted orphans.
  ///
  /// Orphans become children of its first thread. A child stays in the list that is read here until
  /// it is reaped, which only the caller's thread does.
  ///
  /// - Parameter known: Returns the children that this process has started; called after the list
  ///   is read.
  /// - Returns: Whether it has adopted any; false is reliable, true may be wrong.
  static func hasAdoptedChildren(besides known: () -> Set<Int32>) -> Bool {
    guard let children = childrenOfFirstThread.read() else { return true }
    return !children.isEmpty && !children.isSubset(of: known())
  }

  /// Returns the children of the first thread of this process, which adopts the orphans; nil if
  /// they cannot be read.
  static func currentChildren() -> Set<Int32>? { childrenOfFirstThread.read() }

  /// Returns whether any thread of this process has children that this process has not started,
  /// including siblings that a child has created with `CLONE_PARENT`.
  ///
  /// If this process adopts orphans and has no such children, a tree whose first process has ended
  /// has no other processes: each of them would have a living parent, up to a child of this
  /// process.
  ///
  /// - Parameter known: Returns the children that this process has started; called after the lists
  ///   are read.
  /// - Returns: Whether there are any; false is reliable, true may be wrong.
  static func hasUnknownChildren(besides known: () -> Set<Int32>) -> Bool {
    let pid = processID
    let threads = threads(of: pid)
    var found: Set<Int32> = []
    for thread in threads {
      guard let children = children(ofThread: thread, of: pid) else { return true }
      found.formUnion(children)
    }
    // The children of a thread that ends are moved to another thread, perhaps one that was already
    // read.
    return threads.isEmpty || self.threads(of: pid) != threads || !found.isSubset(of: known())
  }

  private static func threads(of pid: Int32) -> [Int32] {
    FolderReader.names(in: "/proc/\(pid)/task").compactMap { Int32($0) }
  }

  private static func children(ofThread thread: Int32, of pid: Int32) -> Set<Int32>? {
    fileContents("/proc/\(pid)/task/\(thread)/children").map(numbers)
  }

  /// The children of this process's first thread; read whenever a process ends.
  private static let childrenOfFirstThread = ChildrenFile()

  fileprivate static func numbers(_ contents: [UInt8]) -> Set<Int32> {
    var numbers: Set<Int32> = []
    var number: Int32 = 0
    for byte in contents {
      if byte == UInt8(ascii: " ") {
        if number > 0 { numbers.insert(number) }
        number = 0
      } else {
        number = number * 10 + Int32(byte) - Int32(UInt8(ascii: "0"))
      }
    }
    if number > 0 { numbers.insert(number) }
    return numbers
  }

  /// Returns the environment with which a process was started, if it is readable.
  static func environment(of pid: Int32) -> [String] {
    (fileContents("/proc/\(pid)/environ") ?? []).split(separator: 0)
      .map { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns whether a process has begun to end, or has ended.
  ///
  /// It has no environment any more then, but may still wait for others, as the first process of a
  /// namespace does. The flag is `PF_EXITING`, in the seventh field after the name: see proc(5).
  static func isEnding(_ pid: Int32) -> Bool {
    guard let contents = fileContents("/proc/\(pid)/stat"),
      let end = contents.lastIndex(of: UInt8(ascii: ")"))
    else { return true }
    let fields = contents[(end + 1)...].split(separator: UInt8(ascii: " "))
    guard fields.count > 6, let flags = UInt32(String(decoding: fields[6], as: UTF8.self)) else {
      return true
    }
    return flags & 0x4 != 0
  }

  /// Returns the threads of this process that sleep for a time, by the system call in which they are;
  /// empty if the kernel does not tell.
  static func sleepingThreads() -> [Int32] {
    threads(of: processID).filter { thread in
      let call = fileContents("/proc/self/task/\(thread)/syscall") ?? []
      let number = Int32(String(decoding: call.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self))
      return number.map { reprise_is_sleep($0) != 0 } ?? false
    }
  }

  /// Returns whether a debugger has attached to a thread of a process, and may have stopped it.
  static func isTraced(_ pid: Int32) -> Bool {
    threads(of: pid).contains { thread in
      let status = fileContents("/proc/\(pid)/task/\(thread)/status") ?? []
      let line = status.split(separator: UInt8(ascii: "\n")).first {
        $0.starts(with: "TracerPid:".utf8)
      }
      return line.map { $0.last != UInt8(ascii: "0") } ?? false
    }
  }

  /// Returns the words of a process, separated by spaces, up to 200 characters; empty if they
  /// cannot be read.
  static func commandLine(of pid: Int32) -> String {
    let words = (fileContents("/proc/\(pid)/cmdline") ?? []).split(separator: 0)
      .map { String(decoding: $0, as: UTF8.self) }
    return String(words.joined(separator: " ").prefix(200))
  }
}

/// The file in which the kernel lists the children of a thread.
///
/// It is kept open, because opening it takes ten times as long as reading it.
private final class ChildrenFile: Sendable {
  private let file: OpenFile?
  private let process = processID
  /// Kept, because it is read at the end of each process.
  private let buffer = Mutex([UInt8](repeating: 0, count: 4096))

  /// Opens the list of this process's first thread.
  init() {
    file = try? OpenFile("/proc/\(process)/task/\(process)/children")
  }

  /// Returns the current children; nil if they cannot be read.
  func read() -> Set<Int32>? {
    // A fork of this process has inherited the file of its parent.
    guard process == processID else { return nil }
    return buffer.withLock { buffer in
      var contents: [UInt8] = []
      do throws(Errno) {
        while let count = try file?.readOnce(at: Int64(contents.count), into: &buffer) {
          guard count > 0 else { return ProcessTable.numbers(contents) }
          contents += buffer[..<count]
        }
      } catch {
        // Nil, as if it could not be opened.
      }
      return nil
    }
  }
}

extension ProcessEntry {
  fileprivate init(_ process: reprise_process) {
    self.init(
      pid: process.pid, parent: process.parent, group: process.group, session: process.session,
      isZombie: process.is_zombie != 0, start: process.start)
  }
}
#endif
