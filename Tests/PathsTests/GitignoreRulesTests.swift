import Foundation
import TestSupport
import Testing

@testable import Paths

/// Ignore rules, compared with git itself.
struct GitignoreRulesTests {
  @Test(arguments: [
    ("foo", "a/foo", true), ("/foo", "a/foo", false), ("a/foo", "a/foo", true),
    ("**/foo", "a/b/foo", true), ("a/**/b", "a/b", true), ("a/**/b", "a/x/y/b", true),
    ("a/**", "a/x/y", true), ("a/**", "a", false), ("*.c", "x/y.c", true),
    ("a/*.c", "a/b/y.c", false),
    ("\\#x", "#x", true), ("\\!x", "!x", true), ("x\\ ", "x ", true), ("x  ", "x", true),
    ("[a-c]x", "bx", true), ("[!a-c]x", "bx", false), ("[]]x", "]x", true),
    ("[[:digit:]]", "7", true), ("[[:nonsense:]]", "7", false), ("[a", "[a", false),
    ("foo**/bar", "foo/x/bar", true), ("a?b", "a/b", false), ("x\\", "x\\", false),
  ])
  func `a pattern has the same meaning as in git`(
    _ pattern: String, _ path: String, _ isIgnored: Bool
  ) {
    let rules = GitignoreRules(pattern.utf8)
    #expect((rules.ignores(path, isFolder: false) ?? false) == isIgnored)
  }

  @Test func `the last pattern wins, comments and line endings are ignored`() {
    let rules = GitignoreRules("\u{FEFF}*.log\r\n# no\n\n!keep.log\r\nfolder/".utf8)
    #expect(rules.ignores("x.log", isFolder: false) == true)
    #expect(rules.ignores("keep.log", isFolder: false) == false)
    #expect(rules.ignores("folder", isFolder: false) == nil)
    #expect(rules.ignores("folder", isFolder: true) == true)
    #expect(rules.ignores("no", isFolder: false) == nil)
  }

  /// As in git: a change of the link's target would not be noticed.
  @Test func `a gitignore file that is a link is not read`() throws {
    let folder = try TemporaryFolder()
    let (file, link) = (folder.path + "/rules", folder.path + "/.gitignore")
    try folder.write("rules", "*\n".utf8)
    #expect(GitignoreFiles.rules(ofFile: file)?.ignores("x", isFolder: false) == true)
    try folder.link(".gitignore", to: "rules")
    #expect(GitignoreFiles.rules(ofFile: link) == nil)
  }

  @Test func `a pathological gitignore pattern is matched quickly`() {
    let rules = GitignoreRules((String(repeating: "*a", count: 200) + "b").utf8)
    let time = processorTime {
      #expect(rules.ignores(String(repeating: "a", count: 4000), isFolder: false) == nil)
    }
    #expect(time < promised(.seconds(5)))
  }

  private static let pieces = [
    "a", "b", "ab", "A", "x.c", "*", "?", "**", "/", "/", "**/", "/**", "[ab]", "[!a]", "[a-c]",
    "[^b-c]", "[]a]", "[[:alpha:]]", "[[:upper:]b]", "[\\]]", "[a-", "\\*", "\\a", "\\ ", " ", "-",
    "#", "!", ".", "\\",
  ]
  private static let names = [
    "a", "b", "c", "ab", "A", "x.c", "*", "]", "#", "a b", "-", ".x", "!",
  ]

  /// Compares many paths with `git check-ignore`, which reads them from standard input.
  @Test func `random rules in a tree agree with git check-ignore`() throws {
    var generator = SeededGenerator.announced()
    let base = "/tmp/reprise-watch-\(UUID().uuidString)"
    let manager = FileManager.default
    defer { try? manager.removeItem(atPath: base) }
    for round in 0..<rounds(40, soak: 400) {
      try? manager.removeItem(atPath: base)
      try manager.createDirectory(atPath: base, withIntermediateDirectories: true)
      try Self.run(["init", "-q", base])
      var rules: [String: GitignoreRules] = [:]
      var texts: [String: String] = [:]
      for folder in ["", "a", "a/b", "b", "c/ab"] where Bool.random(using: &generator) {
        let text = Self.randomRules(&generator)
        let path = folder.isEmpty ? base : base + "/" + folder
        try manager.createDirectory(atPath: path, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(fileURLWithPath: path + "/.gitignore"))
        rules[folder] = GitignoreRules(text.utf8)
        texts[folder] = text
      }
      var paths: Set<String> = []
      for _ in 0..<60 {
        let count = Int.random(in: 1...4, using: &generator)
        let names = (0..<count).compactMap { _ in Self.names.randomElement(using: &generator) }
        paths.insert(names.joined(separator: "/"))
      }
      // Create the files, so that git knows which paths are folders. Skip paths that conflict with
      // others.
      let all = paths.sorted()
      let files = all.filter { path in
        !all.contains { $0.hasPrefix(path + "/") } && !Self.isFolder(base + "/" + path)
      }
      for file in files {
        let path = URL(fileURLWithPath: base + "/" + file)
        try manager.createDirectory(
          at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data().write(to: path)
      }
      let ignored = try Self.ignoredByGit(all, in: base)
      for path in all {
        let isIgnored = Self.isIgnored(path, rules, isFolder: Self.isFolder(base + "/" + path))
        #expect(isIgnored == ignored.contains(path), "round \(round): \(path) with \(texts)")
      }
    }
  }

  private static func randomRules(_ generator: inout SeededGenerator) -> String {
    (0..<Int.random(in: 1...6, using: &generator)).map { _ in
      let count = Int.random(in: 1...4, using: &generator)
      let text = (0..<count).compactMap { _ in pieces.randomElement(using: &generator) }.joined()
      return Int.random(in: 0..<4, using: &generator) == 0 ? "!" + text : text
    }.joined(separator: "\n")
  }

  private static func isFolder(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
      && isFolder.boolValue
  }

  /// Checks from the top down, like a watch, and stops at the first ignored folder.
  private static func isIgnored(
    _ path: String, _ rules: [String: GitignoreRules], isFolder: Bool
  ) -> Bool {
    let names = path.split(separator: "/").map(String.init)
    for depth in names.indices {
      var layers = GitignoreLayers()
      for start in (0...depth).reversed() {
        let folder = names[..<start].joined(separator: "/")
        layers.add(rules[folder], prefix: names[start..<depth].joined(separator: "/"))
      }
      if layers.ignores(names[depth], isFolder: depth + 1 < names.count || isFolder) { return true }
    }
    return false
  }

  @discardableResult
  private static func run(_ arguments: [String], input: String = "") throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/git")
    process.arguments = arguments
    let home = ["HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"]
    process.environment = home
    let (into, from) = (Pipe(), Pipe())
    (process.standardInput, process.standardOutput) = (into, from)
    process.standardError = FileHandle.nullDevice
    try process.run()
    into.fileHandleForWriting.write(Data(input.utf8))
    try into.fileHandleForWriting.close()
    let output = from.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: output, as: UTF8.self)
  }

  private static func ignoredByGit(_ paths: [String], in folder: String) throws -> Set<String> {
    let input = paths.joined(separator: "\0") + "\0"
    let output = try run(
      ["-C", folder, "check-ignore", "-z", "--stdin", "--no-index"], input: input)
    return Set(output.split(separator: "\0").map(String.init))
  }
}
