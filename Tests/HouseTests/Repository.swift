// The files of this repository.

import Foundation

/// The folder of the package.
enum Repository {
  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The files below a folder, as paths from the folder of the package, in order.
  static func paths(below folder: String) -> [String] {
    let base = root.appendingPathComponent(folder).path
    let paths = (try? FileManager.default.subpathsOfDirectory(atPath: base)) ?? []
    return paths.map { folder + "/" + $0 }.sorted()
  }

  /// The content of a file.
  static func text(of path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }
}
