#if os(Linux)
import Testing

@testable import ChildProcesses

/// The control groups in the records of dead engines, whose processes are killed.
struct ControlGroupTests {
  @Test func `only a path of our control groups is accepted`() {
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
