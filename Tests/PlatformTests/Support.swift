// A folder for the files of one test.

import Foundation

/// A folder that is removed with this value.
final class TemporaryFolder: Sendable {
  let path: String

  init() {
    path = FileManager.default.temporaryDirectory.path + "/reprise-platform-\(UUID().uuidString)"
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Makes a file, and returns its path.
  func file(_ name: String, _ contents: [UInt8]) throws -> String {
    let file = path + "/" + name
    try Data(contents).write(to: URL(fileURLWithPath: file))
    return file
  }
}
