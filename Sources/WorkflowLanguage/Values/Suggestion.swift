// Finds what was probably meant.

/// The candidate that is nearest to a word, if any is near enough to have been meant.
///
/// Near is an edit distance of at most 2 (insertions, deletions, replacements and swaps of
/// neighbours), and less than half of the word.
///
/// - Parameters:
///   - word: What was written.
///   - candidates: What could have been meant; of equally near ones those that begin alike are
///     taken first, then the first in alphabetical order.
/// - Returns: The nearest candidate, or nil.
package func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
  let letters = lowercased(word)
  // One letter is near to any other, and nothing that is not a name is near to one.
  guard letters.count > 1 else { return candidates.first { $0.lowercased() == word.lowercased() } }
  guard letters.count <= 100 else { return nil }
  let limit = min(2, max(1, (letters.count - 1) / 2))
  var best: (distance: Int, beginning: Int, candidate: String)?
  for candidate in candidates where abs(candidate.utf8.count - letters.count) <= limit {
    let other = lowercased(candidate)
    let distance = editDistance(letters, other, limit: limit)
    let sharesLetters = letters.count > 2 || other.contains { letters.contains($0) }
    guard distance <= limit, sharesLetters else { continue }
    // The first letter is the one that is misspelt least often.
    let beginning = other.first == letters.first ? 0 : 1
    let found = (distance, beginning, candidate)
    if let best, best <= found { continue }
    best = found
  }
  return best?.candidate
}

/// The bytes of a word, ASCII letters in lower case: names have no others.
private func lowercased(_ word: String) -> [UInt8] {
  word.utf8.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }
}

/// The distance of Damerau and Levenshtein in its restricted form (optimal string alignment).
///
/// - Returns: The distance, or any number above the limit where it is above that.
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
    // A row whose least cost is too large never leads to less, nor does one behind a swap.
    guard (current.min() ?? 0) <= limit || (last.min() ?? 0) <= limit else { return limit + 1 }
    (beforeLast, last) = (last, current)
  }
  return last[right.count]
}
