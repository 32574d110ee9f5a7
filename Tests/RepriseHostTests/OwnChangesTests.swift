import Testing

@testable import RepriseHost

/// Notices runs that change the files that start them.
struct OwnChangesTests {
  private func activity(_ count: Int, isRecent: Bool = true) -> WatchRuns.Activity {
    WatchRuns.Activity(isRecent: isRecent, startCount: count)
  }

  @Test func `the same file during several runs in a row is a warning, once`() {
    var changes = OwnChanges()
    #expect(changes.warning(after: ["src/a"], activity(0, isRecent: false)) == nil)
    for run in 1..<OwnChanges.sameMax {
      #expect(changes.warning(after: ["gen", "tmp\(run)"], activity(run)) == nil)
    }
    let warning = changes.warning(after: ["gen", "b"], activity(OwnChanges.sameMax))
    #expect(warning?.contains("\"gen\"") == true)
    for run in 6...100 { #expect(changes.warning(after: ["gen"], activity(run)) == nil) }
  }

  @Test func `changes while no run is active start the count again`() {
    var changes = OwnChanges()
    for round in 0..<10 {
      for run in 1..<OwnChanges.sameMax {
        #expect(changes.warning(after: ["a"], activity(round * 10 + run)) == nil)
      }
      #expect(changes.warning(after: ["a"], activity(round * 10 + 5, isRecent: false)) == nil)
    }
  }

  @Test func `several changes during one run count once`() {
    var changes = OwnChanges()
    for _ in 0..<100 { #expect(changes.warning(after: ["a"], activity(1)) == nil) }
  }

  @Test func `different files during many runs in a row are a warning`() {
    var changes = OwnChanges()
    for run in 1..<OwnChanges.anyMax {
      #expect(changes.warning(after: ["log-\(run)"], activity(run)) == nil)
    }
    #expect(
      changes.warning(after: ["log"], activity(OwnChanges.anyMax))?.contains("\"log\"") == true)
  }
}
