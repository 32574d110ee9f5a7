#if os(Linux)
import Foundation
import Platform
import TestSupport
import Testing

@testable import ChildProcesses

/// Which files a process tree uses, as the kernel says.
@Suite(.enabled(if: FileTrace.problem == nil)) struct FileTraceTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = try #require(realPath(folder.path))
    try "one".write(toFile: path + "/a", atomically: false, encoding: .utf8)
  }

  /// Runs a script in the folder.
  ///
  /// - Returns: The uses of the files in it, by name; the last line of the trace is left out.
  private func uses(_ script: String, expecting status: Int32 = 0) async throws -> [String: String]
  {
    let trace = try FileTrace(of: path, guardian: nil)
    var command = shell(script, directory: path)
    command.trace = trace
    #expect(try await run(command) == .exited(code: status))
    let lines = String(decoding: try #require(trace.report()), as: UTF8.self).split(separator: "\n")
    #expect(lines.last?.hasPrefix("end ") == true)
    var uses: [String: String] = [:]
    for line in lines.dropLast() {
      let fields = line.split(separator: "\t")
      guard fields[6].hasPrefix(path + "/") else { continue }
      uses[String(fields[6].dropFirst(path.utf8.count + 1))] = String(fields[0])
    }
    return uses
  }

  @Test func `what is read, written, missed, listed and removed is distinguished`() async throws {
    let uses = try await uses(
      """
      mkdir d; cat a > d/b; cat none; ls d > list; rm a; echo x > t; rm t
      ln -s d/b link; cat link >> d/c; mv list e
      """)
    for (name, letters) in [
      ("a", "RD"), ("d", "WF"), ("d/b", "W"), ("none", "A"), ("t", "T"), ("link", "W"),
      ("d/c", "W"), ("list", "T"), ("e", "W"),
    ] {
      #expect(letters.allSatisfy { uses[name]?.contains($0) == true }, "\(name): \(uses)")
    }
    // What it made itself is no input.
    for name in ["d/b", "link", "list", "t"] { #expect(uses[name]?.contains("R") != true) }
    #expect(uses["d"]?.contains("L") == false)
  }

  @Test func `a file that is read and written says whether its content is the same`() async throws {
    #expect(try await uses("read x < a; echo \"$x\" > a")["a"] == "RW")
    #expect(try await uses("read x < a; printf '%s\\n' \"$x\" > a")["a"] == "RWE")
    #expect(try await uses("echo y >> a")["a"] == "RW")
    #expect(try await uses("echo y > a")["a"] == "W")
    #expect(try await uses(": 3<> a")["a"] == "R")
  }

  @Test func `status, signals and output are those of a program that is not watched`() async throws
  {
    #expect(try await uses("kill -0 $$; exit 7", expecting: 7) == [:])
    let trace = try FileTrace(of: path, guardian: nil)
    var command = shell("kill -KILL $$")
    command.trace = trace
    #expect(try await run(command) == .signalled(signal: 9))
    let recorder = Recorder()
    command = shell("grep TracerPid /proc/self/status; cat /proc/$PPID/comm")
    command.trace = try FileTrace(of: path, guardian: nil)
    #expect(try await run(command, recorder) == .exited(code: 0))
    #expect(recorder.text().first == "TracerPid:\t0")
  }

  @Test func `many processes and threads of one tree are seen`() async throws {
    let uses = try await uses(
      "for i in $(seq 40); do (cat a > o$i) & done; wait; python3 - <<'END' || true\nimport threading\n"
        + "def f(i):\n  open('p%d' % i, 'w').write(open('a').read())\n"
        + "ts = [threading.Thread(target=f, args=(i,)) for i in range(20)]\n"
        + "[t.start() for t in ts]; [t.join() for t in ts]\nEND")
    #expect((1...40).allSatisfy { uses["o\($0)"] == "W" })
    #expect((0..<20).allSatisfy { uses["p\($0)"]?.contains("W") != false })
    #expect(uses["a"]?.contains("R") == true)
  }

  @Test func `the trace of a program that cannot be started ends`() async throws {
    let trace = try FileTrace(of: path, guardian: nil)
    var command = Command(executable: "/nowhere/program", environment: [:])
    command.trace = trace
    await #expect(throws: SpawnError.self) { _ = try await run(command) }
    _ = trace.report()
  }
}
#endif
