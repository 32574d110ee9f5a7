import FileWatching
import Foundation
import TestSupport
import Testing

/// Performs random file operations in a tree and outside it.
struct RandomScript {
  var generator: SeededGenerator
  let folder: WatchedFolder
  private(set) var log: [String] = []

  init(_ generator: SeededGenerator, _ folder: WatchedFolder) {
    self.generator = generator
    self.folder = folder
  }

  private mutating func name() -> String {
    ["a", "b", "c", "d", "e"].randomElement(using: &generator) ?? "a"
  }

  /// Returns a path of up to four names in the root or next to it.
  private mutating func anyPath() -> String {
    let names = (0..<Int.random(in: 1...4, using: &generator)).map { _ in name() }
    let path = names.joined(separator: "/")
    return Int.random(in: 0..<5, using: &generator) == 0
      ? folder.base + "/outside/" + path : folder.path(path)
  }

  /// Performs one operation, which may fail.
  mutating func step() {
    let (path, other) = (anyPath(), anyPath())
    switch Int.random(in: 0..<24, using: &generator) {
    case 0..<6: write(path)
    case 6..<8: mkdir(path, 0o755)
    case 8..<10:
      try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      write(path + "/" + name())
    case 10..<15: rename(path, other)
    case 15..<17: unlink(path)
    case 17: try? FileManager.default.removeItem(atPath: path)
    case 18:
      // The link must be dangling: the script writes through links and must never leave its own
      // folder. Also, a change of the target of a link is not reported.
      symlink("missing/\(generator.next())", path)
    case 19: mkfifo(path, 0o600)
    case 20..<22: chmod(path, [0o600, 0o644, 0o755].randomElement(using: &generator) ?? 0o644)
    case 22:
      // An atomic save.
      write(path + "~")
      rename(path + "~", path)
    default:
      write(path + "~")
      unlink(path)
      link(path + "~", path)
      unlink(path + "~")
    }
  }

  private mutating func write(_ path: String) {
    let flags =
      O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CREAT | O_CLOEXEC
      | (Bool.random(using: &generator) ? O_TRUNC : O_APPEND)
    let descriptor = open(path, flags, 0o644)
    guard descriptor >= 0 else { return }
    let bytes = Array("\(generator.next())".utf8)
    _ = Foundation.write(descriptor, bytes, bytes.count)
    close(descriptor)
  }
}

struct ConvergenceTests {
  @Test func `a subscriber that reads reported files finally knows the state of every file`()
    async throws
  {
    var generator = SeededGenerator.announced()
    for round in 0..<rounds(200, soak: 2000) {
      let seed = generator.next()
      let folder = try WatchedFolder()
      try FileManager.default.createDirectory(
        atPath: folder.base + "/outside", withIntermediateDirectories: true)
      var script = RandomScript(SeededGenerator(seed: seed), folder)
      for _ in 0..<40 { script.step() }
      try folder.start()
      for _ in 0..<200 { script.step() }
      await folder.expectConvergence()
      if !folder.differences().isEmpty {
        Issue.record("round \(round), script seed \(seed)")
        break
      }
      #expect(folder.problems == [])
    }
  }
}
