import Foundation
import Testing

@testable import ChildProcesses

struct SpawnErrorTests {
  private let folder: String

  init() throws {
    folder = try temporaryFolder()
  }

  private func write(_ name: String, _ text: String, permissions: Int) throws -> String {
    let path = folder + "/" + name
    #expect(
      FileManager.default.createFile(
        atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: permissions]))
    return path
  }

  private func error(
    _ executable: String, arguments: [String] = [], directory: String? = nil
  ) async -> SpawnError? {
    do throws(SpawnError) {
      _ = try await ChildProcess.spawn(
        Command(
          executable: executable, arguments: arguments, environment: ["PATH": "/usr/bin:/bin"],
          directory: directory)
      ) { _ in true }
      return nil
    } catch {
      return error
    }
  }

  @Test func `each reason for a failed start has its own error`() async throws {
    #expect(
      await error("no-such-command") == .commandNotFound(name: "no-such-command"))
    #expect(await error(folder + "/none") == .noSuchFile(path: folder + "/none"))
    #expect(await error(folder) == .isDirectory(path: folder))
    #expect(
      await error("true", directory: folder + "/none") == .missingDirectory(path: folder + "/none"))
    let plain = try write("plain", "hello", permissions: 0o644)
    #expect(await error(plain) == .notExecutable(path: plain))
    #expect(await error("true", directory: plain) == .notADirectory(path: plain))
    let script = try write("script", "#!/no/such/interpreter -x\n", permissions: 0o755)
    #expect(
      await error(script)
        == .missingInterpreter(script: script, interpreter: "/no/such/interpreter"))
    let garbage = try write("garbage", "\u{1}\u{2}\u{3}", permissions: 0o755)
    #expect(await error(garbage) == .notAProgram(path: garbage))
    #expect(await error("true", arguments: ["a", "b\0c"]) == .nulByte(in: "argument 2"))
    let marked = try write("marked", "\u{FEFF}#!/bin/sh\n", permissions: 0o755)
    #expect(await error(marked) == .byteOrderMark(script: marked))
    let windows = try write("windows", "#!/bin/sh\r\n", permissions: 0o755)
    #expect(await error(windows)?.description.contains("Windows line ends") == true)
    let value = String(repeating: "x", count: 131_072)
    #expect(
      await error("true", arguments: ["a", value])
        == .valueTooLong(of: "argument 2", bytes: 131_072))
    let long = String(repeating: "x", count: 100_000)
    #expect(await error("true", arguments: Array(repeating: long, count: 100)) == .argumentsTooLong)
  }

  @Test func `an error contains the fix`() {
    #expect(
      SpawnError.notExecutable(path: "./run").description
        == "\"./run\" is not executable; make it executable with: chmod +x ./run")
  }
}
