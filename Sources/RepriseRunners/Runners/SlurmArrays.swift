// `SlurmArrays`: which elements of job arrays are which attempts.

import ChildProcesses
import Platform
import Reprise
import Synchronization

/// The job arrays of attempts, each with a folder beside theirs.
///
/// All elements of an array run the same script. It finds the folder of its attempt in the file `folders`, by
/// its index; so do engines. The name of an array is that of its folder, and is unique as a token is: what a
/// scheduler says of an array is never taken for another one's, even if its number is used again.
final class SlurmArrays: Sendable {
  /// A job by the name that it was submitted with, and its index if it is an element of an array.
  struct Element: Hashable, Sendable {
    let name: String
    let index: Int
  }

  /// The file in the folder of an array with the folders of its attempts, one in a line.
  static let listName = "folders"

  private let root: String
  /// The attempts of arrays, by name; none for what is no array of ours.
  private let known = Mutex<[String: [AttemptToken]]>([:])

  /// Creates the value.
  ///
  /// - Parameter root: The folder of all attempts.
  init(in root: String) { self.root = root }

  /// Writes the folder of a new array.
  ///
  /// - Parameters:
  ///   - tokens: The attempts, in the order of their indices.
  ///   - run: Their run, with whose attempts the folder is removed.
  /// - Returns: The name of the array.
  /// - Throws: The system error.
  func make(_ tokens: [AttemptToken], of run: RunID) throws(Errno) -> String {
    let name = AttemptToken(run: run, step: Self.step, generation: 0, attempt: 0).text
    let folder = folder(of: name)
    try makeFolder(folder, permissions: .ownerReadWriteExecute)
    let lines = tokens.map { AttemptFolder(of: $0, in: root).path + "\n" }.joined()
    try writeFile(Array(lines.utf8), to: folder + "/" + Self.listName, overwriting: true)
    known.withLock { $0[name] = tokens }
    return name
  }

  /// No step has a generation of this number.
  private static let step = "array"

  func folder(of name: String) -> String { root + "/" + name }

  /// The attempt that is an element of an array; nil if it is none of ours.
  func token(of element: Element) -> AttemptToken? {
    let tokens = tokens(of: element.name)
    return tokens.indices.contains(element.index) ? tokens[element.index] : nil
  }

  /// The element that an attempt was submitted as, for each time that it was.
  func elements(of token: AttemptToken) -> [Element] {
    guard let run = token.run else { return [] }
    let prefix = "\(run).\(Self.step).0.0."
    return FolderReader.names(in: root).filter { $0.hasPrefix(prefix) }.compactMap { name in
      tokens(of: name).firstIndex(of: token).map { Element(name: name, index: $0) }
    }
  }

  private func tokens(of name: String) -> [AttemptToken] {
    if let tokens = known.withLock({ $0[name] }) { return tokens }
    var tokens: [AttemptToken] = []
    if AttemptToken(name) != nil, let bytes = fileContents(folder(of: name) + "/" + Self.listName) {
      tokens = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        .compactMap { $0.split(separator: "/").last.flatMap { AttemptToken(String($0)) } }
    }
    known.withLock { $0[name] = tokens }
    return tokens
  }

  // MARK: The script

  /// The script of all elements of the array in a folder: it becomes the host of the attempt with its index,
  /// without another process.
  static func script(_ program: String, in folder: String) -> String {
    let host = "exec \(shellQuoted(program)) host"
    return "\(host) --element \"$SLURM_ARRAY_TASK_ID\" --folder \(shellQuoted(folder))"
  }

  // MARK: Numbers

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
