import ChildProcesses
import Foundation
import Paths
import Platform
import TestSupport
import Testing

@testable import Reprise
@testable import RepriseStore

/// Results that several machines share.
@Suite(.enabled(if: FileTrace.problem == nil)) struct SharedStoreTests {
  private let folder: TemporaryFolder
  private let said = Protected<[String]>([])
  private static let script = "cat a > small; head -c 1500000 /dev/zero > large; cat a >> large"
  /// What differs between machines is left out.
  private static let cache = "{ auto: true, path: false }"

  init() throws { folder = try TemporaryFolder() }

  private func machine(
    _ place: (any SharedPlace)? = nil, key: String? = nil, isReadOnly: Bool = false,
    timeout: Duration = .seconds(10)
  ) throws -> StoredProject {
    try StoredProject { local in
      SharedStore(
        local, place ?? SharedFolder(folder.path), key: key.map { Array($0.utf8) },
        isReadOnly: isReadOnly, timeout: timeout
      ) { text in said.withLock { $0.append(text) } }
    }
  }

  /// A place of scripts that copy files.
  private var commands: CommandPlace {
    let path = folder.path
    return CommandPlace(
      get: "cp \"\(path)/$NAME\" \"$FILE\"", put: "cp \"$FILE\" \"\(path)/$NAME\"",
      folder: path + "/way"
    ) { script, variables in
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      process.arguments = ["-c", script]
      process.environment = variables.merging(["PATH": "/usr/bin:/bin"]) { $1 }
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      return process.terminationStatus == 0
    }
  }

  /// The files of the shared place whose paths contain a text.
  private func files(_ text: String) throws -> [String] {
    try TemporaryFolder.run("/usr/bin/find", [folder.path, "-type", "f"])
      .split(separator: "\n").map(String.init).filter { $0.contains(text) }
  }

  @Test(arguments: [false, true])
  func `what one machine has done, another one restores`(_ usesCommands: Bool) async throws {
    let place: any SharedPlace = usesCommands ? commands : SharedFolder(folder.path)
    let (one, other) = (try machine(place), try machine(place))
    #expect(try await one.run(Self.script, cache: Self.cache) == .ran)
    #expect(try await other.run(Self.script, cache: Self.cache) == .restored([:]))
    #expect(try other.contents("large") == one.contents("large"))
    // From its own store from now on.
    try TemporaryFolder.run("/bin/rm", ["-rf", folder.path])
    try other.remove("small")
    #expect(try await other.run(Self.script, cache: Self.cache) == .restored([:]))
  }

  @Test func `another project folder is another input, unless its file says otherwise`()
    async throws
  {
    let (one, other) = (try machine(), try machine())
    #expect(try await one.run(Self.script) == .ran)
    #expect(try await other.run(Self.script) == .ran)
  }

  @Test func `with a key, only results that are signed with it are used`() async throws {
    let (one, other) = (try machine(key: "k1"), try machine(key: "k1"))
    #expect(try await one.run(Self.script, cache: Self.cache) == .ran)
    #expect(try await other.run(Self.script, cache: Self.cache) == .restored([:]))
    let stranger = try machine(key: "k2")
    #expect(try await stranger.run(Self.script, cache: Self.cache) == .ran)
    #expect(said.value.count == 1 && said.value[0].contains("no valid signature"))
  }

  @Test func `a record of an earlier version is only a miss`() async throws {
    let (one, other) = (try machine(), try machine())
    #expect(try await one.run(Self.script, cache: Self.cache) == .ran)
    for file in try files("results") {
      let url = URL(fileURLWithPath: file)
      var record = try JSONDecoder().decode([String: String].self, from: Data(contentsOf: url))
      record["hash"] = nil
      try FileManager.default.removeItem(at: url)
      try JSONEncoder().encode(record).write(to: url)
    }
    #expect(try await other.run(Self.script, cache: Self.cache) == .ran)
    #expect(said.value == [])
  }

  @Test func `a read-only machine restores, and adds nothing`() async throws {
    let (one, reader) = (try machine(), try machine(isReadOnly: true))
    #expect(try await reader.run(Self.script, cache: Self.cache) == .ran)
    #expect(try files("results").isEmpty)
    #expect(try await one.run(Self.script, cache: Self.cache) == .ran)
    try reader.write("two", to: "a")
    _ = try await reader.run(Self.script, cache: Self.cache)
    #expect(try files("results").count == 1)
  }

  @Test(arguments: ["packs", "objects"], ["damaged", "gone"])
  func `a poisoned file never enters the local store`(_ part: String, _ damage: String)
    async throws
  {
    let (one, other) = (try machine(), try machine())
    #expect(try await one.run(Self.script, cache: Self.cache) == .ran)
    for file in try files(part) {
      if damage == "gone" {
        try FileManager.default.removeItem(atPath: file)
      } else {
        var bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        bytes[bytes.count / 2] ^= 1
        try FileManager.default.removeItem(atPath: file)
        try bytes.write(to: URL(fileURLWithPath: file))
      }
    }
    #expect(try await other.run(Self.script, cache: Self.cache) == .ran)
    #expect(try other.text("small") == "one\n")
    #expect(said.value.count == 1, "\(said.value)")
    #expect(try other.filesOfStore("tmp").isEmpty)
  }

  /// A place that does not answer, or cannot be used.
  private struct Broken: SharedPlace {
    let isSlow: Bool
    let calls = Protected(0)

    private func fail() throws {
      calls.withLock { $0 += 1 }
      if isSlow { _ = DispatchSemaphore(value: 0).wait(timeout: .now() + 60) }
      throw Errno.staleNFSFileHandle
    }

    func records(of task: String) throws -> [[UInt8]] {
      try fail()
      return []
    }

    func add(_ record: [UInt8], _ id: String, of task: String) throws { try fail() }
    func get(_ name: String, to path: String) throws { try fail() }
    func put(_ name: String, from path: String) throws { try fail() }
  }

  @Test(arguments: [false, true])
  func `a place that is missing or never answers is asked once, and the step runs`(_ isSlow: Bool)
    async throws
  {
    let place = Broken(isSlow: isSlow)
    let project = try machine(place, timeout: .milliseconds(200))
    for text in ["x", "y", "x"] {
      try project.write(text, to: "a")
      let end = try await project.run(Self.script, cache: Self.cache)
      #expect(end == .ran || end == .restored([:]))
    }
    #expect(place.calls.value == 1)
    #expect(said.value.count == 1 && said.value[0].contains("not used any more in this run"))
  }

  @Test func `a folder that is not mounted is said once`() async throws {
    let project = try machine(SharedFolder(folder.path + "/none"))
    #expect(try await project.run(Self.script, cache: Self.cache) == .ran)
    #expect(said.value.count == 1 && said.value[0].contains("there is no folder"))
    #expect(try files("").isEmpty)
  }

  @Test func `keyed hashes are those of RFC 4231`() {
    #expect(
      hmacSHA256(Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
        == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    #expect(
      hmacSHA256(
        Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
        key: [UInt8](repeating: 0xaa, count: 131))
        == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
  }
}
