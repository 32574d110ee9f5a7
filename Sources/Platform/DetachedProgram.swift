// Starts a program that outlives this process.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A program in a session of its own, which goes on when this process ends or is killed.
package struct DetachedProgram: Sendable {
  /// The id of its process.
  package let process: Int32

  /// Starts a program with default signals, and with `/dev/null` as its input and output.
  ///
  /// - Parameters:
  ///   - arguments: The path of the program, and its arguments.
  ///   - errors: A descriptor of a file that receives its standard error. Not a pipe, whose reader
  ///     would end with this process.
  ///   - connection: A descriptor that becomes its standard input and output; nil for `/dev/null`.
  ///   - variables: Environment variables in addition to those of this process.
  /// - Throws: The system error if the program could not be started, or an argument has a zero byte.
  package init(
    _ arguments: [String], errors: Int32, connection: Int32? = nil,
    variables: [String: String] = [:]
  ) throws(Errno) {
    guard !arguments.contains(where: { $0.utf8.contains(0) }) else { throw .invalidArgument }
    var attributes = SpawnAttributes()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    Self.detach(&attributes)
    var actions = unsafe SpawnFileActions()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    if let connection {
      unsafe posix_spawn_file_actions_adddup2(&actions, connection, STDIN_FILENO)
      unsafe posix_spawn_file_actions_adddup2(&actions, connection, STDOUT_FILENO)
    } else {
      unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
      unsafe posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    }
    unsafe posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)
    // A socket that stayed open there would keep its port after this process.
    markDescriptorsAsOwn()
    var pointers: [UnsafeMutablePointer<CChar>?] =
      unsafe arguments.map { unsafe strdup($0) } + [nil]
    defer { for index in unsafe pointers.indices { unsafe free(pointers[index]) } }
    var entries: [UnsafeMutablePointer<CChar>?] = unsafe environmentEntries().compactMap { entry in
      guard variables[entry.name] == nil else { return nil }
      return unsafe strdup(entry.name + "=" + entry.value)
    }
    for (name, value) in variables { unsafe entries.append(unsafe strdup(name + "=" + value)) }
    unsafe entries.append(nil)
    defer { for index in unsafe entries.indices { unsafe free(entries[index]) } }
    var process: pid_t = 0
    guard let program = unsafe pointers[0] else { throw .noMemory }
    let error = unsafe posix_spawnp(&process, program, &actions, &attributes, &pointers, &entries)
    guard error == 0 else { throw Errno(rawValue: error) }
    self.process = process
  }

  /// Gives a program a session of its own, and the default handling of all signals.
  private static func detach(_ attributes: inout SpawnAttributes) {
    let flags =
      Int32(POSIX_SPAWN_SETSIGDEF) | Int32(POSIX_SPAWN_SETSIGMASK) | spawnInNewSession
      | spawnWithoutInheriting
    unsafe posix_spawnattr_setflags(&attributes, Int16(truncatingIfNeeded: flags))
    var all = sigset_t()
    unsafe sigfillset(&all)
    unsafe posix_spawnattr_setsigdefault(&attributes, &all)
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
  }

  /// Waits for the end of the program, and reaps its process.
  ///
  /// Blocks the calling thread.
  package func waitForEnd() {
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) == -1, errno == EINTR {}
  }
}
