// The text of a file: encoding checks and access to lines.

/// The text of a file.
package struct SourceText: Sendable {
  /// The maximum size of a file, in bytes.
  package static let bytesMax = 64 << 20

  /// The bytes, without a byte order mark.
  package let bytes: [UInt8]

  /// Creates a text from the bytes of a file, without its byte order mark.
  ///
  /// - Parameter bytes: The bytes.
  package init(_ bytes: [UInt8]) {
    self.bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
  }

  /// The number of bytes.
  package var size: Int { bytes.count }

  /// Returns whether a text of ASCII characters occurs in this text.
  ///
  /// Linear in the size of the text.
  package func contains(_ part: String) -> Bool {
    let part = Array(part.utf8)
    var rest = bytes[...]
    while let start = rest.firstIndex(of: part[0]) {
      if rest[start...].starts(with: part) { return true }
      rest = rest[(start + 1)...]
    }
    return false
  }

  /// Returns a line without its line break; empty if there is no such line.
  ///
  /// Linear in the size of the text.
  ///
  /// - Parameter number: The number of the line, from 1.
  /// - Returns: The line.
  package func line(_ number: Int) -> String {
    let start = offset(ofLine: number)
    let end = nextBreak(from: start)?.lowerBound ?? bytes.count
    return String(decoding: bytes[start..<end], as: UTF8.self)
  }

  /// Returns several lines without their line breaks.
  ///
  /// Linear in the size of the text, regardless of the number of lines.
  ///
  /// - Parameter numbers: The numbers of the lines, from 1.
  /// - Returns: The lines by number, without those that do not exist.
  package func lines(_ numbers: Set<Int>) -> [Int: String] {
    var found: [Int: String] = [:]
    var start = 0
    var number = 1
    while found.count < numbers.count, start <= bytes.count {
      let lineBreak = nextBreak(from: start)
      if numbers.contains(number) {
        let end = lineBreak?.lowerBound ?? bytes.count
        found[number] = String(decoding: bytes[start..<end], as: UTF8.self)
      }
      guard let lineBreak else { break }
      start = lineBreak.upperBound
      number += 1
    }
    return found
  }

  /// Returns what a closure finds in the first line in which it finds something.
  ///
  /// Linear in the size of the text.
  ///
  /// - Parameters:
  ///   - numbers: The numbers of the lines to search, from 1.
  ///   - find: Returns what it finds in a line, given its number and text without the line break.
  /// - Returns: The first result; nil if there is none.
  func first<Found>(
    inLines numbers: Range<Int>, _ find: (_ number: Int, _ line: String) -> Found?
  ) -> Found? {
    guard !numbers.isEmpty else { return nil }
    var start = offset(ofLine: numbers.lowerBound)
    for number in numbers {
      let lineBreak = nextBreak(from: start)
      let end = lineBreak?.lowerBound ?? bytes.count
      if let found = find(number, String(decoding: bytes[start..<end], as: UTF8.self)) {
        return found
      }
      guard let lineBreak else { break }
      start = lineBreak.upperBound
    }
    return nil
  }

  /// Returns the first error in the encoding or size of the text, or a forbidden character.
  func firstProblem() -> Problem? {
    if bytes.count > Self.bytesMax {
      return Problem(
        kind: .tooLarge(bytes: bytes.count), mark: Mark(line: 1, column: 1), length: 1)
    }
    var position = 0
    while position < bytes.count {
      let byte = bytes[position]
      if byte >= 0x20 && byte < 0x7F || byte == 0x0A || byte == 0x0D || byte == 0x09 {
        position += 1
      } else if byte < 0x80 {
        let name = byte == 0 ? "NUL" : "control character \(hexadecimal(byte))"
        return problem(.character(name), at: position)
      } else if let length = characterLength(at: position) {
        position += length
      } else {
        if byte == 0xC2, let next = bytes[(position + 1)...].first, (0x80...0x9F).contains(next) {
          return problem(.character("control character \(hexadecimal(next))"), at: position)
        }
        return problem(.notUTF8(byte: hexadecimal(byte)), at: position)
      }
    }
    return nil
  }

  private func problem(_ kind: Problem.Kind, at position: Int) -> Problem {
    Problem(kind: kind, mark: mark(at: position), length: 1)
  }

  /// Returns the location of a byte.
  func mark(at position: Int) -> Mark {
    var mark = Mark(line: 1, column: 1)
    var start = 0
    while let lineBreak = nextBreak(from: start), lineBreak.upperBound <= position {
      mark.line += 1
      start = lineBreak.upperBound
    }
    mark.column += String(decoding: bytes[start..<position], as: UTF8.self).unicodeScalars.count
    return mark
  }

  /// Returns the byte offset of each line.
  package func lineStarts() -> [Int] {
    var starts = [0]
    while let lineBreak = nextBreak(from: starts[starts.count - 1]) {
      starts.append(lineBreak.upperBound)
    }
    return starts
  }

  /// Returns the byte offset of a line.
  func offset(ofLine number: Int) -> Int {
    var start = 0
    for _ in 1..<max(1, number) {
      guard let lineBreak = nextBreak(from: start) else { return bytes.count }
      start = lineBreak.upperBound
    }
    return start
  }

  /// Returns the next line break of YAML 1.1, as libyaml counts lines: CR, LF, CR LF, NEL, LS, PS.
  private func nextBreak(from start: Int) -> Range<Int>? {
    var position = start
    while position < bytes.count {
      switch bytes[position] {
      case 0x0A: return position..<position + 1
      case 0x0D:
        return position..<position + (bytes[(position + 1)...].first == 0x0A ? 2 : 1)
      case 0xC2 where bytes[(position + 1)...].first == 0x85: return position..<position + 2
      case 0xE2
      where bytes[(position + 1)...].starts(with: [0x80, 0xA8])
        || bytes[(position + 1)...].starts(with: [0x80, 0xA9]):
        return position..<position + 3
      default: position += 1
      }
    }
    return nil
  }

  /// Returns the length of the well-formed character at a position (Unicode 15, table 3-7), or nil.
  private func characterLength(at position: Int) -> Int? {
    let rest = bytes[position...].prefix(4)
    var decoder = UTF8()
    var iterator = rest.makeIterator()
    guard case .scalarValue(let scalar) = decoder.decode(&iterator) else { return nil }
    // Excludes the C1 control characters except NEL.
    let isAllowed = !(0x80...0x9F ~= scalar.value && scalar.value != 0x85)
    return isAllowed ? UTF8.width(scalar) : nil
  }
}

private func hexadecimal(_ byte: UInt8) -> String {
  "0x" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
}
