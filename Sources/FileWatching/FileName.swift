// Names of files as the system compares them.

/// A name of a file.
///
/// Unlike `String`, two are equal only if their bytes are: `é` written with one scalar and with two are
/// two files in one folder.
struct FileName: Hashable, Sendable {
  /// The name.
  let text: String

  /// Takes a name as it is.
  init(_ text: String) {
    self.text = text
  }

  /// Whether the bytes are equal.
  static func == (left: FileName, right: FileName) -> Bool {
    left.text.utf8.elementsEqual(right.text.utf8)
  }

  /// Hashes the bytes.
  func hash(into hasher: inout Hasher) {
    let isDone: Void? = text.utf8.withContiguousStorageIfAvailable {
      hasher.combine(bytes: UnsafeRawBufferPointer($0))
    }
    if isDone == nil {
      for byte in text.utf8 { hasher.combine(byte) }
    }
  }
}
