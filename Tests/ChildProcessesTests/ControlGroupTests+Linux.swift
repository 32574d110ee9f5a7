#if os(Linux)
import Testing

@testable import ChildProcesses

/// The groups that are named in the notes of dead engines: what is in them is killed.
struct ControlGroupTests {
  @Test func `a path that leads elsewhere is no group of ours`() {
    #expect(
      ControlGroup(path: "/sys/fs/cgroup/a/reprise-1-2")?.path == "/sys/fs/cgroup/a/reprise-1-2")
    for path in [
      "", "/", "/sys/fs/cgroup", "/sys/fs/cgroup/system.slice",
      "/sys/fs/cgroup/reprise-1/init.scope",
      "/sys/fs/cgroup/../../../tmp/reprise-1", "/sys/fs/cgroup/reprise-1/../reprise-2",
      "../reprise-1",
    ] {
      #expect(ControlGroup(path: path) == nil, "\(path)")
    }
  }
}
#endif
