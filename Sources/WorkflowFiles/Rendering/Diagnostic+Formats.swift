// Output formats for errors and warnings: text, JSON, and SARIF 2.1.0 (OASIS), which editors and
// code hosts read.

/// The output format of errors and warnings.
package enum DiagnosticFormat: String, Sendable, CaseIterable {
  /// Text for a terminal.
  case text
  /// A JSON object with a list of diagnostics.
  case json
  /// SARIF 2.1.0.
  case sarif
}

extension Diagnostic {
  /// Formats errors and warnings.
  ///
  /// - Parameters:
  ///   - diagnostics: The errors and warnings.
  ///   - format: The output format.
  /// - Returns: The text, without a line feed at the end.
  package static func rendered(_ diagnostics: [Diagnostic], as format: DiagnosticFormat) -> String {
    switch format {
    case .text: diagnostics.map(\.description).joined(separator: "\n\n")
    case .json: Value.map(["diagnostics": .list(diagnostics.map(\.jsonValue))]).indentedJSON
    case .sarif: sarif(of: diagnostics).indentedJSON
    }
  }

  private var jsonValue: Value {
    var values: [String: Value] = [
      "severity": .text(severity.rawValue), "code": .text(code), "file": .text(file),
      "message": .text(message),
    ]
    if let hint { values["hint"] = .text(hint) }
    guard line > 0 else { return .map(values) }
    values["line"] = .number(Double(line))
    values["column"] = .number(Double(column))
    values["length"] = .number(Double(length))
    if !edits.isEmpty {
      values["edits"] = .list(edits.map(\.jsonValue))
    }
    return .map(values)
  }

  private static func sarif(of diagnostics: [Diagnostic]) -> Value {
    .map([
      "version": .text("2.1.0"),
      "$schema": .text("https://json.schemastore.org/sarif-2.1.0.json"),
      "runs": .list([
        .map([
          "tool": .map([
            "driver": .map([
              "name": .text("reprise"),
              "rules": .list(Set(diagnostics.map(\.code)).sorted().map(rule)),
            ])
          ]),
          "columnKind": .text("unicodeCodePoints"),
          "results": .list(diagnostics.map(\.sarifResult)),
        ])
      ]),
    ])
  }

  private static func rule(_ code: String) -> Value {
    let page = ErrorPage(code: code)
    return .map([
      "id": .text(code), "shortDescription": .map(["text": .text(page?.title ?? code)]),
      "help": .map([
        "text": .text([page?.meaning, page?.fix].compactMap(\.self).joined(separator: " "))
      ]),
    ])
  }

  private var sarifResult: Value {
    var location: [String: Value] = ["artifactLocation": .map(["uri": .text(uri)])]
    if line > 0 {
      location["region"] = .map([
        "startLine": .number(Double(line)), "startColumn": .number(Double(column)),
        "endColumn": .number(Double(column + max(1, length))),
      ])
    }
    var result: [String: Value] = [
      "ruleId": .text(code), "level": .text(severity.rawValue),
      "message": .map(["text": .text(message + (hint.map { "; " + $0 } ?? ""))]),
      "locations": .list([.map(["physicalLocation": .map(location)])]),
    ]
    if !edits.isEmpty {
      let change: [String: Value] = [
        "artifactLocation": .map(["uri": .text(uri)]),
        "replacements": .list(edits.map(\.sarifReplacement)),
      ]
      result["fixes"] = .list([.map(["artifactChanges": .list([.map(change)])])])
    }
    return .map(result)
  }

  /// The path of the file as a URI reference (RFC 3986).
  private var uri: String {
    file.utf8.reduce(into: file.hasPrefix("/") ? "file://" : "") { result, byte in
      let letter = Character(UnicodeScalar(byte))
      if letter.isASCII && (letter.isLetter || letter.isNumber || "-._~/".contains(letter)) {
        result.append(letter)
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        result += "%" + (digits.count == 1 ? "0" : "") + digits
      }
    }
  }
}

extension Diagnostic.Edit {
  fileprivate var jsonValue: Value {
    .map([
      "line": .number(Double(line)), "column": .number(Double(column)),
      "length": .number(Double(length)), "text": .text(text),
    ])
  }

  fileprivate var sarifReplacement: Value {
    .map([
      "deletedRegion": .map([
        "startLine": .number(Double(line)), "startColumn": .number(Double(column)),
        "endColumn": .number(Double(column + length)),
      ]),
      "insertedContent": .map(["text": .text(text)]),
    ])
  }
}

extension Diagnostic: Encodable {
  /// Encodes the object that `reprise validate --format json` prints for each diagnostic.
  public func encode(to encoder: any Encoder) throws {
    try jsonValue.encode(to: encoder)
  }
}
