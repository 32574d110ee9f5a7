// The errors of starting a command, and their messages.

import Platform

/// An error of starting a command.
package enum SpawnError: Error, Equatable, CustomStringConvertible {
  case commandNotFound(name: String)
  case noSuchFile(path: String)
  case notExecutable(path: String)
  case isDirectory(path: String)
  case missingDirectory(path: String)
  case notADirectory(path: String)
  case missingInterpreter(script: String, interpreter: String)
  case notAProgram(path: String)
  case byteOrderMark(script: String)
  case argumentsTooLong
  case valueTooLong(of: String, bytes: Int)
  case nulByte(in: String)
  case outOfProcesses
  case outOfDescriptors
  case noTerminal(errorNumber: Int32)
  case noReportChannel(folder: String, errorNumber: Int32)
  case other(command: String, errorNumber: Int32)

  /// The message: what is wrong and how to fix it.
  package var description: String {
    switch self {
    case .commandNotFound(let name):
      "\(name): not found on PATH; install it, or give its path"
    case .noSuchFile(let path): "there is no file \"\(path)\""
    case .notExecutable(let path):
      "\"\(path)\" is not executable; make it executable with: chmod +x \(path)"
    case .isDirectory(let path): "\"\(path)\" is a directory, not a program"
    case .missingDirectory(let path): "there is no directory \"\(path)\" to run in; create it first"
    case .notADirectory(let path): "\"\(path)\" is not a directory, so nothing can run in it"
    case .missingInterpreter(let script, let interpreter):
      if interpreter.hasSuffix("\r") {
        "\"\(script)\" has Windows line ends, so its interpreter is not found; convert it with: "
          + "sed -i 's/\\r$//' \(script)"
      } else {
        "\"\(script)\" needs the interpreter \"\(interpreter)\", which does not exist"
      }
    case .notAProgram(let path):
      "\"\(path)\" is not a program for this machine; "
        + "a script must begin with a line like #!/bin/sh"
    case .byteOrderMark(let script):
      "\"\(script)\" begins with a byte order mark, so its #! is not found; "
        + "save it as UTF-8 without one"
    case .valueTooLong(let what, let bytes):
      "\(what) has \(bytes) bytes, and a program can be given at most \(Command.valueBytesMax); "
        + "pass it in a file: toFile(…)"
    case .argumentsTooLong:
      "the arguments and the environment are too long for this system; pass data in a file"
    case .nulByte(let place):
      "there is a NUL character in \(place), which cannot be passed to a program"
    case .outOfProcesses:
      "the process limit of the system is reached; lower max-parallel or raise ulimit -u"
    case .outOfDescriptors:
      "too many files are open; lower max-parallel or raise ulimit -n"
    case .noTerminal(let number):
      "cannot open a pseudo-terminal: \(Errno(rawValue: number)); remove tty, or mount /dev/pts"
    case .noReportChannel(let folder, let number):
      "cannot create a report channel in \"\(folder)\": \(Errno(rawValue: number)); free space "
        + "there, or set TMPDIR to a writable local folder"
    case .other(let command, let number):
      "\"\(command)\" could not be started: \(Errno(rawValue: number))"
    }
  }
}
