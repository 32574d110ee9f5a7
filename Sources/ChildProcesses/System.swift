// Safe wrappers of the C library calls that need pointers.

import ChildProcessesShim
import Platform

/// Returns the text of two consecutive slices of bytes, with invalid UTF-8 replaced.
///
/// Each byte is copied once.
func decodedText(of bytes: ArraySlice<UInt8>, _ more: ArraySlice<UInt8>) -> String {
  unsafe String(unsafeUninitializedCapacity: bytes.count + more.count) { text in
    let end = unsafe text.initialize(fromContentsOf: bytes)
    return unsafe text[end...].initialize(fromContentsOf: more)
  }
}

/// A pipe with a non-blocking reading end.
struct PipeEnds {
  var reading: Int32
  var writing: Int32

  /// Creates a pipe.
  init() throws(SpawnError) {
    let (ends, error) = unsafe Self.opened { unsafe reprise_pipe($0) }
    guard error == 0 else { throw .outOfDescriptors }
    (reading, writing) = ends
  }

  /// Opens a pseudo-terminal, to which the writing end belongs.
  init(_ terminal: TerminalSize) throws(SpawnError) {
    let (ends, error) = unsafe Self.opened {
      unsafe reprise_pseudo_terminal($0, Int32(terminal.columns), Int32(terminal.rows))
    }
    guard error == 0 else {
      let full: [Errno] = [.tooManyOpenFiles, .tooManyOpenFilesInSystem]
      throw full.contains(Errno(rawValue: error))
        ? .outOfDescriptors : .noTerminal(errorNumber: error)
    }
    (reading, writing) = ends
  }

  /// Returns two descriptors that a function of C writes, and its error number.
  private static func opened(
    by open: (UnsafeMutablePointer<Int32>) -> Int32
  ) -> ((Int32, Int32), Int32) {
    var ends: (Int32, Int32) = (0, 0)
    let error = unsafe withUnsafeMutablePointer(to: &ends) { pointer in
      unsafe pointer.withMemoryRebound(to: Int32.self, capacity: 2) { unsafe open($0) }
    }
    return (ends, error)
  }
}

/// Starts a program.
///
/// - Returns: Its process id, or the system error.
func startProcess(
  _ path: String, arguments: [String], environment: Environment, directory: String?,
  output: Int32, errors: Int32, watchedBy trace: FileTrace? = nil
) -> Result<Int32, Errno> {
  unsafe start(arguments, environment) { pid, arguments, environment in
    var watch = unsafe trace.map { unsafe $0.watch } ?? reprise_watch()
    return unsafe withUnsafePointer(to: &watch) { watch in
      let watch = unsafe trace == nil ? nil : watch
      guard let directory else {
        return unsafe reprise_spawn(&pid, path, arguments, environment, nil, output, errors, watch)
      }
      return unsafe reprise_spawn(
        &pid, path, arguments, environment, directory, output, errors, watch)
    }
  }
}

/// Starts a program in a process group of its own, with the standard streams of this process.
///
/// - Returns: Its process id, or the system error.
func startProcessInGroup(
  _ path: String, arguments: [String], environment: Environment, directory: String?
) -> Result<Int32, Errno> {
  unsafe start(arguments, environment) { pid, arguments, environment in
    guard let directory else {
      return unsafe reprise_spawn_in_group(&pid, path, arguments, environment, nil)
    }
    return unsafe reprise_spawn_in_group(&pid, path, arguments, environment, directory)
  }
}

/// Calls a closure that starts a program, with its arguments and environment in the form of C.
private func start(
  _ arguments: [String], _ environment: Environment,
  _ spawn: (inout Int32, StringBlock.Pointers, StringBlock.Pointers) -> Int32
) -> Result<Int32, Errno> {
  var argumentBlock = StringBlock()
  for argument in arguments { argumentBlock.append(argument.utf8) }
  var environmentBlock = environment.block
  return unsafe argumentBlock.withPointers { arguments in
    unsafe environmentBlock.withPointers { environment in
      var pid: Int32 = 0
      let error = unsafe spawn(&pid, arguments, environment)
      return error == 0 ? .success(pid) : .failure(Errno(rawValue: error))
    }
  }
}

/// Returns the exit status of a child without reaping it; nil while it runs.
func peekExit(_ pid: Int32) -> ChildExit? {
  var value: Int32 = 0
  return switch unsafe reprise_peek_exit(pid, &value) {
  case 1: .exited(code: value)
  case 2: .signalled(signal: value)
  default: nil
  }
}

/// A state change of a child.
enum ChildChange {
  case ended(ChildExit)
  case stopped, resumed
}

/// Returns a state change of any child, reaping it if it has ended; nil if there is none.
func waitForAnyChild(_ options: Int32) -> (pid: Int32, change: ChildChange)? {
  var pid: Int32 = 0
  var kind: Int32 = 0
  var value: Int32 = 0
  guard unsafe reprise_wait_any(options, &pid, &kind, &value) == 1 else { return nil }
  return switch kind {
  case 1: (pid, .ended(.exited(code: value)))
  case 2: (pid, .ended(.signalled(signal: value)))
  case 3: (pid, .stopped)
  default: (pid, .resumed)
  }
}

/// Returns whether this process ignores a signal.
func isIgnored(_ number: Int32) -> Bool {
  reprise_is_ignored(number) != 0
}

/// Returns whether this process has a child, ended or not.
func hasChildren() -> Bool {
  reprise_has_children() != 0
}

/// Waits for one of the signals, which must be blocked.
///
/// - Returns: The number of the signal; 0 if none arrives within the time.
func waitForSignal(
  _ signals: SignalSet, within time: Duration
) -> (number: Int32, isFromProcess: Bool) {
  var isFromProcess: Int32 = 0
  let (seconds, attoseconds) = max(time, .zero).components
  let milliseconds = Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000)
  let number = unsafe signals.withPointer {
    unsafe reprise_wait_for_signal($0, milliseconds, &isFromProcess)
  }
  return (number, isFromProcess != 0)
}

/// Returns two connected sockets; nil if there are no descriptors left.
func socketPair() -> (Int32, Int32)? {
  var ends: (Int32, Int32) = (0, 0)
  let error = unsafe withUnsafeMutablePointer(to: &ends) { pointer in
    unsafe pointer.withMemoryRebound(to: Int32.self, capacity: 2) { unsafe reprise_socket_pair($0) }
  }
  return error == 0 ? ends : nil
}

/// Makes a descriptor non-blocking.
func setNonblocking(_ descriptor: Int32) {
  reprise_set_nonblocking(descriptor)
}

/// Makes the allocator retain freed memory (up to 8 MiB), and share one heap between threads if the
/// address space is limited.
///
/// Returning memory to the system piece by piece would slow down large outputs by half. Separate
/// heaps for threads would leave no addresses for the stacks of threads.
package func setUpMemory() {
  reprise_set_up_memory(8 << 20)
}

/// Flushes the standard output.
///
/// - Returns: 0, or the error number of the failed write.
package func flushOutput() -> Int32 {
  reprise_flush_output()
}

/// Flushes output and ends this process, even while another thread is waiting for input.
package func end(withStatus status: Int32) -> Never {
  reprise_end(status)
}

/// Makes this process adopt the orphans among its descendants; returns false if the system cannot.
func adoptOrphansOfThisProcess() -> Bool {
  reprise_adopt_orphans() != 0
}
