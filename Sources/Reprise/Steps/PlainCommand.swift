// Decides whether a script needs a shell.

/// A script that is a plain command line: words without anything that a shell would interpret.
///
/// Like make, the engine starts such a script without a shell. This saves a process and has the
/// same effect.
enum PlainCommand {
  /// Splits a plain command line into its words; returns nil if the script needs a shell.
  ///
  /// - Parameter script: The value of `run:`.
  /// - Returns: The words, at least one, or nil. Linear in the length of the script.
  static func words(of script: String) -> [String]? {
    // An array is read several times faster than the text.
    let script = Array(script.utf8)
    var words: [String] = []
    var word: [UInt8] = []
    var isInWord = false
    var position = script.firstIndex { !isBlank($0) && $0 != UInt8(ascii: "\n") } ?? script.count
    while position < script.count {
      let byte = script[position]
      position += 1
      if isPlain(byte) {
        word.append(byte)
        isInWord = true
      } else if isBlank(byte) {
        if isInWord { words.append(String(decoding: word, as: UTF8.self)) }
        word.removeAll(keepingCapacity: true)
        isInWord = false
      } else if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
        guard let end = script[position...].firstIndex(of: byte),
          script[position..<end].allSatisfy({ isLiteral($0, in: byte) })
        else { return nil }
        word += script[position..<end]
        isInWord = true
        position = end + 1
      } else {
        // A script may end with line feeds; anything after them is a second command.
        let isEnd =
          byte == UInt8(ascii: "\n")
          && script[position...].allSatisfy { isBlank($0) || $0 == UInt8(ascii: "\n") }
        guard isEnd else { return nil }
        break
      }
    }
    if isInWord { words.append(String(decoding: word, as: UTF8.self)) }
    guard let command = words.first, !command.isEmpty, !command.utf8.contains(UInt8(ascii: "=")),
      !shellWords.contains(command)
    else { return nil }
    return words
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }

  /// Returns whether a byte is literal outside of quotes.
  ///
  /// Bytes from 0x80 belong to UTF-8 characters.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...,
      UInt8(ascii: "_"), UInt8(ascii: "@"), UInt8(ascii: "%"), UInt8(ascii: "+"),
      UInt8(ascii: "="), UInt8(ascii: ":"), UInt8(ascii: ","), UInt8(ascii: "."),
      UInt8(ascii: "/"), UInt8(ascii: "-"):
      true
    default:
      false
    }
  }

  /// Returns whether a byte is literal inside `quote`s on one line.
  private static func isLiteral(_ byte: UInt8, in quote: UInt8) -> Bool {
    guard byte != UInt8(ascii: "\n") else { return false }
    return quote == UInt8(ascii: "'") || !"$`\\!".utf8.contains(byte)
  }

  // Words that a POSIX shell interprets itself, where no program of that name exists or behaves the
  // same. The list is GNU make's (job.c, sh_cmds), with the reserved words.
  private static let shellWords: Set<String> = [
    ".", ":", "alias", "bg", "break", "case", "cd", "command", "continue", "echo", "eval", "exec",
    "exit", "export", "fc", "fg", "for", "function", "getopts", "hash", "if", "jobs", "kill",
    "local", "login", "logout", "printf", "pwd", "read", "readonly", "return", "select", "set",
    "shift", "source", "test", "then", "time", "times", "trap", "type", "ulimit", "umask",
    "unalias", "unset", "until", "wait", "while",
  ]
}
