import Foundation
import Testing

@testable import WorkflowFiles

/// Files that a workflow refers to and that are not of the expected kind.
struct UnusualFilesTests {
  private final class Folder {
    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("reprise-files-\(UUID().uuidString)").path

    init() throws {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ bytes: [UInt8], to name: String) {
      _ = FileManager.default.createFile(atPath: path + "/" + name, contents: Data(bytes))
    }

    func diagnostics(_ text: String) -> [Diagnostic] {
      write(Array(text.utf8), to: "w.yaml")
      do {
        _ = try Workflow(contentsOf: path + "/w.yaml")
        return []
      } catch {
        return error.diagnostics
      }
    }
  }

  @Test(.timeLimit(.minutes(1))) func `a FIFO is refused without waiting for a writer`() throws {
    let folder = try Folder()
    let fifo = folder.path + "/fifo"
    #expect(mkfifo(fifo, 0o600) == 0)
    let used = folder.diagnostics("steps:\n  - { id: a, uses: ./fifo }\n")
    #expect(used.map(\.line) == [2] && used.map(\.column) == [20])
    #expect(used.map(\.code) == ["R0101"])
    let dotenv = folder.diagnostics("dotenv: \(fifo)\nsteps: [{ id: a, run: x }]\n")
    #expect(dotenv.map(\.line) == [1])
    #expect(dotenv.map(\.code) == ["R0101"])
  }

  @Test func `a variable of a file that is not UTF-8 is refused with its line`() throws {
    let folder = try Folder()
    folder.write(Array("A=1\nB=".utf8) + [0xFF, 0x0A], to: "bad.env")
    folder.write(Array("A=1\u{0}2\n".utf8), to: "nul.env")
    for (name, line, message) in [
      ("bad", 2, "it is not valid UTF-8"), ("nul", 1, "it contains a NUL character"),
    ] {
      let found = folder.diagnostics(
        "dotenv: \(folder.path)/\(name).env\nsteps: [{ id: a, run: x }]\n")
      #expect(found.map(\.line) == [1])
      #expect(found.first?.message.contains("\(name).env, line \(line): \(message)") == true)
    }
  }

  @Test func `a file of parameters that is not UTF-8 is refused`() throws {
    let bytes = Array("{\"a\": \"".utf8) + [0xFF] + Array("\"}".utf8)
    #expect(throws: WorkflowError.self) { try Arguments.texts(in: bytes, file: "p.json") }
  }

  @Test(arguments: [
    ("run: \"a\\0b\"", 19), ("exec: [\"a\\0b\"]", 21), ("run: x, env: { A: \"a\\0b\" }", 32),
    ("run: x, dir: \"a\\0b\"", 27), ("run: x, shell: [sh, \"a\\0b\"]", 34),
    ("run: x, foreach: [\"a\\0b\"]", 32),
    ("run: x, cache: { inputs: [\"a\\0b\"] }", 40),
  ]) func `a NUL is refused at its position`(_ keys: String, _ column: Int) throws {
    let found = try Folder().diagnostics("steps:\n  - { id: a, \(keys) }\n")
    #expect(found.map(\.line) == [2] && found.map(\.column) == [column], "\(found)")
    #expect(found.map(\.code) == ["R0207"])
  }

  @Test func `a variable that is not UTF-8 cannot be used in an expression`() throws {
    let workflow = try Workflow(
      text: "steps: [{ id: a, run: x, env: { B: \"${{ env.A }}\" } }]", file: "w.yaml")
    var values = RunValues(
      run: "r", generation: 1, environment: ["A": "\u{FFFD}"], secrets: { _, _ in nil },
      step: { _ in nil }, status: .success, hashFiles: { _ in "" })
    values.nonUTF8Variables = ["A"]
    let error = #expect(throws: ResolutionError.self) {
      try workflow.resolved(workflow.steps[0], values)
    }
    #expect(
      error?.description.contains("env.B: the value of the variable \"A\" is not valid UTF-8")
        == true)
  }
}
