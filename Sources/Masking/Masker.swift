// Masks secrets in texts and streams.

/// Replaces secrets, including encoded ones, with `***`.
///
/// Every byte of every occurrence of a secret is masked, even if occurrences overlap; each run of
/// masked bytes becomes one `***`. ``SecretFinder`` describes which encodings are found. Creating a
/// masker takes time and memory, about 100 bytes per byte of secrets, so create one and share it.
/// Copies and streams are cheap.
package struct Masker: Sendable {
  /// Finds the secrets; nil if there is nothing to mask.
  private let finder: SecretFinder?

  /// Creates a masker.
  ///
  /// - Parameter secrets: The secrets to mask. Secrets of less than four bytes are not masked.
  package init(secrets: [String]) {
    var forms: Set<[UInt8]> = []
    for secret in secrets { forms.formUnion(SecretForms.forms(of: secret)) }
    finder =
      forms.isEmpty
      ? nil : SecretFinder(forms, pieces: secrets.map { Array($0.utf8) })
  }

  /// Creates a masker of exactly these byte sequences, without pieces of them.
  init(forms: Set<[UInt8]>, rowCountMax: Int = SecretAutomaton.rowCountMax) {
    finder = forms.isEmpty ? nil : SecretFinder(forms, pieces: [], rowCountMax: rowCountMax)
  }

  /// Whether there is nothing to mask.
  package var isEmpty: Bool { finder == nil }

  /// Masks the secrets in a text.
  ///
  /// - Parameter text: Any text.
  /// - Returns: The text with its secrets replaced.
  package func masked(_ text: String) -> String {
    guard !isEmpty else { return text }
    var stream = stream()
    let bytes = stream.append(text.utf8) + stream.finish()
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Creates the state for masking a stream of bytes.
  ///
  /// - Returns: A stream state without any input.
  package func stream() -> MaskingStream { MaskingStream(finder: finder) }

  /// The size of the memory shared by all copies and streams, in bytes.
  var byteCount: Int { finder?.byteCount ?? 0 }
}

extension Masker: CustomReflectable {
  /// Hides the contents, from which the secrets could be read.
  package var customMirror: Mirror { Mirror(self, children: []) }
}
