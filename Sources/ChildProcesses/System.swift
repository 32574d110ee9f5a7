// The few calls into the C library that need pointers, each made safe here once.

import ChildProcessesShim

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The system's words for an error number.
func errorText(_ number: Int32) -> String {
  unsafe String(cString: strerror(number))
}

/// Reads up to `buffer.count` bytes.
///
/// - Returns: How many; 0 at the end; nil when nothing is there yet.
func readBytes(_ descriptor: Int32, into buffer: inout [UInt8]) -> Int? {
  while true {
    let count = unsafe buffer.withUnsafeMutableBytes {
      unsafe read(descriptor, $0.baseAddress, $0.count)
    }
    if count >= 0 { return count }
    if errno == EINTR { continue }
    // An error that is not "nothing yet" ends the stream as its end would.
    return errno == EAGAIN ? nil : 0
  }
}

/// Whether a byte is among others, as fast as memory is read.
func contains(_ bytes: ArraySlice<UInt8>, _ byte: UInt8) -> Bool {
  unsafe bytes.withUnsafeBytes { bytes in
    guard let base = bytes.baseAddress else { return false }
    return unsafe memchr(base, Int32(byte), bytes.count) != nil
  }
}

/// The text of some bytes and of those that follow them; what is not UTF-8 is replaced.
///
/// Each byte is copied once.
func decodedText(of bytes: ArraySlice<UInt8>, _ more: ArraySlice<UInt8>) -> String {
  unsafe String(unsafeUninitializedCapacity: bytes.count + more.count) { text in
    let end = unsafe text.initialize(fromContentsOf: bytes)
    return unsafe text[end...].initialize(fromContentsOf: more)
  }
}

/// Whether a text has a NUL in it, which no program can be given.
func hasNul(_ text: String) -> Bool {
  var text = text
  return text.withUTF8 { bytes in
    guard let base = bytes.baseAddress else { return false }
    return unsafe memchr(base, 0, bytes.count) != nil
  }
}

/// Reads a small file whole; nil where it cannot be read.
func fileContents(_ path: String) -> [UInt8]? {
  let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return nil }
  defer { close(descriptor) }
  var contents: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 4096)
  while let count = readBytes(descriptor, into: &buffer), count > 0 {
    contents += buffer[..<count]
  }
  return contents
}

/// The names in a directory.
func names(in directory: String) -> [String] {
  guard let stream = unsafe opendir(directory) else { return [] }
  defer { unsafe closedir(stream) }
  var names: [String] = []
  while let entry = unsafe readdir(stream) {
    let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
      unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) {
        unsafe String(cString: $0)
      }
    }
    names.append(name)
  }
  return names
}

/// What kind of file stands at a path.
enum FileKind {
  case missing, directory, other
}

/// Looks at a path.
func fileKind(_ path: String) -> FileKind {
  var status = stat()
  guard unsafe stat(path, &status) == 0 else { return .missing }
  return status.st_mode & S_IFMT == S_IFDIR ? .directory : .other
}

/// Whether this process may execute a file.
func isExecutable(_ path: String) -> Bool {
  unsafe access(path, X_OK) == 0
}

/// A pipe; reading returns at once when nothing is there.
struct PipeEnds {
  var reading: Int32
  var writing: Int32

  init() throws(SpawnError) {
    var ends: (Int32, Int32) = (0, 0)
    let error = unsafe withUnsafeMutablePointer(to: &ends) { pointer in
      unsafe pointer.withMemoryRebound(to: Int32.self, capacity: 2) { unsafe reprise_pipe($0) }
    }
    guard error == 0 else { throw .outOfDescriptors }
    (reading, writing) = ends
  }
}

