import Foundation
import TestSupport
import Testing

@testable import Masking

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
      ("ab\ncd", ["ab\ncd"], ["ab", "cd"]),
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
          #"a\/b c+d~ü*"#, #"a/b c+d~\u00fc*"#, #"a\/b c+d~\u00FC*"#, #"a/b c+d~\xfc*"#,
          #"a/b c+d~\303\274*"#, #"a/b c+d~\xc3\xbc*"#, #"a\/b\ c+d\~\ü\*"#,
          "612f6220632b647ec3bc2a", "612F6220632B647EC3BC2A", "a/b c+d~&#xFC;*", "a/b c+d~&#252;*",
        ]
      ),
      (
        #"say "<hi>"\"#,
        [#"say \"<hi>\"\\"#, #"say \"\u003chi\u003e\"\\"#, #"say &quot;&lt;hi&gt;&#34;\"#]
      ),
      (
        "tab\tbell\u{7}",
        [#"tab\tbell\u0007"#, #"tab\tbell\a"#, #"tab\11bell\7"#, "tab&#9;bell\u{7}"]
      ),
      ("key 🔑", [#"key \ud83d\udd11"#, "key%20%F0%9F%94%91", #"key \U0001f511"#]),
      ("it's", [#"it'\''s"#, #"it'"'"'s"#, #"it\'s"#, "it&#39;s", "it&apos;s"]),
      ("it''s", [#"it'"''"'s"#]),
      ("ab\ncd", [#"ab\ncd"#, "ab%0Acd", "61620a6364", #"ab\\ncd"#]),
      (
        "+a%b&c",
        ["%2Ba%25b%26c", "+a%25b%26c", "+a%b&amp;c", "%252Ba%2525b%2526c", "+a%b&amp;amp;c"]
      ),
    ] as [(String, [String])])
  func `a secret is masked completely in each encoding`(_ secret: String, _ written: [String]) {
    let masker = Masker(secrets: [secret])
    for text in written {
      #expect(masker.masked("<\(text)>") == "<***>", "\(text)")
      // Also at the end of a line.
      #expect(masker.masked(text + "\n") == "***\n" && masker.masked(text) == "***", "\(text)")
    }
  }

  @Test func `text that only looks like an escape is unchanged`() {
    let masker = Masker(secrets: ["hunter2"])
    let text =
      #"\ \x \xzz \u12 \ud800 \ud83d\u0041 \U1 \9 % %4 %zz & &; &# &#x; &foo; &#99999999; ' '' '\' '"' "#
    #expect(masker.masked(text) == text)
    for end in 0..<text.utf8.count {
      let part = String(decoding: text.utf8.prefix(end), as: UTF8.self)
      #expect(masker.masked(part) == part && masker.masked(part + "\n") == part + "\n")
      #expect(masker.masked(part + " hunter2") == part + " ***", "\(part)")
    }
  }

  @Test func `no form is shorter than the minimum`() {
    var generator = SeededGenerator.announced()
    for _ in 0..<rounds(100, soak: 2_000) {
      for form in SecretForms.forms(of: RandomSecret.next(&generator)) {
        #expect(form.count >= SecretForms.bytesMin)
      }
    }
  }

  static let secrets = [
    "hunter2", "ghp_16C7e42F292c6912E7710c838347Ae178B4a", "pässwörd ✓ und mehr?>?>~~~",
    String(repeating: "0123456789 abcdefghij ", count: 9),
  ]

  @Test(arguments: secrets, [76, 64, 10, 0])
  func `base64 of a secret is masked with any text around it`(
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
      // A piece of four bytes has at most six characters.
      for start in core.indices.dropLast(5) {
        let piece = core[start..<(start + 6)]
        #expect(!masked.contains(String(decoding: piece, as: UTF8.self)), "\(masked)")
      }
      guard columns == 0 else { continue }
      // The surrounding text is left, except for the characters that share bits with the secret.
      let left = whole.prefix(before.utf8.count * 8 / 6)
      let right = whole.dropFirst(((before + secret).utf8.count * 8 + 5) / 6)
      #expect(masked == left + "***" + right, "\(masked)")
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
          let left = text.prefix(before.utf8.count * 8 / 6)
          for text in [text, text.replacing("=", with: "")] {
            let right = text.dropFirst(((before + secret).utf8.count * 8 + 5) / 6)
            #expect(masker.masked(text) == left + "***" + right)
          }
        }
      }
    }
  }

  /// Returns texts as encoded by base64(1), each through a pipe.
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
