import Foundation
import TestSupport
import Testing

@testable import Masking

/// The documented ways of printing in which a secret is found, each with the program that prints
/// it.
struct EncodingTableTests {
  /// A way of printing the text of the file `$1`, applied to many files, with the number of
  /// characters of the secret that a line may show.
  struct Way: Sendable, CustomTestStringConvertible {
    let name: String
    let script: String
    /// The number of characters that each line with a part of the secret may show.
    let shown: Int

    var testDescription: String { name }

    init(_ name: String, _ script: String, shown: Int = 0) {
      self.init(
        name: name, whole: "for file do set -- \"$file\"; \(script); printf '\\036'; done",
        shown: shown)
    }

    private init(name: String, whole: String, shown: Int) {
      (self.name, self.script, self.shown) = (name, whole, shown)
    }

    static func python(_ name: String, _ expression: String, shown: Int = 0) -> Way {
      Way(
        name: name,
        whole: """
          python3 -c '
          import sys, json, html, urllib.parse, base64, shlex, textwrap
          for path in sys.argv[1:]:
            b = open(path, "rb").read()
            t = b.decode()
            print(\(expression), end="\\x1e")
          ' "$@"
          """, shown: shown)
    }
  }

  static let ways: [Way] = [
    Way("cat", "cat \"$1\""),
    Way("od", "od \"$1\"", shown: 12), Way("od -c", "od -c \"$1\"", shown: 4),
    Way("od -b", "od -b \"$1\"", shown: 6), Way("od -x", "od -x \"$1\"", shown: 8),
    Way("od -tx1", "od -tx1 \"$1\"", shown: 6),
    .python("xxd -p", #""\n".join(textwrap.wrap(b.hex(), 60))"#, shown: 4),
    .python("xxd -p -u", #""\n".join(textwrap.wrap(b.hex().upper(), 60))"#, shown: 4),
    .python("hex", "b.hex()"), .python("hex with blanks", #"b.hex(" ")"#),
    .python("hex with colons", #"b.hex(":")"#),
    .python("hex with hyphens", #"b.hex("-")"#),
    .python(
      "xxd -i", #""\n".join(textwrap.wrap(", ".join(map("0x{:02x}".format, b)), 70))"#, shown: 6),
    .python("xxd -i -u", #"", ".join("0X%02X" % c for c in b)"#),
    .python("hex() of each", #"[hex(c) for c in b]"#),
    .python("numbers of C", #"",".join("0x%02X" % c for c in b)"#),
    .python("list", "list(b)"), .python("numbers with commas", #"",".join(map(str, b))"#),
    .python("numbers with blanks", #"" ".join(map(str, b))"#),
    Way("od -An -tu1", "od -An -tu1 \"$1\"", shown: 6),
    Way("od -An -c", "od -An -c -w7 \"$1\"", shown: 3),
    Way("od -tx1z", "od -tx1z \"$1\"", shown: 8), Way("od -tx4", "od -tx4 \"$1\"", shown: 4),
    Way("od -tx8", "od -tx8 \"$1\"", shown: 4),
    .python(
      "xxd",
      #""\n".join("%08x: %-39s  %s" % (i, textwrap.fill(b[i:i+16].hex(), 4).replace("\n", " "), "#
        + #""".join(chr(c) if 32 <= c < 127 else "." for c in b[i:i+16])) for i in range(0, len(b), 16))"#,
      shown: 9),
    .python(
      "hexdump -C",
      #""\n".join("%08x  %-48s  |%s|" % (i, b[i:i+8].hex(" ") + "  " + b[i+8:i+16].hex(" "), "#
        + #""".join(chr(c) if 32 <= c < 127 else "." for c in b[i:i+16])) for i in range(0, len(b), 16))"#,
      shown: 8),
    Way("printf %q", "bash -c 'printf %q \"$(cat \"$1\"; echo .)\"' bash \"$1\""),
    Way("declare -p", "bash -c 't=$(cat \"$1\"; echo .); declare -p t' bash \"$1\""),
    Way(
      "export -p",
      "bash -c 'export T=\"$(cat \"$1\"; echo .)\"; export -p | grep -A9 T=' bash \"$1\""),
    Way(
      "printf %q without a locale",
      "LC_ALL=C bash -c 'printf %q \"$(cat \"$1\"; echo .)\"' bash \"$1\""),
    Way("set", "bash -c 't=$(cat \"$1\"; echo .); set | grep -a ^t=' bash \"$1\""),
    Way("set -x", "bash -xc 'true \"$(cat \"$1\"; echo .)\"' bash \"$1\" 2>&1 | grep true"),
    Way(
      "export -p of sh",
      "sh -c 'T=\"$(cat \"$1\"; echo .)\"; export T; export -p | grep T=' sh \"$1\""),
    .python("shlex", "shlex.quote(t)"),
    .python("html", "html.escape(t)"),
    .python("html without quotes", "html.escape(t, quote=False)"),
    .python(
      "XML", #"html.escape(t, quote=False).replace(chr(34), "&quot;").replace(chr(39), "&apos;")"#),
    .python("JSON", "json.dumps(t)"), .python("JSON in JSON", "json.dumps(json.dumps(t))"),
    .python("JSON, thrice", "json.dumps(json.dumps(json.dumps(t)))"),
    .python("JSON, UTF-8", "json.dumps(t, ensure_ascii=False)"),
    .python("JSON of PHP in Python's", #"json.dumps(json.dumps(t).replace("/", "\\/"))"#),
    .python(
      "JSON of Python in Go's",
      #"json.dumps(json.dumps(t)).replace("<", "\\u003c").replace("&", "\\u0026")"#),
    .python("JavaScript", #""".join("\\u%04x" % ord(c) for c in t)"#),
    .python("HTML by numbers", #""".join("&#%d;" % ord(c) for c in t)"#),
    .python("HTML by hexadecimal numbers", #""".join("&#x%X;" % ord(c) for c in t)"#),
    .python("HTML in HTML", "html.escape(html.escape(t))"),
    .python("repr", "repr(t)"), .python("repr of bytes", "repr(b)"),
    .python("URL of all characters", #""".join("%%%02x" % c for c in b)"#),
    .python("URL in URL", "urllib.parse.quote(urllib.parse.quote(t))"),
    .python("escapes of C", #""".join("\\x%02x" % c for c in b)"#),
    .python("octal escapes", #""".join("\\%03o" % c for c in b)"#),
    .python("URL", "urllib.parse.quote(t)"), .python("form", "urllib.parse.quote_plus(t)"),
    Way("base64", "base64 -w 76 \"$1\"", shown: 6),
    Way("base64 -w 10", "base64 -w 10 \"$1\"", shown: 7),
    .python(
      "URL-safe base64 on lines",
      #""\n".join(textwrap.wrap(base64.urlsafe_b64encode(b).decode(), 20))"#,
      shown: 6),
    // At both ends, the secret shares a character with the surrounding text.
    Way("base64 -w 0", "base64 -w 0 \"$1\"", shown: 2),
    .python("URL-safe base64", "base64.urlsafe_b64encode(b).decode()", shown: 2),
  ]

  /// Pairs of texts that differ at each position, and are encoded alike.
  static let pairs: [(String, String)] = [
    ("hunter2x", "lisbon9q"),
    ("ghp_16C7e42F292c6912E7710c838347Ae178B4a", "nbw_49K3u85X717p3047Q6639w515868Io936Z7e"),
    (#"p$a`s"w'o\r&d<z>!x,y"#, #"q$b`t"x'p\s&e<a>!y,z"#), ("key=a b/c+d~e*f", "mno=p q/r+s~t*u"),
    ("it''s:~/päss=~wört", "ju''t:~/qözz=~xüsu"), ("a\tb\u{1}c\u{7}def", "x\ty\u{2}z\u{8}tuv"),
  ]

  private static let maskers = Dictionary(
    uniqueKeysWithValues: pairs.flatMap { [$0.0, $0.1] }.map { ($0, Masker(secrets: [$0])) })

  @Test(arguments: ways)
  func `masked output of a program shows nothing of a secret`(_ way: Way) throws {
    let folder = try TemporaryFolder()
    let cases = Self.pairs.flatMap { one, other in
      [0, 1, 2, 3, 5, 8, 15, 29, 50].flatMap { [($0, one), ($0, other)] }
    }
    let paths = cases.indices.map { folder.path + "/text-\($0)" }
    for ((before, secret), path) in zip(cases, paths) {
      try Data((String(repeating: "-", count: before) + secret + "-----").utf8)
        .write(to: URL(fileURLWithPath: path))
    }
    let printed = try output(of: way.script, paths).split(separator: "\u{1E}")
    try #require(printed.count == cases.count, "\(way.name): \(printed.prefix(2))")
    let masked = try zip(cases, printed).map { one, text in
      try #require(Self.maskers[one.1]).masked(String(text)).replacing("***", with: "")
    }
    for position in stride(from: 0, to: cases.count, by: 2) {
      let lines = try differences(masked[position], masked[position + 1])
      for line in lines where line.count > way.shown {
        Issue.record("\(way.name), \(cases[position]): \(line.text) \(line.twin)")
      }
    }
    // Otherwise a masker that masks nothing would pass.
    let bare = try stride(from: 0, to: cases.count, by: 2).flatMap { position in
      try differences(String(printed[position]), String(printed[position + 1]))
    }
    #expect(bare.contains { $0.count > way.shown }, "unmasked text would pass")
  }

  /// Returns the lines of two texts, with the number of characters that differ and so depend on the
  /// secret.
  private func differences(
    _ text: String, _ twin: String
  ) throws -> [(text: Substring, twin: Substring, count: Int)] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let twins = twin.split(separator: "\n", omittingEmptySubsequences: false)
    try #require(lines.count == twins.count)
    return zip(lines, twins).map { line, twin in
      (line, twin, zip(line, twin).count { $0 != $1 } + abs(line.count - twin.count))
    }
  }

  @Test(arguments: ["abcd", "abcde", "abcdef", "abcdefgh"])
  func `a short secret is masked in base64 with any text around it`(_ secret: String) {
    let masker = Masker(secrets: [secret])
    for before in 0..<6 {
      for after in 0..<6 {
        let text =
          String(repeating: "-", count: before) + secret + String(repeating: "-", count: after)
        let printed = Data(text.utf8).base64EncodedString()
        #expect(masker.masked(printed) != printed, "\(text)")
      }
    }
  }

  private func output(of script: String, _ paths: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", script, "sh"] + paths
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: bytes, as: UTF8.self)
  }
}
