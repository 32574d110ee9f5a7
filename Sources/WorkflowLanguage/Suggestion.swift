// Finds what somebody probably meant. Pure.

/// The candidate that is nearest to a word, if any is near enough to have been meant.
///
/// Near is an edit distance of at most 2 (insertions, deletions, replacements and swaps of
/// neighbours), and less than half of the word.
///
/// - Parameters:
///   - word: What was written.
///   - candidates: What could have been meant; of equally near ones the first in
///     alphabetical order is taken.
/// - Returns: The nearest candidate, or nil.
func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
  let letters = Array(word.lowercased())
  // One letter is near to any other.
  guard letters.count > 1 else { return candidates.first { $0.lowercased() == word.lowercased() } }
  let limit = min(2, max(1, (letters.count - 1) / 2))
  var best: (distance: Int, candidate: String)?
  for candidate in candidates where abs(candidate.count - letters.count) <= limit {
    let distance = editDistance(letters, Array(candidate.lowercased()))
    let sharesLetters =
      letters.count > 2 || candidate.lowercased().contains { letters.contains($0) }
    guard distance <= limit, sharesLetters else { continue }
    if let best, (best.distance, best.candidate) <= (distance, candidate) { continue }
    best = (distance, candidate)
  }
  return best?.candidate
}

/// The distance of Damerau and Levenshtein in its restricted form (optimal string alignment).
private func editDistance(_ left: [Character], _ right: [Character]) -> Int {
  var beforeLast: [Int] = []
  var last = Array(0...right.count)
  for (row, letter) in left.enumerated() {
    var current = [row + 1]
    for (column, other) in right.enumerated() {
      var cost = min(
        last[column + 1] + 1, current[column] + 1, last[column] + (letter == other ? 0 : 1))
      if row > 0, column > 0, letter == right[column - 1], left[row - 1] == other {
        cost = min(cost, beforeLast[column - 1] + 1)
      }
      current.append(cost)
    }
    (beforeLast, last) = (last, current)
  }
  return last[right.count]
}
