// The paths of a run whose project was moved.

import Platform

extension RunRecord {
  /// Returns the run with paths in the folder of its project, if that was moved.
  ///
  /// The state directory of a project is in its folder, and moves with it. So if the folder of the run
  /// is gone, looks for it, and for the file of the workflow, below the folder with the state
  /// directory.
  ///
  /// - Parameter directory: The state directory of the run.
  /// - Returns: The run; unchanged if it was not moved, or if nothing is found.
  package func moved(to directory: StateDirectory) -> RunRecord {
    let ending = "/" + StateDirectory.name
    guard !Self.exists(request.directory), directory.path.hasSuffix(ending) else { return self }
    let root = String(directory.path.dropLast(ending.count))
    var old = request.directory
    while old != "/", !old.isEmpty {
      if let moved = moved(from: old, to: root) { return moved }
      old = String(old[..<(old.lastIndex(of: "/") ?? old.startIndex)])
    }
    return self
  }

  /// Returns the run with the paths below a folder moved to another; nil if they do not exist there.
  private func moved(from old: String, to new: String) -> RunRecord? {
    func moved(_ path: String) -> String {
      path == old || path.hasPrefix(old + "/") ? new + path.dropFirst(old.count) : path
    }
    var record = self
    record.request.directory = moved(request.directory)
    guard Self.exists(record.request.directory) else { return nil }
    guard request.workflowFile != nil else { return record }
    record.request.file = moved(request.file)
    return Self.exists(record.request.path) ? record : nil
  }

  private static func exists(_ path: String) -> Bool { mayAccess(path, .existence) }
}
