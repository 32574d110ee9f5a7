// The interpreter that the first line of a script names.

import Workflows

extension Workflow.Step {
  /// Returns the program that runs a script of the step, with its arguments.
  ///
  /// An interpreter that the first line of the script names is without the script itself.
  ///
  /// - Parameters:
  ///   - script: The script.
  ///   - workflow: The workflow, for its shell.
  /// - Returns: The words of the command.
  package func commandLine(for script: String, in workflow: Workflow) -> [String] {
    interpreter(of: script) ?? (shell ?? workflow.shell).commandLine(for: script)
  }

  /// Returns the interpreter that the first line of a script names, unless the step sets a shell.
  func interpreter(of script: String) -> [String]? {
    hasOwnShell ? nil : Interpreter.words(of: script)
  }
}

/// The interpreter of a script that begins with `#!`.
enum Interpreter {
  /// Returns the words of the first line: a program and its arguments.
  ///
  /// Unlike the kernel of Linux, separates the arguments at blanks, as that of macOS does.
  ///
  /// - Parameter script: The script.
  /// - Returns: The words; nil if the script does not begin with `#!` and a program.
  static func words(of script: String) -> [String]? {
    let bytes = script.utf8
    guard bytes.starts(with: "#!".utf8) else { return nil }
    let line = bytes.dropFirst(2).prefix { $0 != UInt8(ascii: "\n") }
    let words = line.split { [0x20, 0x09, 0x0D].contains($0) }
      .map { String(decoding: $0, as: UTF8.self) }
    return words.isEmpty ? nil : words
  }
}
