// Reads the process table of Linux from /proc.

#if os(Linux)
#if canImport(Glibc)
import Glibc
#else
import Musl
#endif

extension ProcessTable {
  /// The processes at this moment.
  ///
  /// Linear in their number: a few milliseconds for hundreds.
  static func current() -> ProcessTable {
    let pids = names(in: "/proc").compactMap { Int32($0) }
    let entries = pids.compactMap(entry)
    return ProcessTable(entries, isTorn: entries.count < pids.count)
  }

  /// The children that the kernel gave to this process when their parents died.
  ///
  /// They become
  /// children of its first thread, which makes this one read.
  ///
  /// - Parameter known: The children that this process has started itself.
  /// - Returns: Whether there are others.
  static func hasAdoptedChildren(besides known: Set<Int32>) -> Bool {
    let pid = getpid()
    guard let contents = fileContents("/proc/\(pid)/task/\(pid)/children") else { return true }
    return contents.split(separator: UInt8(ascii: " ")).contains { word in
      Int32(String(decoding: word, as: UTF8.self)).map { !known.contains($0) } ?? false
    }
  }

  /// The environment with which a process was started, as far as it may be read.
  static func environment(of pid: Int32) -> [String] {
    (fileContents("/proc/\(pid)/environ") ?? []).split(separator: 0)
      .map { String(decoding: $0, as: UTF8.self) }
  }

  /// See proc(5), /proc/pid/stat: the name is in parentheses and may itself hold some.
  ///
  /// A process whose first thread has ended while others run is listed as a zombie, too; it has more
  /// than one thread.
  private static func entry(_ pid: Int32) -> ProcessEntry? {
    guard let contents = fileContents("/proc/\(pid)/stat"),
      let open = contents.firstIndex(of: UInt8(ascii: "(")),
      let close = contents.lastIndex(of: UInt8(ascii: ")")), open < close
    else { return nil }
    let fields = contents[(close + 1)...].split(separator: UInt8(ascii: " ")).prefix(18)
      .map { String(decoding: $0, as: UTF8.self) }
    guard fields.count == 18, let parent = Int32(fields[1]), let group = Int32(fields[2]),
      let session = Int32(fields[3])
    else { return nil }
    return ProcessEntry(
      pid: pid, parent: parent, group: group, session: session,
      isZombie: fields[0] == "X" || fields[0] == "Z" && fields[17] <= "1",
      name: String(decoding: contents[(open + 1)..<close], as: UTF8.self))
  }
}
#endif
