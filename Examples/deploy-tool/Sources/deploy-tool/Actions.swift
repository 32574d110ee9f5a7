// The actions that deploy.yaml can call.

import Foundation
import Reprise

/// Uploads a file: an action as a type, whose properties are the arguments under `with`.
struct Upload: Action {
  static let name = "upload"
  let file: String
  let target: String

  func perform(in context: StepContext) async throws -> [String: String] {
    let bytes = try Data(contentsOf: URL(fileURLWithPath: file)).count
    for part in 1...4 {
      try await Task.sleep(for: .milliseconds(50))
      context.report(progress: Double(part) / 4, "\(bytes * part / 4) of \(bytes) bytes")
    }
    return ["url": "https://\(target).example.org/"]
  }
}

extension Engine {
  /// Returns an engine with the actions of this tool.
  static func deploying(in folder: URL) -> Engine {
    nonisolated struct Pack: Decodable { let name: String }
    var engine = Engine()
    engine.register(Upload.self)
    engine.register("pack", taking: Pack.self) { _, pack in
      let file = folder.appendingPathComponent("\(pack.name).tar")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data("what is deployed".utf8).write(to: file)
      return ["file": file.path]
    }
    return engine
  }

  /// Returns the workflow that runs after every deployment, whatever its outcome.
  func cleanup(of folder: URL) throws -> Workflow {
    try Workflow("cleanup", .timeout(.seconds(60))) {
      Step("remove") { _ in try? FileManager.default.removeItem(at: folder) }
    }
  }
}
