// `SlurmArrays`: how Slurm names the elements of job arrays.

/// The elements of Slurm's job arrays, such as `123_4`.
enum SlurmArrays {
  private static let variables = [
    "SLURM_ARRAY_JOB_ID", "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MAX",
    "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_STEP",
  ]

  /// The script of all elements of the array in a folder.
  static func script(_ program: String, in folder: String) -> String {
    JobArrays.script(program, in: folder, index: "$SLURM_ARRAY_TASK_ID", without: variables)
  }

  /// The index in the number of an element, such as 4 in `123_4`; nil for other jobs.
  static func index(in number: some StringProtocol) -> Int? {
    // By bytes: all jobs of the user are listed again and again.
    guard let line = number.utf8.firstIndex(of: UInt8(ascii: "_")) else { return nil }
    return Int(number[number.utf8.index(after: line)...])
  }

  /// Whether a number, or those of several elements such as `123_[0-3,7]`, include an index.
  static func includes(_ index: Int, in numbers: some StringProtocol) -> Bool {
    if self.index(in: numbers) == index { return true }
    guard let start = numbers.firstIndex(of: "["), let end = numbers.firstIndex(of: "]"),
      start < end
    else { return false }
    // After `%` comes how many of them may run at once.
    let list = numbers[numbers.index(after: start)..<end].prefix { $0 != "%" }
    return list.split(separator: ",").contains { part in
      let bounds = part.split(separator: "-").compactMap { Int($0) }
      guard let first = bounds.first, let last = bounds.last, first <= last else { return false }
      return (first...last).contains(index)
    }
  }

  /// Writes the elements of one array in one word each, such as `123_[0,1,7]`.
  static func joined(_ numbers: [String]) -> [String] {
    var words: [String] = []
    var indices: [Substring: [Int]] = [:]
    for number in numbers {
      if let index = index(in: number) {
        indices[number.prefix { $0 != "_" }, default: []].append(index)
      } else {
        words.append(number)
      }
    }
    for (job, indices) in indices.sorted(by: { $0.key < $1.key }) {
      let list = indices.sorted().map(String.init).joined(separator: ",")
      words.append("\(job)_" + (indices.count == 1 ? list : "[\(list)]"))
    }
    return words
  }
}
