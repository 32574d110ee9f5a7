// Settings of runners that are one of a few words.

/// A setting that is one of a few words; another word is an error that names them.
protocol SettingChoice: RawRepresentable, CaseIterable, Decodable, Sendable
where RawValue == String {}

extension SettingChoice {
  /// Decodes one of the words.
  init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    guard let value = Self(rawValue: text) else {
      let words = Self.allCases.map(\.rawValue).joined(separator: ", ")
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: decoder.codingPath,
          debugDescription: "there is no \"\(text)\"; available: \(words)"))
    }
    self = value
  }
}
