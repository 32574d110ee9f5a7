// Finds the candidate for a "did you mean" suggestion.

/// Returns the candidate most similar to a word, if it is similar enough.
///
/// Similar means an edit distance of at most 2 (insertions, deletions, substitutions and
/// transpositions of adjacent letters) and less than half the length of the word.
///
/// - Parameters:
///   - word: The misspelled word.
///   - candidates: The valid words. Ties are resolved in favor of the same first letter, then in
///     alphabetical order.
/// - Returns: The most similar candidate, or nil.
package func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
  let letters = lowercased(word)
  // A single letter is within the distance of any other, so it must match except for case.
  guard letters.count > 1 else { return candidates.first { $0.lowercased() == word.lowercased() } }
  guard letters.count <= 100 else { return nil }
  let limit = min(2, max(1, (letters.count - 1) / 2))
  var best: (distance: Int, beginning: Int, candidate: String)?
  for candidate in candidates where abs(candidate.utf8.count - letters.count) <= limit {
    let other = lowercased(candidate)
    let distance = editDistance(letters, other, limit: limit)
    let sharesLetters = letters.count > 2 || other.contains { letters.contains($0) }
    guard distance <= limit, sharesLetters else { continue }
    // People rarely misspell the first letter.
    let beginning = other.first == letters.first ? 0 : 1
    let found = (distance, beginning, candidate)
    if let best, best <= found { continue }
    best = found
  }
  return best?.candidate
}

/// The bytes of a word with ASCII letters in lower case; names contain no other letters.
private func lowercased(_ word: String) -> [UInt8] {
  word.utf8.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }
}

/// Returns the restricted Damerau-Levenshtein distance (optimal string alignment).
///
/// - Returns: The distance, or any number above the limit if the distance exceeds it.
private func editDistance(_ left: [UInt8], _ right: [UInt8], limit: Int) -> Int {
  var beforeLast: [Int] = []
  var last = Array(0...right.count)
  for (row, letter) in left.enumerated() {
    var current = [row + 1]
    current.reserveCapacity(right.count + 1)
    for (column, other) in right.enumerated() {
      var cost = min(
        last[column + 1] + 1, current[column] + 1, last[column] + (letter == other ? 0 : 1))
      if row > 0, column > 0, letter == right[column - 1], left[row - 1] == other {
        cost = min(cost, beforeLast[column - 1] + 1)
      }
      current.append(cost)
    }
    // Once two rows exceed the limit, no later row can be within it (two, because of
    // transpositions).
    guard (current.min() ?? 0) <= limit || (last.min() ?? 0) <= limit else { return limit + 1 }
    (beforeLast, last) = (last, current)
  }
  return last[right.count]
}
