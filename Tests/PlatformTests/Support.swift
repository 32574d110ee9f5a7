// A temporary folder for one test.

import Foundation

/// A temporary folder that is removed when this object is deallocated.
final class TemporaryFolder: Sendable {
  let path: String

  init() {
    path = FileManager.default.temporaryDirectory.path + "/reprise-platform-\(UUID().uuidString)"
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Creates a file and returns its path.
  func file(_ name: String, _ contents: [UInt8]) throws -> String {
    let file = path + "/" + name
    try Data(contents).write(to: URL(fileURLWithPath: file))
    return file
  }
}
