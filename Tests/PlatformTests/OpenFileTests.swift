import Foundation
import Platform
import Testing

/// Tests of reading and writing files through system calls.
struct OpenFileTests {
  private let folder = TemporaryFolder()

  private func contents(
    _ path: String, _ options: FileDescriptor.OpenOptions = [], upTo limit: Int = .max
  ) throws -> [UInt8] {
    let file = try OpenFile(path, options: options)
    return try file.readAll(upTo: limit)
  }

  @Test func `a file is read completely`() throws {
    let contents = [UInt8]((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
    let path = try folder.file("large", contents)
    #expect(try self.contents(path) == contents)
    #expect(try self.contents(path, upTo: contents.count) == contents)
    #expect(try self.contents(folder.file("empty", [])) == [])
  }

  @Test(arguments: [0, 1, 10, 65_535, 65_536, 65_537])
  func `a file that is longer than the limit is detected`(_ limit: Int) throws {
    let path = try folder.file("large", [UInt8](repeating: 1, count: 200_000))
    let count = try contents(path, upTo: limit).count
    #expect(count > limit)
    #expect(count <= limit + 65_536)
    let short = try folder.file("short", [UInt8](repeating: 1, count: limit))
    #expect(try contents(short, upTo: limit).count == limit)
  }

  @Test func `a system error has its description`() throws {
    let error = #expect(throws: Errno.self) { try contents(folder.path + "/missing") }
    #expect(error == .noSuchFileOrDirectory)
    #expect(error?.isMissing == true)
    #expect(error.map { "\($0)" } == String(cString: strerror(ENOENT)))
    #expect(throws: Errno.isDirectory) { try contents(folder.path) }
  }

  @Test func `a link is not followed with noFollow`() throws {
    let path = try folder.file("file", [])
    let link = folder.path + "/link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    #expect(throws: Errno.tooManySymbolicLinkLevels) { try contents(link, [.noFollow]) }
    #expect(try contents(link) == [])
  }

  @Test func `a non-blocking read of an empty named pipe returns immediately`() throws {
    let path = folder.path + "/pipe"
    let descriptor = try makeNamedPipe(path)
    defer { closeDescriptor(descriptor) }
    // This test is a writer, so an empty pipe means no data yet, not end of file.
    #expect(try contents(path, [.nonBlocking]) == [])
    writeOnce([1, 2, 3], to: descriptor)
    #expect(try contents(path, [.nonBlocking]) == [1, 2, 3])
  }

  @Test func `a descriptor is closed when its value is destroyed`() throws {
    let path = try folder.file("file", [])
    var descriptor: Int32 = -1
    do {
      let file = try OpenFile(path)
      descriptor = file.descriptor
      #expect(isOpenDescriptor(file.descriptor))
    }
    #expect(!isOpenDescriptor(descriptor))
  }

  @Test func `a lock excludes other open files until it is closed`() throws {
    let path = try folder.file("lock", [])
    let other = try OpenFile(path, .readWrite)
    do {
      let file = try OpenFile(path, .readWrite)
      try file.lock()
      #expect(try other.isLocked())
      #expect(throws: Errno.self) { try other.lock() }
      #expect(try !file.isLocked(), "its own lock does not count")
    }
    #expect(try !other.isLocked())
    try other.lock()
  }

  @Test func `contents can be replaced and read again`() throws {
    let path = try folder.file("note", Array("a longer text".utf8))
    let file = try OpenFile(path, .readWrite)
    let isReplaced = file.replaceContents(with: Array("short".utf8))
    #expect(isReplaced)
    var buffer = [UInt8](repeating: 0, count: 100)
    #expect(try file.readOnce(at: 1, into: &buffer) == 4)
    #expect(buffer.starts(with: "hort".utf8))
    #expect(try file.readOnce(at: 5, into: &buffer) == 0)
  }
}
