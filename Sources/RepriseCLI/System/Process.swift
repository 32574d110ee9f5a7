// The command's own process: checks at startup, standard descriptors, writing, and exit.

import ChildProcesses
import Platform
import RepriseTerminal

/// The descriptor of standard input.
let standardInput: Int32 = 0
/// The descriptor of standard output.
let standardOutput: Int32 = 1

/// Checks and sets up the process: descriptors, memory, threads, arguments and signals.
///
/// Exits if the system does not provide enough descriptors or threads.
func prepareProcess() {
  openMissingStandardDescriptors()
  expectEnoughDescriptors()
  setUpMemory()
  expectEnoughThreads()
  expectUTF8Arguments()
  // A closed pipe is detected by the failing write; the signal would kill us without cleanup.
  ignoreSignal(SignalNumber.pipe)
  // If our parent ignored SIGCHLD, the kernel would reap our steps, and their status would be lost.
  restoreSignal(SignalNumber.child)
}

/// Opens /dev/null for standard descriptors that are closed.
///
/// Otherwise the next files that are opened would get their numbers, and standard error could be
/// written to the lock file of a run.
private func openMissingStandardDescriptors() {
  for descriptor in Int32(0)...2 where !isOpenDescriptor(descriptor) {
    // `open` returns the lowest free descriptor, which is this one.
    openNullDeviceForChildren()
  }
}

/// Exits with an error if so few threads are available that Dispatch would wait forever for one.
func expectEnoughThreads() {
  guard let shortage = threadShortage() else { return }
  printError("error: \(shortage)")
  endProcess(.internalFailure)
}

/// The minimum number of free descriptors.
///
/// With fewer, Dispatch aborts the process without a message.
private let freeDescriptorsMin = 16

private func expectEnoughDescriptors() {
  // Counting takes a system call per descriptor, so only check if the limit is low.
  guard let limit = descriptorsMax(), limit < 256 else { return }
  var copies: [Int32] = []
  while copies.count < freeDescriptorsMin {
    guard let copy = copyOfDescriptor(2) else { break }
    copies.append(copy)
  }
  closeDescriptors(copies)
  guard copies.count < freeDescriptorsMin else { return }
  printError(
    "error: only \(copies.count) more files can be opened, and at least \(freeDescriptorsMin) are "
      + "needed; raise the limit of open files, which is \(limit) (ulimit -n)")
  endProcess(.internalFailure)
}

/// Rejects arguments that are not UTF-8, which would otherwise be silently altered.
private func expectUTF8Arguments() {
  for position in 1..<max(1, Int(CommandLine.argc)) {
    guard let argument = CommandLine.unsafeArgv[position],
      String(validatingCString: argument) == nil
    else { continue }
    printError("error: argument \(position), \"\(String(cString: argument))\", is not UTF-8")
    endProcess(.invalidUsage)
  }
}

/// Flushes standard output and exits.
///
/// Output that could not be written, except to a closed pipe, is reported, and the status is
/// ``ExitStatus/internalFailure`` instead of success.
func endProcess(_ status: ExitStatus) -> Never {
  let errorNumber = flushOutput()
  if errorNumber != 0 { OutputError.note(Errno(rawValue: errorNumber)) }
  if let reason = OutputError.reason, status == .outputClosed || status == .succeeded {
    printError("error: the output cannot be written: \(reason)")
    end(withStatus: ExitStatus.internalFailure.code)
  }
  end(withStatus: status.code)
}

/// Writes a line to standard output.
func printLine(_ text: TerminalSafe) {
  print(text.string)
}

/// Writes a list to standard output: one JSON object per line, or a table.
func printList(_ jsonLines: [TerminalSafe], table: TerminalSafe, json: Bool) {
  for line in json ? jsonLines : [table] { printLine(line) }
}

/// Writes a line to standard error.
func printError(_ text: TerminalSafe) {
  writeError(text + "\n")
}

/// Writes text to standard error without adding a line feed.
func writeError(_ text: TerminalSafe) {
  _ = writeAll(Array(text.string.utf8), to: 2)
}

/// Writes all bytes to a descriptor and returns whether they could be written.
///
/// If the descriptor is a terminal, the bytes must be ``TerminalSafe``.
func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
  do throws(Errno) {
    try writeBytes(bytes, to: descriptor)
    return true
  } catch {
    if descriptor == standardOutput { OutputError.note(error) }
    return false
  }
}
