import Foundation
import Testing

@testable import ChildProcesses

/// The environment variables of a process.
struct EnvironmentTests {
  @Test func `changes add, replace and remove`() async throws {
    var environment = Environment(["PATH": "/usr/bin:/bin", "KEPT": "1", "OLD": "2", "GONE": "3"])
    environment["OLD"] = "new=value"
    environment["GONE"] = nil
    environment["ADDED"] = ""
    environment["TWICE"] = "a"
    environment["TWICE"] = "b"
    environment["NEVER"] = nil
    let expected = [
      "PATH": "/usr/bin:/bin", "KEPT": "1", "OLD": "new=value", "ADDED": "", "TWICE": "b",
    ]
    #expect(environment.variables == expected)
    #expect(environment == Environment(expected))
    #expect(environment["OLD"] == "new=value" && environment["GONE"] == nil)
    let recorder = Recorder()
    _ = try await run(Command(executable: "env", environment: environment), recorder)
    #expect(Set(recorder.text()) == Set(expected.map { "\($0.key)=\($0.value)" }))
  }

  @Test func `variables that are not UTF-8 are passed on byte for byte`() async throws {
    let raw = [
      RawVariable(name: "V", repaired: "V", entry: Array("V=a".utf8) + [0xFF, 0xC3]),
      RawVariable(name: "W", repaired: "W", entry: Array("W=".utf8) + [0xFE]),
      RawVariable(name: nil, repaired: "\u{FFFD}", entry: [0xFD] + Array("=x".utf8)),
    ]
    var environment = Environment(
      ["PATH": "/usr/bin:/bin", "V": "a\u{FFFD}", "W": "\u{FFFD}", "\u{FFFD}": "x", "A": "b"],
      raw: raw)
    environment["W"] = "own"
    environment["A"] = nil
    let recorder = Recorder()
    let script = "tr '\\0' '\\n' < /proc/$$/environ | od -An -v -tx1 | tr -d ' \\n'; echo"
    _ = try await run(
      Command(executable: "sh", arguments: ["-c", script], environment: environment), recorder)
    let bytes = recorder.text().joined()
    #expect(bytes.contains("563d61ffc30a"), "\(bytes)")
    #expect(bytes.contains("fd3d780a") && bytes.contains("573d6f776e0a"))
    #expect(!bytes.contains("efbfbd"))
  }

  @Test func `a removed variable can be set again`() {
    var environment: Environment = ["A": "1"]
    environment["A"] = nil
    environment["A"] = "2"
    #expect(environment.variables == ["A": "2"])
  }

  @Test func `a NUL is found in shared and in changed variables`() {
    #expect(Environment(["A": "x\0y"]).nameWithNul == "A")
    var environment: Environment = ["A": "x"]
    #expect(environment.nameWithNul == nil)
    environment["B\0"] = "y"
    #expect(environment.nameWithNul == "B\0")
  }

  @Test func `many processes can share variables`() async throws {
    let shared = Environment(["PATH": "/usr/bin:/bin", "A": "shared"])
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<20 {
        group.addTask {
          var own = shared
          own["A"] = "\(number)"
          let recorder = Recorder()
          _ = try await run(
            Command(executable: "sh", arguments: ["-c", "echo $A"], environment: own), recorder)
          #expect(recorder.text() == ["\(number)"])
        }
      }
      try await group.waitForAll()
    }
    #expect(shared["A"] == "shared")
  }
}
