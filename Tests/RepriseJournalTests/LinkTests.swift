import Foundation
import Reprise
import TestSupport
import Testing

@testable import RepriseJournal

/// Promise 20: neither ids nor the contents of the state directory lead out of it.
struct LinkTests {
  /// Returns the path of a file outside of the state directory that must not change.
  private func victim(_ folder: Folder) throws -> String {
    let path = folder.path + "/outside/victim"
    try FileManager.default.createDirectory(
      atPath: folder.path + "/outside", withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    try "untouched".write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  private func expectUntouched(_ folder: Folder, _ place: String) throws {
    let outside = folder.path + "/outside"
    #expect(try FileManager.default.contentsOfDirectory(atPath: outside) == ["victim"], "\(place)")
    let text = try String(contentsOfFile: outside + "/victim", encoding: .utf8)
    #expect(text == "untouched", "\(place)")
  }

  @Test func `hostile ids form no path outside of the state folder`() {
    var generator = SeededGenerator.announced()
    let pieces = [
      "..", ".", "/", "\\", "\0", "%", "%2e%2e%2f", "~", "$HOME", "*", "-", "_", "a", "Z", "9", " ",
      "\n", "\u{1B}[2J", "é", "\u{202E}", "\u{FF0F}", ".lock", "watch-",
      String(repeating: "x", count: 300),
    ]
    let state = StateDirectory(path: "/state")
    let id = RunID()
    var refused = 0
    let rounds = rounds(300, soak: 30_000)
    for _ in 0..<rounds {
      let text = (0...Int.random(in: 0...5, using: &generator)).map { _ in
        pieces.randomElement(using: &generator) ?? ""
      }.joined()
      if let run = RunID(text) {
        #expect(text.wholeMatch(of: /[A-Za-z0-9][A-Za-z0-9_-]{0,63}/) != nil, "\(text)")
        #expect(state.logFolder(of: run).split(separator: "/").count == 3, "\(text)")
      } else {
        refused += 1
      }
      for path in [
        state.logPath(of: id, step: text, generation: 1, attempt: 1), state.watchLockPath(of: text),
        state.watchSocketPath(of: text),
      ] {
        let names = path.split(separator: "/")
        #expect(path.hasPrefix("/state/") && !names.contains("..") && !path.contains("\0"))
        #expect(names.count == (path.hasSuffix(".log") ? 5 : 3), "\(text): \(path)")
      }
    }
    #expect(refused > rounds / 3)
  }

  @Test(arguments: [
    "journal.db", "journal.db-wal", "journal.db-shm", "journal.lock", "live", "runs",
  ]) func `a symlink in place of a file or folder is refused`(_ name: String) async throws {
    let folder = try Folder()
    let victim = try victim(folder)
    try await folder.run(in: Journal(folder.state))
    let place = folder.state.path + "/" + name
    if FileManager.default.fileExists(atPath: place) {
      try FileManager.default.removeItem(atPath: place)
    }
    let isFolder = ["live", "runs"].contains(name)
    try FileManager.default.createSymbolicLink(
      atPath: place, withDestinationPath: isFolder ? folder.path + "/outside" : victim)
    let error = #expect(throws: JournalError.self) { try Journal(folder.state) }
    #expect(error?.description.contains(place) == true)
    try expectUntouched(folder, name)
  }

  @Test(arguments: ["", "/s0", "/s0/2.1.log"])
  func `a run whose logs are symlinks is not resumed`(_ place: String) async throws {
    let folder = try Folder()
    let victim = try victim(folder)
    let journal = try Journal(folder.state)
    let id = try await folder.run(failing: 1, in: journal)
    let link = folder.state.logFolder(of: id) + place
    if FileManager.default.fileExists(atPath: link) {
      try FileManager.default.removeItem(atPath: link)
    }
    let isFile = place.hasSuffix(".log")
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: isFile ? victim : folder.path + "/outside")
    #expect(throws: JournalError.self) {
      let recorded = try journal.reopen(id) { record, _ in record.request }.0
      // A linked log file is refused only when it is written.
      try recorded.keep(
        Event(
          time: Timestamp(microseconds: 0), run: id, generation: 2,
          kind: .step("s0", attempt: 1, .output(.standardOutput, text: "x", isPartial: false))))
    }
    try expectUntouched(folder, place)
  }

  @Test func `the locks of runs and watches do not follow symlinks`() async throws {
    let folder = try Folder()
    let victim = try victim(folder)
    let journal = try Journal(folder.state)
    let id = try await folder.run(failing: 1, in: journal)
    let run = folder.state.lockPath(of: id)
    for place in [run, folder.state.watchLockPath(of: "w")] {
      try? FileManager.default.removeItem(atPath: place)
      try FileManager.default.createSymbolicLink(atPath: place, withDestinationPath: victim)
      #expect(throws: JournalError.self) { try FileLock.take(place) }
    }
    #expect(throws: JournalError.self) { try journal.reopen(id) { record, _ in record.request } }
    try expectUntouched(folder, "locks")
  }
}
