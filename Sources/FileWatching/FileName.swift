// File names that are compared by their bytes, as the system does.

/// A file name.
///
/// Unlike with `String`, two names are equal only if their bytes are: `é` as one scalar and as two
/// scalars are two files in a folder.
struct FileName: Hashable, Sendable {
  /// The name.
  let text: String

  /// Creates a name.
  init(_ text: String) {
    self.text = text
  }

  /// Returns whether the bytes are equal.
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
