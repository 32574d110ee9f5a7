import Foundation
import Platform
import Testing

/// Tests of the remaining system calls.
struct PlatformTests {
  private let folder = TemporaryFolder()

  @Test func `the environment has the variables of this process`() {
    let entries = environmentEntries()
    let variables = Dictionary(entries.map { ($0.name, $0.value) }) { first, _ in first }
    #expect(variables == ProcessInfo.processInfo.environment)
    #expect(environmentVariable("PATH") == variables["PATH"])
    #expect(environmentVariable("REPRISE_NO_SUCH_VARIABLE") == nil)
  }

  @Test func `the clock agrees with Foundation`() {
    let before = Date().timeIntervalSince1970
    let now = Double(nanosecondsSince1970()) / 1e9
    #expect(now > before - 1)
    #expect(now < Date().timeIntervalSince1970 + 1)
    let winter: Int64 = 1_700_000_000
    let zone = TimeZone.current.secondsFromGMT(
      for: Date(timeIntervalSince1970: TimeInterval(winter)))
    #expect(localTimeOffset(atSecond: winter) == zone)
  }

  @Test func `a status contains the times and the owner of a file`() throws {
    let path = try folder.file("file", [1, 2, 3])
    let status = try Stat(at: path)
    #expect(status.type == .regular)
    #expect(status.size == 3)
    #expect(status.userID.rawValue == effectiveUserID)
    #expect(abs(status.modifiedNanoseconds - nanosecondsSince1970()) < 60_000_000_000)
    #expect(try Stat(bytes: Array(path.utf8), followsLink: true) == status)
    let reader = try FolderReader(folder.path)
    let found = try Stat(bytes: Array("file".utf8), in: reader.descriptor, followsLink: false)
    #expect(found == status)
  }

  @Test func `links and folders are resolved`() throws {
    let link = folder.path + "/link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "target")
    #expect(linkTarget(link) == "target")
    #expect(realPath(link) == nil)
    #expect(linkTarget(folder.path) == nil)
    try makeFolder(folder.path + "/target", permissions: [.ownerReadWriteExecute])
    #expect(realPath(link) == realPath(folder.path).map { $0 + "/target" })
    #expect(throws: Errno.fileExists) { try makeFolder(link, permissions: []) }
    try removeFile(link)
    #expect(!mayAccess(link, .existence))
    removeFolder(folder.path + "/target")
    #expect(!mayAccess(folder.path + "/target", .existence))
    #expect(workingFolder() == FileManager.default.currentDirectoryPath)
  }

  @Test func `only this user has access to temporary files`() throws {
    let file = try makeTemporaryFile(folder.path + "/a-")
    let sub = try makeTemporaryFolder(folder.path + "/b-")
    #expect(try Stat(at: file).permissions == [.ownerReadWrite])
    #expect(try Stat(at: sub).permissions == [.ownerReadWriteExecute])
    #expect(file.hasPrefix(folder.path + "/a-"))
    #expect(throws: Errno.noSuchFileOrDirectory) { try makeTemporaryFile(folder.path + "/no/a-") }
  }

  @Test func `sockets connect by their paths, including long ones`() throws {
    let deep = folder.path + "/" + String(repeating: "d", count: 120)
    try makeFolder(deep, permissions: [.ownerReadWriteExecute])
    for path in [folder.path + "/s", deep + "/s"] {
      let listening = try newLocalSocket()
      defer { closeDescriptor(listening) }
      try bindSocket(listening, to: path)
      #expect(throws: Errno.addressInUse) { try bindSocket(newLocalSocket(), to: path) }
      try listenOnSocket(listening, waitingMax: 4)
      let client = try newLocalSocket()
      defer { closeDescriptor(client) }
      try connectSocket(client, to: path)
      let server = try acceptConnection(listening)
      #expect(peerUser(of: server) == effectiveUserID)
      #expect(try sendBytes([0, 1, 2, 3][1...], to: client) == 3)
      var buffer = [UInt8](repeating: 0, count: 10)
      #expect(try receiveBytes(server, into: &buffer) == 3)
      #expect(buffer[..<3] == [1, 2, 3])
      closeDescriptor(server)
      #expect(try receiveBytes(client, into: &buffer) == 0)
    }
  }

  @Test func `a process that has ended does not exist`() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", "exit 0"]
    try process.run()
    process.waitUntilExit()
    #expect(!processExists(process.processIdentifier))
    #expect(processExists(processID))
    #expect(processExists(parentProcessID))
  }

  @Test func `a NUL is found at any position`() {
    #expect(hasNul("a\0b"))
    #expect(!hasNul(""))
    #expect(contains([1, 2, 3][1...], 3))
    #expect(!contains([1, 2, 3][1...], 1))
  }
}
