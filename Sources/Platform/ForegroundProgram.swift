// Runs a program in the foreground of the terminal, as a shell does.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Runs a program that uses the terminal, and waits for its end.
///
/// The program gets a process group of its own in the foreground, so that Ctrl-C reaches it and not
/// this process. Blocks the calling thread.
///
/// - Parameters:
///   - arguments: The program, which is looked up in `PATH`, and its arguments.
///   - terminal: A descriptor of the terminal.
/// - Returns: The exit status; 128 and the number of the signal that ended the program.
/// - Throws: The system error if the program could not be started.
package func runInForeground(
  _ arguments: [String], ofTerminal terminal: Int32
) throws(Errno) -> Int32 {
  let process = try spawnInOwnGroup(arguments)
  keepInForeground(process, ofTerminal: terminal)
  var status: Int32 = 0
  while unsafe waitpid(process, &status, 0) == -1, errno == EINTR {}
  return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
}

/// Keeps the process group of a child in the foreground of a terminal until the child has ended, and
/// then returns this process to the foreground.
///
/// Does not reap the child. Ctrl-Z has no effect: there is no shell to return to. Blocks the calling
/// thread.
///
/// - Parameters:
///   - process: The child, which leads its process group.
///   - terminal: A descriptor of the terminal.
package func keepInForeground(_ process: Int32, ofTerminal terminal: Int32) {
  // Changing the foreground group from the background would stop this process.
  let before = SignalSet([SIGTTOU]).blockInThisThread()
  defer { before.setInThisThread() }
  let own = getpgrp()
  var information = unsafe siginfo_t()
  while true {
    tcsetpgrp(terminal, process)
    // The program may have been stopped when it read before it was in the foreground.
    kill(-process, SIGCONT)
    let flags = WEXITED | WSTOPPED | WNOWAIT
    var result: Int32
    repeat {
      result = unsafe waitid(P_PID, id_t(process), &information, flags)
    } while result == -1 && errno == EINTR
    guard result == 0, unsafe information.si_code == CLD_STOPPED else { break }
    // Take the news of the stop, so that the next wait does not return it again.
    _ = unsafe waitid(P_PID, id_t(process), &information, WSTOPPED | WNOHANG)
  }
  tcsetpgrp(terminal, own)
}

/// Starts a program with default signals in a process group of its own.
private func spawnInOwnGroup(_ arguments: [String]) throws(Errno) -> Int32 {
  var attributes = SpawnAttributes()
  unsafe posix_spawnattr_init(&attributes)
  defer { unsafe posix_spawnattr_destroy(&attributes) }
  let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
  unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
  unsafe posix_spawnattr_setpgroup(&attributes, 0)
  var all = sigset_t()
  unsafe sigfillset(&all)
  unsafe posix_spawnattr_setsigdefault(&attributes, &all)
  var none = sigset_t()
  unsafe sigemptyset(&none)
  unsafe posix_spawnattr_setsigmask(&attributes, &none)
  var pointers: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) } + [nil]
  defer { for index in unsafe pointers.indices { unsafe free(pointers[index]) } }
  var process: pid_t = 0
  guard let program = unsafe pointers[0] else { throw .noMemory }
  let error = unsafe posix_spawnp(&process, program, nil, &attributes, &pointers, environ)
  guard error == 0 else { throw Errno(rawValue: error) }
  return process
}
