#if os(Linux)
import Foundation
import Platform
import TestSupport
import Testing

@testable import ChildProcesses

/// Trees in a process namespace, as bubblewrap makes them.
@Suite(.serialized) struct NamespaceTests {
  /// Whether this machine lets its users make namespaces.
  private static let areAllowed: Bool = {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
    process.arguments = ["--map-root-user", "--pid", "--fork", "true"]
    process.standardError = FileHandle.nullDevice
    do { try process.run() } catch { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }()

  /// Waits for the end of a tree in a namespace, one of whose processes takes long to end: it has
  /// much memory to give back.
  private func expectNothingIsLeft(after end: (ChildProcess) -> Void) async throws {
    let folder = try temporaryFolder()
    let mark = "\(Int.random(in: 100_000...999_999)).\(Int.random(in: 1000...9999))"
    // With a single tree, everything would be taken for a part of it.
    let other = try await ChildProcess.spawn(shell("exec sleep 600")) { _ in true }
    let script = """
      exec unshare --map-root-user --pid --fork --kill-child setsid sh -c '
        dd if=/dev/zero bs=300M count=1 2>/dev/null |
          { head -c 1 > \(folder)/ready; exec sleep \(mark); }; :'
      """
    let child = try await ChildProcess.spawn(shell(script)) { _ in true }
    await expectEventually("the memory is in use") {
      FileManager.default.contents(atPath: "\(folder)/ready")?.isEmpty == false
    }
    var before: [Int32] = []
    await expectEventually("all its processes are there") {
      before = processes(with: mark)
      return before.count >= 3
    }
    end(child)
    _ = await child.end()
    // Another process may have to reap them, and does so when it likes.
    let table = ProcessTable.current()
    #expect(before.filter { table.entries[$0]?.isZombie == false } == [])
    other.kill()
    _ = await other.end()
  }

  // What a stop has found is waited for, also in programs that do not adopt orphans, where the first
  // process of the namespace belongs to another process as soon as `unshare` has ended. Adopting
  // cannot be undone, so this is certain only in a process of its own.
  @Test(.enabled(if: areAllowed)) func `a stopped tree is gone when its namespace is`() async throws
  {
    try await expectNothingIsLeft { $0.kill() }
  }

  // The first process of a killed namespace has no environment any more, so nothing shows to which
  // tree it belongs, but it waits until all others in it have ended.
  @Test(.enabled(if: areAllowed)) func `a tree that ends is gone when its namespace is`()
    async throws
  {
    adoptOrphans()
    try await expectNothingIsLeft { sendSignal(SignalNumber.kill, to: $0.id) }
  }
}
#endif
