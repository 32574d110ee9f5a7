import Foundation
import TestSupport

/// Random secrets and texts, and encodings of them that do not use the code under test.
enum RandomSecret {
  /// Returns a secret of a random kind.
  static func next(_ generator: inout SeededGenerator) -> String {
    let length = generator.next() % 36 + 4
    switch generator.next() % 5 {
    case 0: return printable(length, &generator)
    case 1: return text(length, of: "äöü߀✓🔑日本語 abc", &generator)
    case 2: return text(length, of: "\"'\\/`$ <>&%+=ab", &generator)
    case 3:
      return (0..<3).map { _ in printable(generator.next() % 16 + 2, &generator) }
        .joined(separator: generator.next() % 2 == 0 ? "\n" : "\r\n")
    default: return text(length, of: "abcdefghijklmnopqrstuvwxyzABCDEF0123456789_-", &generator)
    }
  }

  /// Returns printable ASCII characters except `*`, so that a mask never looks like a secret.
  static func printable(_ length: UInt64, _ generator: inout SeededGenerator) -> String {
    let characters = (33...126).map { Character(Unicode.Scalar($0)) }.filter { $0 != "*" }
    return text(length, of: String(characters), &generator)
  }

  /// Returns a text of the given characters.
  static func text(
    _ length: UInt64, of characters: String, _ generator: inout SeededGenerator
  ) -> String {
    let characters = Array(characters)
    return String(
      (0..<length).map { _ in characters[Int.random(in: characters.indices, using: &generator)] })
  }

  /// Returns the secret, and its encodings by programs.
  static func representations(_ secret: String, _ generator: inout SeededGenerator) -> [String] {
    let before = text(generator.next() % 5, of: "user:", &generator)
    let after = text(generator.next() % 4, of: "\n\", ", &generator)
    let encoder = JSONEncoder()
    encoder.outputFormatting = generator.next() % 2 == 0 ? [] : .withoutEscapingSlashes
    let json = (try? encoder.encode(secret)).map { String(decoding: $0, as: UTF8.self) } ?? secret
    let unreserved = CharacterSet(
      charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
    return [
      secret, Data((before + secret + after).utf8).base64EncodedString(), json,
      secret.addingPercentEncoding(withAllowedCharacters: unreserved) ?? secret,
      secret.utf8.map { String(format: "%02x", $0) }.joined(),
    ]
  }

  /// Returns what must not be visible of a secret: its lines, and their base64.
  static func traces(_ secret: String) -> [String] {
    let lines = secret.components(separatedBy: .newlines)
      .filter { $0.utf8.count >= 4 && $0.trimmingCharacters(in: .whitespaces).utf8.count >= 4 }
    return lines
      + lines.flatMap { line in
        (0..<3).compactMap { alignment in
          let before = [UInt8](repeating: 0, count: alignment)
          let encoding = Array(Data(before + line.utf8).base64EncodedString().utf8)
          let first = (alignment * 8 + 5) / 6
          let end = (alignment + line.utf8.count) * 8 / 6
          return end - first < 6 ? nil : String(decoding: encoding[first..<end], as: UTF8.self)
        }
      }
  }
}
