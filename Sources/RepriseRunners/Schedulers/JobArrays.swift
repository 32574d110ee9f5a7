// `JobArrays`: which elements of job arrays are which attempts.

import ChildProcesses
import Platform
import Reprise
import Synchronization

/// The job arrays of attempts, each with a folder beside theirs.
///
/// All elements of an array run the same script. The host finds the folder of its attempt in the file
/// `folders`, by its index; so do engines. The name of an array is that of its folder, and is unique as a token is: what a
/// scheduler says of an array is never taken for another one's, even if its number is used again.
final class JobArrays: Sendable {
  /// A job by the name that it was submitted with, and its index if it is an element of an array.
  struct Element: Hashable, Sendable {
    let name: String
    /// It counts from 0, also where those of the scheduler count from 1.
    let index: Int
  }

  /// The file in the folder of an array with the folders of its attempts, one in a line.
  static let listName = "folders"

  private let root: String
  private let random: any RandomSource
  /// The attempts of arrays, by name; none for what is no array of ours.
  private let known = Mutex<[String: [AttemptToken]]>([:])

  /// Creates the value; nil if a path in the folder cannot be a line of a file.
  ///
  /// - Parameters:
  ///   - root: The folder of all attempts.
  ///   - random: What makes the names unique.
  init?(in root: String, random: any RandomSource = SystemRandomSource()) {
    guard !root.contains("\n") else { return nil }
    (self.root, self.random) = (root, random)
  }

  /// Writes the folder of a new array.
  ///
  /// - Parameters:
  ///   - tokens: The attempts, in the order of their indices.
  ///   - run: Their run, with whose attempts the folder is removed.
  /// - Returns: The name of the array.
  /// - Throws: ``RunnerFailure/neverBegun(_:)`` if it cannot be written.
  func make(_ tokens: [AttemptToken], of run: RunID) throws(RunnerFailure) -> String {
    let token = AttemptToken(
      run: run, step: Self.step, generation: 0, attempt: 0, random: random.next())
    let name = token.text
    let folder = folder(of: name)
    let lines = tokens.map { AttemptFolder(of: $0, in: root).path + "\n" }.joined()
    do throws(Errno) {
      try makeFolder(folder, permissions: .ownerReadWriteExecute)
      try writeFile(Array(lines.utf8), to: folder + "/" + Self.listName, overwriting: true)
    } catch {
      throw .neverBegun("cannot write the list of a job array: \(error)")
    }
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

  /// The script of all elements of the array in a folder: it becomes the host of the attempt with its index,
  /// without another process.
  ///
  /// - Parameters:
  ///   - program: The program of the host.
  ///   - folder: The folder of the array.
  ///   - index: What a shell expands to the index, from 0.
  ///   - variables: The variables of an element, which steps do not see: equal steps may be jobs of
  ///     their own.
  /// - Returns: Its text, in one line.
  static func script(
    _ program: String, in folder: String, index: String, without variables: [String]
  ) -> String {
    "element=\(index); unset \(variables.joined(separator: " ")); "
      + "exec \(shellQuoted(program)) host --element \"$element\" --folder \(shellQuoted(folder))"
  }
}