/// Makes an empty folder that only this user can enter.
///
/// - Parameter prefix: Its path, to which is added what nobody can guess.
/// - Returns: Its path, or the number of the error.
func makeTemporaryFolder(_ prefix: String) -> Result<String, ErrorNumber> {
  // mkdtemp(3) replaces six of that letter.
  var template = Array((prefix + String(repeating: "X", count: 6)).utf8CString)
  guard unsafe mkdtemp(&template) != nil else { return .failure(ErrorNumber(value: errno)) }
  return .success(
    String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
}

/// Makes a named pipe for this user and opens it in both directions.
///
/// - Returns: A descriptor that is closed in children, or the number of the error.
func makeNamedPipe(_ path: String) -> Result<Int32, ErrorNumber> {
  guard unsafe mkfifo(path, 0o600) == 0 else { return .failure(ErrorNumber(value: errno)) }
  let descriptor = unsafe open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
  return descriptor >= 0 ? .success(descriptor) : .failure(ErrorNumber(value: errno))
}

/// Removes a named pipe, if it is there, and the folder that was made for it.
func removeNamedPipe(_ path: String, folder: String) {
  unsafe unlink(path)
  unsafe rmdir(folder)
}

/// Starts a program.
///
/// - Returns: Its pid, or the number of the error.
func startProcess(
  _ path: String, arguments: [String], environment: Environment, directory: String?,
  output: Int32, errors: Int32
) -> Result<pid_t, ErrorNumber> {
  var argumentBlock = StringBlock()
  for argument in arguments { argumentBlock.append(argument) }
  var environmentBlock = environment.block
  return unsafe argumentBlock.withPointers { arguments in
    unsafe environmentBlock.withPointers { environment in
      var pid: pid_t = 0
      let error: Int32
      if let directory {
        error = unsafe reprise_spawn(
          &pid, path, arguments, environment, directory, output, errors)
      } else {
        error = unsafe reprise_spawn(&pid, path, arguments, environment, nil, output, errors)
      }
      return error == 0 ? .success(pid) : .failure(ErrorNumber(value: error))
    }
  }
}

/// An error number of the C library.
struct ErrorNumber: Error {
  let value: Int32
}

/// How a child ended, without reaping it; nil while it runs.
func peekExit(_ pid: pid_t) -> ExitStatus? {
  var value: Int32 = 0
  return switch unsafe reprise_peek_exit(pid, &value) {
  case 1: .exited(code: value)
  case 2: .signalled(signal: value)
  default: nil
  }
}

/// Reaps a child that has ended.
func reap(_ pid: pid_t) {
  var status: Int32 = 0
  while unsafe waitpid(pid, &status, WNOHANG) == -1 && errno == EINTR {}
}

/// What a parent is told of a child.
enum ChildChange {
  case ended(ExitStatus)
  case stopped
}

/// Takes news of any child, reaping it if it has ended; nil when there are none.
func waitForAnyChild(_ options: Int32) -> (pid: pid_t, change: ChildChange)? {
  var pid: pid_t = 0
  var kind: Int32 = 0
  var value: Int32 = 0
  guard unsafe reprise_wait_any(options, &pid, &kind, &value) == 1 else { return nil }
  return switch kind {
  case 1: (pid, .ended(.exited(code: value)))
  case 2: (pid, .ended(.signalled(signal: value)))
  default: (pid, .stopped)
  }
}

/// Whether this process ignores a signal.
func isIgnored(_ number: Int32) -> Bool {
  reprise_is_ignored(number) != 0
}

/// Whether this process has a child, ended or not.
func hasChildren() -> Bool {
  reprise_has_children() != 0
}

/// Waits for one of the signals, which must be blocked.
func waitForSignal(_ signals: sigset_t) -> (number: Int32, isFromProcess: Bool) {
  var signals = signals
  var isFromProcess: Int32 = 0
  let number = unsafe reprise_wait_for_signal(&signals, &isFromProcess)
  return (number, isFromProcess != 0)
}

/// Two connected sockets, or nil where there are no descriptors left.
func socketPair() -> (Int32, Int32)? {
  var ends: (Int32, Int32) = (0, 0)
  let error = unsafe withUnsafeMutablePointer(to: &ends) { pointer in
    unsafe pointer.withMemoryRebound(to: Int32.self, capacity: 2) { unsafe reprise_socket_pair($0) }
  }
  return error == 0 ? ends : nil
}

/// Closes descriptors.
func closeDescriptors(_ descriptors: [Int32]) {
  for descriptor in descriptors { close(descriptor) }
}

/// Makes reads and writes of a descriptor return at once when nothing is there.
func setNonblocking(_ descriptor: Int32) {
  reprise_set_nonblocking(descriptor)
}

/// Has the memory of output that has been dealt with kept for what comes next, a few MiB at most.
///
/// Where the C library would give it back to the system piece by piece, much output takes half as much time
/// again.
package func keepFreedMemory() {
  reprise_keep_freed_memory(8 << 20)
}

/// Writes what is still held back of the standard output.
///
/// - Returns: 0, or the error number of the write that failed.
package func flushOutput() -> Int32 {
  reprise_flush_output()
}

/// Ends this process with what it has written, also while a thread of it waits for input.
package func end(withStatus status: Int32) -> Never {
  reprise_end(status)
}

/// Makes this process adopt the orphans among its descendants; false where the system cannot.
func adoptOrphansOfThisProcess() -> Bool {
  reprise_adopt_orphans() != 0
}
