// Finds the executable of a command, and explains why it could not be started.

import Platform

extension Command {
  /// The search path if the environment has no PATH; the output of `getconf PATH`, with
  /// /usr/local/bin.
  private static let pathStandard = "/usr/local/bin:/usr/bin:/bin"

  /// Returns the path of the program.
  ///
  /// A path is not checked in advance: only if it cannot be started is the reason determined.
  func programPath() throws(SpawnError) -> String {
    try checkForNul()
    if executable.utf8.contains(UInt8(ascii: "/")) { return executable }
    try checkDirectory()
    return try pathOfName()
  }

  private func checkDirectory() throws(SpawnError) {
    if let directory {
      switch fileKind(directory) {
      case .missing: throw .missingDirectory(path: directory)
      case .other: throw .notADirectory(path: directory)
      case .directory: break
      }
    }
  }

  /// Throws the reason why a path could not be started, if the file itself is the cause.
  private func checkProgram() throws(SpawnError) {
    let path = resolved(executable)
    switch fileKind(path) {
    case .missing: throw .noSuchFile(path: path)
    case .directory: throw .isDirectory(path: path)
    case .other: break
    }
    guard mayAccess(path, .execution) else { throw .notExecutable(path: path) }
  }

  private func pathOfName() throws(SpawnError) -> String {
    let path = environment["PATH"] ?? Self.pathStandard
    var notExecutable: String?
    for folder in path.split(separator: ":", omittingEmptySubsequences: false)
    where !executable.isEmpty {
      let candidate = "\(folder.isEmpty ? "." : folder)/\(executable)"
      guard fileKind(resolved(candidate)) == .other else { continue }
      if mayAccess(resolved(candidate), .execution) { return candidate }
      notExecutable = notExecutable ?? candidate
    }
    if let notExecutable { throw .notExecutable(path: notExecutable) }
    throw .commandNotFound(name: executable)
  }

  /// Returns a path relative to this process's working directory instead of the command's.
  private func resolved(_ path: String) -> String {
    guard let directory, !path.hasPrefix("/") else { return path }
    return directory + "/" + path
  }

  private func checkForNul() throws(SpawnError) {
    if hasNul(executable) { throw .nulByte(in: "the name of the command") }
    if let position = arguments.firstIndex(where: hasNul) {
      throw .nulByte(in: "argument \(position + 1)")
    }
    if let name = environment.nameWithNul {
      throw .nulByte(in: "the environment variable \"\(name)\"")
    }
    if let reportVariable, hasNul(reportVariable) {
      throw .nulByte(in: "the name of the variable for reports")
    }
    if let directory, hasNul(directory) { throw .nulByte(in: "the name of the directory") }
  }

  /// Returns the explanation of a system error for this command.
  func explanation(of failure: Errno, path: String) -> SpawnError {
    do throws(SpawnError) {
      try checkDirectory()
      if executable.utf8.contains(UInt8(ascii: "/")) { try checkProgram() }
    } catch {
      return error
    }
    switch failure {
    case .argListTooLong: return longestValue ?? .argumentsTooLong
    case .resourceTemporarilyUnavailable, .noMemory: return .outOfProcesses
    case .tooManyOpenFiles, .tooManyOpenFilesInSystem: return .outOfDescriptors
    case .execFormatError:
      let begin = Array("\u{FEFF}#!".utf8)
      let isMarked = fileContents(resolved(path), upTo: 4096)?.starts(with: begin) == true
      return isMarked ? .byteOrderMark(script: path) : .notAProgram(path: path)
    case .noSuchFileOrDirectory:
      guard let interpreter = interpreter(of: resolved(path)) else {
        return .noSuchFile(path: path)
      }
      return .missingInterpreter(script: path, interpreter: interpreter)
    default: return .other(command: executable, errorNumber: failure.rawValue)
    }
  }

  /// The maximum number of bytes of an argument, or of a variable with its name, on Linux
  /// (`MAX_ARG_STRLEN`).
  static let valueBytesMax = 32 * 4096 - 1

  /// The first value that is too long by itself; nil if only all of them together are.
  private var longestValue: SpawnError? {
    for (position, argument) in arguments.enumerated()
    where argument.utf8.count > Self.valueBytesMax {
      return .valueTooLong(of: "argument \(position + 1)", bytes: argument.utf8.count)
    }
    for (name, value) in environment.variables.sorted(by: { $0.key < $1.key })
    where name.utf8.count + 1 + value.utf8.count > Self.valueBytesMax {
      return .valueTooLong(of: "the variable \"\(name)\"", bytes: value.utf8.count)
    }
    return nil
  }

  private func interpreter(of script: String) -> String? {
    guard let contents = fileContents(script, upTo: 4096), contents.starts(with: "#!".utf8) else {
      return nil
    }
    let line = contents.dropFirst(2).prefix { $0 != UInt8(ascii: "\n") }
    return String(decoding: line, as: UTF8.self).split(separator: " ").first.map(String.init)
  }
}

/// The kind of file at a path.
private enum FileKind {
  case missing
  case directory
  case other
}

private func fileKind(_ path: String) -> FileKind {
  guard let status = try? Stat(at: path) else { return .missing }
  return status.type == .directory ? .directory : .other
}
