// A control group for all processes that an engine starts: it can be killed as a whole, so that no
// process escapes by detaching.

#if os(Linux)
import ChildProcessesShim
import Platform

/// The cgroup (version 2) of one engine; see cgroups(7).
package struct ControlGroup: Sendable {
  /// The path of its folder.
  package let path: String

  /// Creates a reference to an existing group, of this process or another one.
  ///
  /// - Parameter path: The path of its folder; the result is nil if this cannot be a group of
  ///   Reprise.
  package init?(path: String) {
    let names = path.split(separator: "/")
    guard names.last?.hasPrefix(Self.prefix) == true, !names.contains("..") else { return nil }
    self.path = path
  }

  private static let prefix = "reprise-"

  /// Creates a group below that of this process.
  ///
  /// Returns nil if that is not permitted, or if groups cannot be killed (before Linux 5.14).
  static func make() -> ControlGroup? {
    guard let mount = mountPoint, let own = ownGroup else { return nil }
    // A process id may be reused while the group of an earlier process still exists.
    let name = "\(prefix)\(processID)-\(UInt32.random(in: 0 ... .max))"
    let path = mount + (own == "/" ? "" : own) + "/" + name
    do throws(Errno) {
      try makeFolder(path, permissions: FilePermissions(rawValue: 0o755))
    } catch {
      return nil
    }
    guard let group = ControlGroup(path: path) else { return nil }
    guard mayAccess(path + "/cgroup.kill", .writing) else {
      group.remove()
      return nil
    }
    return group
  }

  /// Starts all future children of this process in the group.
  ///
  /// This process itself is not moved, because moving a process takes the kernel ten milliseconds.
  func takeChildren() {
    unsafe reprise_start_children_in(path)
  }

  /// Kills every process in the group, and waits until none is left.
  ///
  /// The kernel does this atomically, so no process can escape by forking. If this process had to
  /// join the group itself, the call does not return.
  package func kill() {
    guard write("1", to: "cgroup.kill") else { return }
    while fileContents(path + "/cgroup.events").map(isPopulated) ?? false {
      pauseThread(milliseconds: 1)
    }
  }

  /// Removes the group, which must be empty.
  package func remove() {
    removeFolder(path)
  }

  private func isPopulated(_ events: [UInt8]) -> Bool {
    events.split(separator: UInt8(ascii: "\n")).contains { $0.elementsEqual("populated 1".utf8) }
  }

  @discardableResult
  private func write(_ text: String, to file: String) -> Bool {
    do throws(Errno) {
      let file = try OpenFile(path + "/" + file, .writeOnly)
      return writeOnce(Array(text.utf8), to: file.descriptor) > 0
    } catch {
      return false
    }
  }

  /// The mount point of version 2.
  ///
  /// It is usually one of two paths; checking them is faster than reading the list of all mounts.
  private static var mountPoint: String? {
    ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"].first { path in
      unsafe reprise_holds_control_groups(path) != 0
    } ?? listedMountPoint
  }

  private static var listedMountPoint: String? {
    lines(of: "/proc/self/mountinfo").lazy.compactMap { line -> String? in
      let words = line.split(separator: " ")
      guard let separator = words.firstIndex(of: "-"), words.count > separator + 1,
        words[separator + 1] == "cgroup2", words.count > 4
      else { return nil }
      return String(words[4])
    }.first
  }

  /// The path of this process's group.
  private static var ownGroup: String? {
    lines(of: "/proc/self/cgroup").first { $0.hasPrefix("0::") }.map { String($0.dropFirst(3)) }
  }

  private static func lines(of path: String) -> [String] {
    (fileContents(path) ?? []).split(separator: UInt8(ascii: "\n"))
      .map { String(decoding: $0, as: UTF8.self) }
  }
}
#endif
