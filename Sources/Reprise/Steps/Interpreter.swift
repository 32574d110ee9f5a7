// The interpreter that the first line of a script names.

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
