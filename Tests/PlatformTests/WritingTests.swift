import Foundation
import Platform
import Synchronization
import Testing

/// Tests of writing bytes to descriptors.
struct WritingTests {
  private let folder = TemporaryFolder()

  @Test func `a text and its line feed are appended`() throws {
    let path = folder.path + "/log"
    for text in ["first", "", "ä"] {
      let file = try OpenFile(
        path, .writeOnly, options: [.append, .create], permissions: [.ownerReadWrite])
      try writeText(text, followedBy: UInt8(ascii: "\n"), to: file.descriptor)
    }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "first\n\nä\n")
    #expect(try Stat(at: path).permissions == [.ownerReadWrite])
  }

  @Test func `all bytes reach a slow reader of a non-blocking pipe`() async throws {
    let path = folder.path + "/pipe"
    let descriptor = try makeNamedPipe(path)
    defer { closeDescriptor(descriptor) }
    let bytes = [UInt8]((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    let writing = Task.detached {
      do throws(Errno) { try writeBytes(bytes, to: descriptor) } catch { return error as Errno? }
      return nil
    }
    var read: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1000)
    while read.count < bytes.count {
      waitUntilReadable(descriptor)
      guard let count = readBytes(descriptor, into: &buffer) else { continue }
      read += buffer[..<count]
    }
    #expect(await writing.value == nil)
    #expect(read == bytes)
    #expect(readBytes(descriptor, into: &buffer) == nil, "the pipe is empty, not at its end")
  }

  @Test func `an error stops writing`() throws {
    let path = try folder.file("file", [])
    let file = try OpenFile(path)
    let descriptor = file.descriptor
    #expect(throws: Errno.badFileDescriptor) { try writeBytes([1], to: descriptor) }
    #expect(throws: Errno.badFileDescriptor) { try writeText("a", followedBy: 1, to: descriptor) }
    #expect(writeOnce([1], to: descriptor) < 0)
  }
}
