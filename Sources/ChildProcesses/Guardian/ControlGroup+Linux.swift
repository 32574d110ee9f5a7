// A control group for everything that an engine starts, where the system lets us make one: what is in
// it can be ended as a whole, whatever it has done to hide. Knows neither runs nor steps.

#if os(Linux)
import ChildProcessesShim
import Platform

/// A cgroup (version 2) of one engine; see cgroups(7).
package struct ControlGroup: Sendable {
  /// Its folder.
  package let path: String

  /// Names a group that was made before, by this process or another one.
  ///
  /// - Parameter path: Its folder; nil where that cannot be one of ours.
  package init?(path: String) {
    let names = path.split(separator: "/")
    guard names.last?.hasPrefix(Self.prefix) == true, !names.contains("..") else { return nil }
    self.path = path
  }

  private static let prefix = "reprise-"

  /// Makes a group below that of this process; nil where that is not allowed, or where groups cannot be
  /// killed (before Linux 5.14).
  static func make() -> ControlGroup? {
    guard let mount = mountPoint, let own = ownGroup else { return nil }
    // A process id may come again while the group of an earlier one is still there.
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

  /// Has what this process starts from now on be in the group from its first moment.
  ///
  /// This process stays where it is: to move a process takes the kernel ten milliseconds.
  func takeChildren() {
    unsafe reprise_start_children_in(path)
  }

  /// Kills every process in the group, and waits until none is left.
  ///
  /// The kernel does it in one go, so nothing can fork its way out. Where this process had to go into the
  /// group itself, it does not return.
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

  /// Where version 2 is mounted: mostly at one of two places, and to look there is quicker than to read the
  /// list of all mounts.
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

  /// The group that this process is in.
  private static var ownGroup: String? {
    lines(of: "/proc/self/cgroup").first { $0.hasPrefix("0::") }.map { String($0.dropFirst(3)) }
  }

  private static func lines(of path: String) -> [String] {
    (fileContents(path) ?? []).split(separator: UInt8(ascii: "\n"))
      .map { String(decoding: $0, as: UTF8.self) }
  }
}
#endif
