// Matches names and paths with the tokens of a pattern.

/// A matcher for a sequence of tokens.
///
/// Processes the tokens one by one, maintaining the set of places in the text where the tokens so
/// far can end. There is no backtracking: each token is compared at most once with each byte.
package struct GlobMatch: Sendable, Equatable {
  private let tokens: [GlobToken]
  private let alphabet: GlobAlphabet

  /// Creates a matcher.
  ///
  /// - Parameters:
  ///   - tokens: The tokens of a pattern.
  ///   - alphabet: The definition of a character.
  package init(_ tokens: [GlobToken], of alphabet: GlobAlphabet) {
    self.tokens = tokens
    self.alphabet = alphabet
  }

  /// Returns whether the tokens match a whole text.
  ///
  /// - Parameter text: A name or a path, which need not be valid UTF-8.
  /// - Returns: Whether all tokens match all of the text.
  package func matches(_ text: ArraySlice<UInt8>) -> Bool {
    // Fast path: most texts differ before the first star, where there is only one place.
    var place = text.startIndex
    var rest = tokens[...]
    while let token = rest.first, token.isOneCharacter {
      guard place < text.endIndex, let length = length(of: token, at: place, in: text) else {
        return false
      }
      place += length
      rest.removeFirst()
    }
    if rest.isEmpty { return place == text.endIndex }
    var places = Places(from: place, to: text.endIndex)
    for token in rest {
      advance(&places, by: token, in: text)
      if places.isEmpty { return false }
    }
    return places[text.endIndex]
  }

  private func advance(
    _ places: inout Places, by token: GlobToken, in text: ArraySlice<UInt8>
  ) {
    let slash = UInt8(ascii: "/")
    let first = places.first
    switch token {
    case .byte, .anyCharacter, .oneOf:
      // Iterate backward, so that places inserted in this pass are not processed again.
      for place in (first...places.last).reversed() where places[place] {
        places.remove(place)
        guard place < text.endIndex else { continue }
        if let length = length(of: token, at: place, in: text) { places.insert(place + length) }
      }
    case .anyText:
      for place in first..<text.endIndex where places[place] && text[place] != slash {
        places.insert(place + alphabet.character(at: place, in: text).length)
      }
    case .anyFolders:
      for place in first..<text.endIndex where text[place] == slash { places.insert(place + 1) }
    case .anything:
      for place in first...text.endIndex { places.insert(place) }
    }
    places.narrow(from: first)
  }

  /// Returns the number of bytes that a token consumes at a place, or nil if it does not match.
  private func length(of token: GlobToken, at place: Int, in text: ArraySlice<UInt8>) -> Int? {
    if case .byte(let byte) = token { return text[place] == byte ? 1 : nil }
    guard text[place] != UInt8(ascii: "/") else { return nil }
    let (value, length) = alphabet.character(at: place, in: text)
    if case .oneOf(let set) = token { return set.contains(value) ? length : nil }
    return length
  }
}

extension GlobToken {
  /// Whether it matches exactly one character.
  fileprivate var isOneCharacter: Bool {
    switch self {
    case .byte, .anyCharacter, .oneOf: true
    case .anyText, .anyFolders, .anything: false
    }
  }
}

/// A set of places between the bytes of a text.
private struct Places {
  private let start: Int
  private var isIn: [Bool]
  /// A lower bound of the set.
  private(set) var first: Int
  /// An upper bound of the set.
  private(set) var last: Int

  /// Creates a set that contains the first place of a range.
  init(from start: Int, to end: Int) {
    self.start = start
    isIn = [Bool](repeating: false, count: end - start + 1)
    isIn[0] = true
    first = start
    last = start
  }

  var isEmpty: Bool { first > last }

  subscript(_ place: Int) -> Bool { isIn[place - start] }

  mutating func insert(_ place: Int) {
    isIn[place - start] = true
    last = max(last, place)
  }

  mutating func remove(_ place: Int) { isIn[place - start] = false }

  /// Tightens the bounds.
  ///
  /// - Parameter first: A lower bound of the set.
  mutating func narrow(from first: Int) {
    self.first = first
    while self.first <= last, !isIn[self.first - start] { self.first += 1 }
    while last >= self.first, !isIn[last - start] { last -= 1 }
  }
}
