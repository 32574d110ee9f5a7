// `ArrayElement`: how the host of an element of a job array finds its attempt.

import ChildProcesses
import Platform
import Reprise

/// An element of a job array, whose host was started in the folder of the array.
///
/// The script of an array is the same for all elements. To look for the folder of the attempt, and to set
/// variables, it would start two programs, which takes longer than the whole host.
package struct ArrayElement {
  /// The folder of its attempt.
  package let folder: String
  private let token: AttemptToken

  /// Finds an element in the list of its array; nil if there is none.
  ///
  /// - Parameters:
  ///   - index: Its index.
  ///   - array: The folder of the array.
  package init?(_ index: Int, of array: String) {
    guard index >= 0, let bytes = fileContents(array + "/" + JobArrays.listName) else {
      return nil
    }
    var lines = bytes[...]
    for _ in 0..<index {
      guard let end = lines.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
      lines = lines[(end + 1)...]
    }
    let folder = String(decoding: lines.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    guard let name = folder.utf8.lastIndex(of: UInt8(ascii: "/")),
      let token = AttemptToken(String(folder[folder.utf8.index(after: name)...]))
    else { return nil }
    (self.folder, self.token) = (folder, token)
  }

  /// Goes to the folder of the attempt, with the marks of its host: all is as in a job of its own then.
  ///
  /// This process must have only one thread yet.
  ///
  /// - Returns: Whether the folder is there.
  package func enter() -> Bool {
    for (name, value) in DetachedHost.variables(named: token.text) {
      setEnvironmentVariable(name, to: value)
    }
    return changeDirectory(to: folder)
  }
}
