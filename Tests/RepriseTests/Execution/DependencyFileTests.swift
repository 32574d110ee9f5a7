import Foundation
import Testing

@testable import Reprise

/// Files that a compiler lists as its inputs.
struct DependencyFileTests {
  @Test(arguments: [
    ("a.o: a.c b.h\n", ["a.c", "b.h"]),
    ("a.o: a.c \\\n  b.h \\\r\n c.h", ["a.c", "b.h", "c.h"]),
    ("a.o b.o : a.c a.c\n\na.c:\nx: d\n", ["a.c", "d"]),
    ("a.o: my\\ file.c \\#odd $$cash\n", ["my file.c", "#odd", "$cash"]),
    ("a.o: back\\slash.c two\\\\ end\n", ["back\\slash.c", "two\\", "end"]),
    ("a.o: dir:file.c c\\:d /usr/include/x.h\n", ["dir:file.c", "c:d", "/usr/include/x.h"]),
    ("a.o:\n", []), ("", []), ("no rule\n", []), ("a.o: \\", ["\\"]),
    ("a: b\n\n# env-dep:X=1\n# c: d\n", ["b"]), ("# only: a comment", []),
    ("[id]/a.o: [id]/a.c\n", ["[id]/a.c"]), ("a: b # c", ["b", "#", "c"]),
  ]) func `the files after the colons are listed`(_ text: String, _ files: [String]) {
    #expect(DependencyFile(text.utf8).files == files)
  }

  @Test(arguments: [
    ("a.h\n", "no colon after \"a.h\""), ("a.o: a.c\nb.h c.h\n", "no colon after \"b.h\""),
    (#"["a.h", "b.h"]"#, "JSON"), (#"{"sources": ["a.h"]}"#, "JSON"),
    ("{\n  \"a\": [\"b.h\"]\n}\n", "JSON"),
  ]) func `a file without rules is refused`(_ text: String, _ problem: String) {
    #expect(DependencyFile(text.utf8).problem?.contains(problem) == true)
  }

  @Test func `a name that is not UTF-8 is refused`() {
    #expect(DependencyFile([0x61, 0x3A, 0x20, 0xFF]).problem?.contains("not UTF-8") == true)
  }

  @Test(arguments: [
    "", "\n", "# comment\n", "a.o: a.c\n", "[id]/a.o: b\n", "a.o:\n", "{a}: b", "\"a\": b",
  ])
  func `a file with rules, or nothing, is accepted`(_ text: String) {
    #expect(DependencyFile(text.utf8).problem == nil)
  }

  /// A folder with a step that copies `a.c` to `a.o`, and lists what it has read in `a.d`.
  private final class Project {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "reprise-depfile-\(UUID().uuidString)")
    let memory = TraceMemory()

    init() throws {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try write("a.c", "1")
      try write("my head.h", "1")
      try write("list", "a.o: a.c my\\ head.h gone.h")
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func write(_ name: String, _ text: String) throws {
      try text.write(
        to: folder.appendingPathComponent(name), atomically: true, encoding: .utf8)
    }

    func phase(_ script: String = "cp a.c a.o && cp list a.d") async throws -> StepPhase? {
      let engine = Engine(memory: memory)
      let run = engine.start(
        try Workflow(
          text: """
            dir: \(folder.path)
            steps:
              - id: a
                run: \(script)
                cache: { makes: a.o, depfile: a.d }
            """, file: "w.yaml"))
      _ = try await run.outcome
      return run.state["a"]?.phase
    }
  }

  @Test func `a step runs again when a file has changed that it has listed`() async throws {
    let project = try Project()
    let done = StepPhase.succeeded([:])
    let skipped = StepPhase.skipped("up to date", [:])
    #expect(try await project.phase() == done)
    #expect(try await project.phase() == skipped)
    try project.write("my head.h", "2")
    #expect(try await project.phase() == done)
    #expect(try await project.phase() == skipped)
    // A file that was listed but did not exist appears.
    try project.write("gone.h", "1")
    #expect(try await project.phase() == done)
    #expect(try await project.phase() == skipped)
    try FileManager.default.removeItem(at: project.folder.appendingPathComponent("my head.h"))
    #expect(try await project.phase() == done)
    // The file itself is an output.
    try FileManager.default.removeItem(at: project.folder.appendingPathComponent("a.d"))
    #expect(try await project.phase() == done)
    #expect(try await project.phase() == skipped)
    // What is not listed any more is no input.
    try project.write("list", "a.o: a.c")
    try project.write("a.c", "2")
    #expect(try await project.phase() == done)
    try project.write("gone.h", "2")
    #expect(try await project.phase() == skipped)
  }

  @Test func `a step that lists nothing has failed`() async throws {
    let project = try Project()
    #expect(
      try await project.phase("cp a.c a.o")
        == .failed(.badOutputs("there is no depfile \"a.d\"")))
  }

  @Test func `files that are listed by absolute paths are inputs`() async throws {
    let project = try Project()
    let (done, skipped) = (StepPhase.succeeded([:]), StepPhase.skipped("up to date", [:]))
    let place = project.folder.path
    try project.write(
      "list",
      "a.o: a.c \(place)/my\\ head.h \(place)/../\(project.folder.lastPathComponent)/a.c /tmp")
    #expect(try await project.phase() == done)
    #expect(try await project.phase() == skipped)
    try project.write("my head.h", "2")
    #expect(try await project.phase() == done)
    #expect(try await project.phase() == skipped)
  }

  @Test func `a depfile without rules, or with an unreadable file, fails the step`() async throws {
    let project = try Project()
    for list in ["a.h", "[\"a.h\"]"] {
      try project.write("list", list)
      for _ in 1...2 {
        guard case .failed(.badOutputs(let text)) = try await project.phase() else {
          Issue.record("it has not failed: \(list)")
          continue
        }
        #expect(text.contains("the depfile \"a.d\" cannot be used"))
      }
    }
    // A name of 300 bytes is an error for any user.
    try project.write("list", "a.o: a.c \(String(repeating: "x", count: 300))")
    guard case .failed(.badOutputs(let text)) = try await project.phase() else {
      Issue.record("it has not failed")
      return
    }
    #expect(text.contains("name too long"))
    try project.write("list", "")
    #expect(try await project.phase() == .succeeded([:]))
  }

  @Test func `a depfile is no pattern, and any spelling of its path is the same`() async throws {
    let project = try Project()
    for name in ["[x].d", "{a}.d", "./a.d", "sub/../a.d"] {
      let engine = Engine(memory: project.memory)
      let run = engine.start(
        try Workflow(
          text: """
            dir: \(project.folder.path)
            steps:
              - id: a
                run: "mkdir -p sub; cp a.c a.o; cp list '\(name)'"
                cache: { makes: a.o, depfile: "\(name)" }
            """, file: "w.yaml"))
      #expect(try await run.outcome == .succeeded, "\(name)")
    }
  }
}
