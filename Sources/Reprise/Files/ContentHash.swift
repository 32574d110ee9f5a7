// Hashes of what files contain. Knows not what they are compared with.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A hash of what a file contains and of whether its owner may execute it.
///
/// It is the SHA-256 of an `x` or, for what is not executable, a `-`, and of the content. Of a
/// symbolic link the file counts to which it points.
///
/// - Parameter path: The path of the file.
/// - Returns: 64 hexadecimal digits, or nil where there is no such file.
/// - Throws: ``FileError`` when it cannot be read, or is no regular file.
func contentHash(ofFile path: String) throws(FileError) -> String? {
  var status = stat()
  guard stat(path, &status) == 0 else { return try nothing(path, errno) }
  // A pipe waits for a writer when it is opened, and a device may do anything.
  try checkKind(status, path)
  let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
  guard descriptor >= 0 else { return try nothing(path, errno) }
  defer { close(descriptor) }
  // By now another may stand there.
  guard fstat(descriptor, &status) == 0 else { throw .system(path, errno) }
  try checkKind(status, path)

  let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
  defer { buffer.deallocate() }
  var hash = SHA256()
  hash.update([UInt8(ascii: status.st_mode & S_IXUSR == 0 ? "-" : "x")])
  while true {
    let count = read(descriptor, buffer.baseAddress, buffer.count)
    if count < 0 && errno == EINTR { continue }
    guard count >= 0 else { throw .system(path, errno) }
    guard count > 0 else { return hash.hexadecimal }
    hash.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
  }
}

/// A hash of the names and contents of all files that patterns mean.
///
/// It is the SHA-256 of, for each file in the order of ``FileSearch``, its relative path, a zero
/// byte, its ``contentHash(ofFile:)`` and a line feed. A file that vanishes meanwhile is left out.
///
/// - Parameters:
///   - patterns: The patterns, as in ``FileSearch``.
///   - folder: The path of the folder to which they are relative.
/// - Returns: 64 hexadecimal digits, or an empty text when there is no such file.
/// - Throws: ``FileError`` when a pattern makes no sense or something cannot be read.
func contentHash(
  ofFiles patterns: [String], in folder: String
) throws(FileError) -> String {
  let search: FileSearch
  do throws(GlobError) { search = try FileSearch(patterns) } catch { throw .badPattern(error) }
  var hash = SHA256()
  var isEmpty = true
  for file in try search.files(in: folder) {
    let path = folder.isEmpty ? file : folder + "/" + file
    guard let content = try contentHash(ofFile: path) else { continue }
    isEmpty = false
    hash.update("\(file)\0\(content)\n".utf8)
  }
  return isEmpty ? "" : hash.hexadecimal
}

/// Tells a file that is not there from one that cannot be read.
private func nothing(_ path: String, _ number: Int32) throws(FileError) -> String? {
  guard number == ENOENT || number == ENOTDIR else { throw .system(path, number) }
  return nil
}

private func checkKind(_ status: stat, _ path: String) throws(FileError) {
  switch status.st_mode & S_IFMT {
  case S_IFREG: return
  case S_IFDIR: throw .unreadable(path: path, reason: "it is a folder, not a file")
  default: throw .unreadable(path: path, reason: "it is a pipe, a socket or a device, not a file")
  }
}
