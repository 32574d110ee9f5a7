// The interpreter that the first line of a script names.

import WorkflowLanguage

extension Workflow.Step {
  /// The program that runs the step, with its arguments, as far as the file has it.
  ///
  /// - Parameter workflow: The workflow, for its shell.
  /// - Returns: The command of a script, or the program of an `exec` without its arguments; nil for
  ///   other steps, and for a program that an expression names.
  package func knownCommand(in workflow: Workflow) -> [String]? {
    if let program = action.program { return [program] }
    guard let script = action.script else { return nil }
    if shell == nil, let words = Interpreter.words(of: script) { return words + [script] }
    return (shell ?? workflow.shell).commandLine(for: script)
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
