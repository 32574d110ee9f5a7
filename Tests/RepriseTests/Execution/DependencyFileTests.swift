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
  ]) func `the files after the colons are listed`(_ text: String, _ files: [String]) {
    #expect(DependencyFile(text.utf8).files == files)
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
                cache: { outputs: a.o, depfile: a.d }
            """, file: "w.yaml"))
      _ = await run.outcome
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
}
