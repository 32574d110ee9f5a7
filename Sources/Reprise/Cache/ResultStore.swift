// The seam to the store of earlier results, from which the files of steps are restored.

/// Keeps results of steps with the files that they have made.
///
/// Called on threads that may be blocked.
package protocol ResultStore: Sendable {
  /// Returns the results of a task.
  ///
  /// - Parameter task: What the step does; see `StepTrace.task`.
  /// - Returns: The results, newest first; those that cannot be read are left out.
  func results(of task: String) -> [StoredResult]

  /// Keeps a result.
  ///
  /// - Parameters:
  ///   - result: The result.
  ///   - folder: The absolute path of the folder of the project.
  ///   - isShareable: Whether other machines may have it: not if its files may contain secrets.
  /// - Throws: An error if a file cannot be read, has changed, or cannot be kept. Nothing is kept then.
  func save(_ result: StoredResult, from folder: String, isShareable: Bool) throws

  /// Makes the files of a result.
  ///
  /// What is right already is left alone. Never writes through a link, or outside of the folder.
  ///
  /// - Parameters:
  ///   - result: The result.
  ///   - folder: The absolute path of the folder of the project.
  ///   - removing: The contents of files that are removed, if they still have them.
  /// - Throws: An error if something is missing or in the way. Usually nothing has been changed then.
  func restore(_ result: StoredResult, in folder: String, removing: [String: String]) throws
}

/// A result of a step, with the files that it has made.
package struct StoredResult: Sendable, Codable {
  /// A file, link or empty folder.
  package struct File: Sendable, Codable {
    /// The path, relative to the folder of the project.
    package var path: String
    /// What it is, as in ``FileState``.
    package var content: String
    /// The permissions; of links, nothing.
    package var mode: UInt32
    /// The size in bytes.
    package var size: Int64
    /// The position in the pack of the result; nil for what is kept otherwise.
    package var offset: Int64?
    /// What tells that the kept file is still as it was written; nil if that is not known.
    package var stamp: String?

    package init(path: String, content: String, mode: UInt32, size: Int64) {
      self.path = path
      self.content = content
      self.mode = mode
      self.size = size
    }
  }

  /// The name of the result, unique in its store.
  package var id: String
  /// What the step does.
  package var task: String
  /// What it depends on.
  package var trace: StepTrace
  package var files: [File]
  /// What the step wrote, both streams in the order of their lines, with secrets masked.
  package var log: String?

  package init(id: String, task: String, trace: StepTrace, files: [File], log: String? = nil) {
    self.id = id
    self.task = task
    self.trace = trace
    self.files = files
    self.log = log
  }
}
