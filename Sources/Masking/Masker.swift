// Hides secrets in texts and streams. Knows nothing of where they come from.

/// Replaces secrets, also encoded ones, by `***`.
///
/// All that belongs to any occurrence of any form of a secret is masked, also where occurrences
/// overlap; each run of masked bytes becomes one `***`. See ``SecretFinder`` for what is found.
/// Making a masker takes time and memory, some 100 bytes for each byte of a secret: make one and share
/// it. Copies and streams cost nothing.
package struct Masker: Sendable {
  /// None where there is nothing to mask.
  private let finder: SecretFinder?

  /// Makes a masker.
  ///
  /// - Parameter secrets: The texts to hide. Those of less than four bytes are not hidden.
  package init(secrets: [String]) {
    var forms: Set<[UInt8]> = []
    for secret in secrets { forms.formUnion(SecretForms.forms(of: secret)) }
    finder =
      forms.isEmpty
      ? nil : SecretFinder(forms, pieces: secrets.map { Array($0.utf8) })
  }

  /// Makes a masker of exactly these byte sequences, and of no piece of them.
  init(forms: Set<[UInt8]>, rowCountMax: Int = SecretAutomaton.rowCountMax) {
    finder = forms.isEmpty ? nil : SecretFinder(forms, pieces: [], rowCountMax: rowCountMax)
  }

  /// Whether nothing is masked.
  package var isEmpty: Bool { finder == nil }

  /// Masks a text.
  ///
  /// - Parameter text: Any text.
  /// - Returns: The text without secrets.
  package func masked(_ text: String) -> String {
    guard !isEmpty else { return text }
    var stream = stream()
    let bytes = stream.append(text.utf8) + stream.finish()
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Begins a stream of bytes.
  ///
  /// - Returns: The state of a stream of which nothing has been read.
  package func stream() -> MaskingStream { MaskingStream(finder: finder) }

  /// The memory that is shared by all copies and streams.
  var byteCount: Int { finder?.byteCount ?? 0 }
}

extension Masker: CustomReflectable {
  /// Shows nothing: from it the secrets could be read.
  package var customMirror: Mirror { Mirror(self, children: []) }
}
