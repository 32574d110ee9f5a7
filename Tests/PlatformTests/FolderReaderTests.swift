import Foundation
import Platform
import Testing

/// Tests of reading folders entry by entry.
struct FolderReaderTests {
  private let folder = TemporaryFolder()

  private func entries(_ path: String, followsLink: Bool = true) throws -> [FolderReader.Entry] {
    var reader = try FolderReader(path, followsLink: followsLink)
    var entries: [FolderReader.Entry] = []
    while let entry = try reader.next() { entries.append(entry) }
    return entries.sorted { $0.repairedText < $1.repairedText }
  }

  @Test func `every entry is returned once, with its kind and without the folder itself`() throws {
    _ = try folder.file("file", [])
    closeDescriptor(try makeNamedPipe(folder.path + "/pipe"))
    try makeFolder(folder.path + "/sub", permissions: [.ownerReadWriteExecute])
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/link", withDestinationPath: "file")
    let entries = try entries(folder.path)
    #expect(entries.map(\.text) == ["file", "link", "pipe", "sub"])
    #expect(entries.map(\.kind) == [.file, .link, .other, .folder])
    #expect(FolderReader.names(in: folder.path).sorted() == ["file", "link", "pipe", "sub"])
  }

  @Test func `a large folder is read completely`() throws {
    let names = (0..<3000).map { "a long name of a file, so that one read is not enough \($0)" }
    for name in names { _ = try folder.file(name, []) }
    #expect(Set(FolderReader.names(in: folder.path)) == Set(names))
  }

  @Test func `a name that is not UTF-8 keeps its bytes`() throws {
    let name: [UInt8] = [0x61, 0xFF, 0x62]
    let path = Array((folder.path + "/").utf8) + name
    let made = path.map { CChar(bitPattern: $0) } + [0]
    #expect(mkdir(made, 0o700) == 0)
    let entry = try #require(try entries(folder.path).first)
    #expect(entry.name == name)
    #expect(entry.text == nil)
    #expect(entry.repairedText == "a\u{FFFD}b")
    #expect(try Stat(bytes: path, followsLink: false).type == .directory)
    var inner = try FolderReader(path)
    let first = try inner.next()
    #expect(first == nil)
  }

  @Test func `only folders can be opened`() throws {
    let file = try folder.file("file", [])
    #expect(throws: Errno.notDirectory) { try entries(file) }
    #expect(throws: Errno.noSuchFileOrDirectory) { try entries(folder.path + "/missing") }
    let link = folder.path + "/link"
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: folder.path)
    #expect(try entries(link).count == 2)
    #expect(throws: Errno.self) { try entries(link, followsLink: false) }
    #expect(FolderReader.names(in: folder.path + "/missing") == [])
  }

  @Test func `a failed read throws and is not taken for the end of the folder`() throws {
    try makeFolder(folder.path + "/sub", permissions: [.ownerReadWriteExecute])
    var reader = try FolderReader(folder.path)
    // Replace the descriptor of the reader with that of a file, which has no entries.
    let file = try OpenFile(try folder.file("file", []))
    #expect(dup2(file.descriptor, reader.descriptor) == reader.descriptor)
    var error: Errno?
    do throws(Errno) {
      _ = try reader.next()
    } catch let thrown {
      error = thrown
    }
    #expect(error == .notDirectory)
  }
}
