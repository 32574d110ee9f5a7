import Testing

@testable import RepriseJournal

/// The names of files and sockets that are made of other names.
struct FileNameTests {
  @Test func `names that are too long for a file are cut and end with a hash`() throws {
    let long = String(repeating: "日", count: 100)
    let other = long.dropLast() + "本"
    let names = [long, String(other), long + "/a"].map { StateDirectory.fileName($0) }
    #expect(names.allSatisfy { $0.utf8.count == 255 && $0.contains("~") })
    #expect(Set(names).count == 3)
    // Earlier versions wrote what fits as it is.
    let fits = String(repeating: "a", count: 255)
    #expect(StateDirectory.fileName(fits) == fits)
    #expect(StateDirectory.fileName(fits + "a") != fits)
    // The name of a socket has less room than that of a file.
    let directory = StateDirectory(path: "/s")
    let socket = directory.watchSocketPath(of: "Build, test, publish: all packages (nightly)")
    #expect(socket.utf8.count <= "/s/live/watch-.sock".utf8.count + 64)
    #expect(directory.watchSocketPath(of: "site") == "/s/live/watch-site.sock")
  }
}
