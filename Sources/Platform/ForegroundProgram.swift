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
  // Changing the foreground group from the background would stop this process.
  let before = SignalSet([SIGTTOU]).blockInThisThread()
  defer { before.setInThisThread() }
  let own = getpgrp()
  tcsetpgrp(terminal, process)
  // The program may have been stopped when it read before it was in the foreground.
  kill(-process, SIGCONT)
  var status: Int32 = 0
  while true {
    let ended = unsafe waitpid(process, &status, WUNTRACED)
    if ended == -1, errno == EINTR { continue }
    guard ended == process, status & 0xFF == 0x7F else { break }
    // Ctrl-Z has no effect: there is no shell to return to.
    tcsetpgrp(terminal, process)
    kill(-process, SIGCONT)
  }
  tcsetpgrp(terminal, own)
  return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
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
