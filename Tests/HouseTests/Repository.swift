// Access to the files of this repository.

import Foundation

/// The root folder of the package.
enum Repository {
  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Returns the files in a folder, as sorted paths relative to the root.
  static func paths(below folder: String) -> [String] {
    let base = root.appendingPathComponent(folder).path
    let paths = (try? FileManager.default.subpathsOfDirectory(atPath: base)) ?? []
    return paths.map { folder + "/" + $0 }.sorted()
  }

  /// Returns the contents of a file.
  static func text(of path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }
}
