// What the command needs of its own process: its descriptors, its end. Knows nothing of workflows.

import ChildProcesses
import RepriseTerminal

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The number of SIGINT.
let interruptSignal = SIGINT

/// The descriptor of standard input.
let standardInput: Int32 = 0
/// The descriptor of standard output.
let standardOutput: Int32 = 1

/// Readies the process before anything else happens.
///
/// It ends here where the system gives too little to go on.
func prepareProcess() {
  openMissingStandardDescriptors()
  expectEnoughDescriptors()
  expectTexts()
  // A reader that goes away is told by the failing write; a signal would end us without clean-up.
  signal(SIGPIPE, SIG_IGN)
  // Whoever starts us with it ignored would have the kernel reap our steps, and their status is lost.
  signal(SIGCHLD, SIG_DFL)
  keepFreedMemory()
}

/// Opens /dev/null for standard descriptors that are closed.
///
/// Otherwise the next files that are opened would be taken for them: what is written to standard error would go into
/// the lock of a run.
private func openMissingStandardDescriptors() {
  for descriptor in Int32(0)...2 where fcntl(descriptor, F_GETFD) < 0 {
    // The lowest one that is free is taken: this one.
    _ = open("/dev/null", O_RDWR)
  }
}

/// How many descriptors have to be free: with fewer, the threads of the system library end the process without a word.
private let freeDescriptorsMin = 16

private func expectEnoughDescriptors() {
  var limit = rlimit()
  // Counting takes a call for each, and only a low limit makes it worth while.
  guard getrlimit(openFilesLimit, &limit) == 0, limit.rlim_cur < 256 else { return }
  var copies: [Int32] = []
  while copies.count < freeDescriptorsMin {
    let copy = fcntl(2, F_DUPFD_CLOEXEC, 3)
    guard copy >= 0 else { break }
    copies.append(copy)
  }
  for copy in copies { close(copy) }
  guard copies.count < freeDescriptorsMin else { return }
  printError(
    "error: \(copies.count) more files can be opened, and at least \(freeDescriptorsMin) are needed; raise the "
      + "limit of open files, which is \(limit.rlim_cur) (ulimit -n)")
  endProcess(.cannotGoOn)
}

#if canImport(Glibc)
private let openFilesLimit = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
#else
private let openFilesLimit = RLIMIT_NOFILE
#endif

/// Refuses arguments that are not UTF-8: they would be changed silently on their way.
private func expectTexts() {
  for position in 1..<max(1, Int(CommandLine.argc)) {
    guard let argument = CommandLine.unsafeArgv[position],
      String(validatingCString: argument) == nil
    else { continue }
    printError("error: argument \(position), \"\(String(cString: argument))\", is not UTF-8")
    endProcess(.wrongUse)
  }
}

/// Ends the process at once.
///
/// Output that could not be written although it has a reader is reported first.
func endProcess(_ status: ExitStatus) -> Never {
  let errorNumber = flushOutput()
  if errorNumber != 0 { OutputError.note(errorNumber) }
  if let reason = OutputError.reason, status == .outputClosed || status == .succeeded {
    printError("error: the output cannot be written: \(reason)")
    end(withStatus: ExitStatus.cannotGoOn.code)
  }
  end(withStatus: status.code)
}

/// Writes a line to standard output.
func printLine(_ text: TerminalSafe) {
  print(text.string)
}

/// Writes a line to standard error.
func printError(_ text: TerminalSafe) {
  writeError(text + "\n")
}

/// Writes a text to standard error as it is, without a line feed behind it.
func writeError(_ text: TerminalSafe) {
  _ = writeAll(Array(text.string.utf8), to: 2)
}

/// Writes all bytes to a descriptor, which may only be a terminal when they are ``TerminalSafe``; false when
/// they cannot be written.
func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
  var start = 0
  while start < bytes.count {
    let written = bytes[start...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    if written < 0, errno == EAGAIN {
      // Whoever shares the descriptor may have it return at once.
      var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      poll(&waiting, 1, -1)
      continue
    }
    guard written > 0 || errno == EINTR else {
      if descriptor == standardOutput { OutputError.note(errno) }
      return false
    }
    start += max(0, written)
  }
  return true
}

/// The folder that this process is in.
func currentDirectory() -> String {
  guard let path = getcwd(nil, 0) else { return "/" }
  defer { free(path) }
  return String(cString: path)
}

/// Goes to another folder; false when that cannot be done.
func changeDirectory(to path: String) -> Bool {
  chdir(path) == 0
}
