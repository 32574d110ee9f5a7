import Foundation
import TestSupport
import Testing

@testable import Reprise

struct SecretFormsTests {
  @Test(
    arguments: [
      ("hunter2", ["hunter2"], []),
      ("abc", [], ["abc"]),
      ("hunter2\n", ["hunter2"], []),
      ("  ab", ["  ab"], ["ab"]),
      (" hunter2\t", [" hunter2\t", "hunter2"], []),
      ("{\r\n  \"key\": 1\r\n  }\r\n}", ["  \"key\": 1", "\"key\": 1"], ["{", "}", "  }"]),
      ("line one\n\n\nline two", ["line one", "line two"], [""]),
      ("ab\ncd", [#"ab\ncd"#, "ab%0Acd", "61620a6364"], ["ab", "cd"]),
    ] as [(String, [String], [String])])
  func `each line that is long enough is a form`(
    _ secret: String, _ present: [String], _ absent: [String]
  ) {
    let forms = SecretForms.forms(of: secret)
    for form in present { #expect(forms.contains(Array(form.utf8)), "\(form)") }
    for form in absent { #expect(!forms.contains(Array(form.utf8)), "\(form)") }
  }

  @Test(
    arguments: [
      (
        "a/b c+d~ü*",
        [
          "a%2Fb%20c%2Bd~%C3%BC%2A", "a%2fb%20c%2bd~%c3%bc%2a", "a%2Fb%20c%2Bd~%C3%BC*",
          "a/b%20c%2Bd~%C3%BC%2A", "a%2Fb+c%2Bd%7E%C3%BC*", "a%2Fb+c%2Bd~%C3%BC%2A",
          #"a\/b c+d~ü*"#, #"a/b c+d~\u00fc*"#, #"a\/b c+d~\u00FC*"#,
          "612f6220632b647ec3bc2a", "612F6220632B647EC3BC2A",
        ]
      ),
      (#"say "<hi>"\"#, [#"say \"<hi>\"\\"#, #"say \"\u003chi\u003e\"\\"#]),
      ("tab\tbell\u{7}", [#"tab\tbell\u0007"#]),
      ("key 🔑", [#"key \ud83d\udd11"#, "key%20%F0%9F%94%91"]),
      ("it's", [#"it'\''s"#, #"it'"'"'s"#]),
    ] as [(String, [String])])
  func `encodings are what programs write`(_ secret: String, _ expected: [String]) {
    let forms = SecretForms.forms(of: secret)
    for form in expected { #expect(forms.contains(Array(form.utf8)), "\(form)") }
  }

  @Test func `no form is short or has a line feed`() {
    var generator = SeededGenerator.announced()
    for _ in 0..<rounds(100, soak: 2_000) {
      for form in SecretForms.forms(of: RandomSecret.next(&generator)) {
        #expect(form.count >= SecretForms.bytesMin && !form.contains(UInt8(ascii: "\n")))
      }
    }
  }

  static let secrets = [
    "hunter2", "ghp_16C7e42F292c6912E7710c838347Ae178B4a", "pässwörd ✓ und mehr?>?>~~~",
    String(repeating: "0123456789 abcdefghij ", count: 9),
  ]

  @Test(arguments: secrets, [76, 64, 10, 0])
  func `what base64 prints of it is masked whatever stands around it`(
    _ secret: String, _ columns: Int
  ) throws {
    let masker = Masker(secrets: [secret])
    let befores = [0, 1, 2, 3, 5, 31, 44, 53, 56, 57, 100].map { String(repeating: "-", count: $0) }
    let pairs = befores.flatMap { before in
      ["", "\n", "!", "\", \"port\": 8080}"].map { (before, $0) }
    }
    let outputs = try base64(pairs.map { $0 + secret + $1 }, columns: columns)
    try #require(outputs.count == pairs.count)
    for ((before, after), output) in zip(pairs, outputs) {
      let whole = Data((before + secret + after).utf8).base64EncodedString()
      try #require(output.filter { $0 != "\n" } == whole)
      let first = (before.utf8.count * 8 + 5) / 6
      let end = (before.utf8.count + secret.utf8.count) * 8 / 6
      let core = Array(whole.utf8)[first..<end]
      let masked = masker.masked(output)
      for start in core.indices.dropLast(Base64Forms.pieceCharactersMin - 1) {
        let piece = core[start..<(start + Base64Forms.pieceCharactersMin)]
        #expect(!masked.contains(String(decoding: piece, as: UTF8.self)), "\(masked)")
      }
      guard columns == 0 else { continue }
      // What stands around it is left. The character that it shares with what follows may be
      // masked, as it may be the last one.
      let left = whole.prefix(first)
      let right = after == "" || after == "\n" ? "" : whole.dropFirst(end)
      #expect([left + "***" + right, left + "***" + right.dropFirst()].contains(masked))
    }
  }

  @Test func `the URL-safe alphabet is masked, padded or not`() {
    var generator = SeededGenerator.announced()
    for _ in 0..<rounds(100, soak: 2_000) {
      let secret = RandomSecret.printable(generator.next() % 60 + 7, &generator)
      let masker = Masker(secrets: [secret])
      for before in ["", "-", "--"] {
        for after in ["", "!", "!!"] {
          let text = Data((before + secret + after).utf8).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_")
          let first = (before.utf8.count * 8 + 5) / 6
          for text in [text, text.replacing("=", with: "")] {
            let masked = masker.masked(text)
            #expect(masked.hasPrefix(text.prefix(first) + "***"))
            #expect(masked.count <= first + 3 + 5, "\(masked)")
          }
        }
      }
    }
  }

  /// Lets the program encode texts, each through pipes.
  private func base64(_ texts: [String], columns: Int) throws -> [String] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    // GNU wraps with -w, BSD with -b.
    let script = """
      columns=$1; shift
      for text do
        printf %s "$text" | (base64 -w "$columns" 2>/dev/null || base64 -b "$columns")
        echo .
      done
      """
    process.arguments = ["-c", script, "sh", String(columns)] + texts
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return output.components(separatedBy: ".\n").dropLast()
  }
}
