// What the command needs of its own process: its descriptors, its end. Knows nothing of workflows.

import ChildProcesses
import Platform
import RepriseTerminal

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
  setUpMemory()
  expectEnoughThreads()
  expectTexts()
  // A reader that goes away is told by the failing write; a signal would end us without clean-up.
  ignoreSignal(SignalNumber.pipe)
  // Whoever starts us with it ignored would have the kernel reap our steps, and their status is lost.
  restoreSignal(SignalNumber.child)
}

/// Opens /dev/null for standard descriptors that are closed.
///
/// Otherwise the next files that are opened would be taken for them: what is written to standard error would go into
/// the lock of a run.
private func openMissingStandardDescriptors() {
  for descriptor in Int32(0)...2 where !isOpenDescriptor(descriptor) {
    // The lowest one that is free is taken: this one.
    openNullDeviceForChildren()
  }
}

/// Ends the process, with the reason, where Dispatch would wait for threads without end.
func expectEnoughThreads() {
  guard let shortage = threadShortage() else { return }
  printError("error: \(shortage)")
  endProcess(.cannotGoOn)
}

/// How many descriptors have to be free: with fewer, the threads of the system library end the process without a word.
private let freeDescriptorsMin = 16

private func expectEnoughDescriptors() {
  // Counting takes a call for each, and only a low limit makes it worth while.
  guard let limit = descriptorsMax(), limit < 256 else { return }
  var copies: [Int32] = []
  while copies.count < freeDescriptorsMin {
    guard let copy = copyOfDescriptor(2) else { break }
    copies.append(copy)
  }
  closeDescriptors(copies)
  guard copies.count < freeDescriptorsMin else { return }
  printError(
    "error: \(copies.count) more files can be opened, and at least \(freeDescriptorsMin) are needed; raise the "
      + "limit of open files, which is \(limit) (ulimit -n)")
  endProcess(.cannotGoOn)
}

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
  if errorNumber != 0 { OutputError.note(Errno(rawValue: errorNumber)) }
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

/// Writes a list to standard output: one JSON object per line, or a table.
func printList(_ jsonLines: [TerminalSafe], table: TerminalSafe, json: Bool) {
  for line in json ? jsonLines : [table] { printLine(line) }
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
  do throws(Errno) {
    try writeBytes(bytes, to: descriptor)
    return true
  } catch {
    if descriptor == standardOutput { OutputError.note(error) }
    return false
  }
}
