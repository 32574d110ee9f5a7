// The Taskfiles that a Taskfile includes, whose tasks have the name of the include before theirs.

import YAML

/// The tasks of a Taskfile and of those that it includes.
struct TaskfileIncludes {
  /// A task with its place.
  struct Task {
    /// Its name, with those of the includes before it.
    let name: String
    let node: SourceNode
    /// The names of the includes, each followed by a colon.
    let prefix: String
    /// The folder in which its commands run, unless it is that of the file.
    let folder: String?
    /// The file that it is from.
    let file: SourceNode
  }

  private static let depthMax = 8
  private static let countMax = 100
  private static let names = ["Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml"]

  private(set) var tasks: [Task] = []
  /// The variables of all files, and those that the includes set.
  private(set) var variables: [(pair: SourceNode.Pair, isEnvironment: Bool)] = []
  /// The includes that could not be read, each with its line.
  private(set) var missing: [(line: Int, text: String)] = []
  private let files: (String) -> [UInt8]?
  private var count = 0

  init(_ root: SourceNode, files: @escaping (String) -> [UInt8]?) {
    self.files = files
    read(root, prefix: "", folder: nil, base: "", hidden: [], depth: 0)
  }

  private mutating func read(
    _ root: SourceNode, prefix: String, folder: String?, base: String, hidden: [String], depth: Int
  ) {
    for pair in root["env"]?.pairs ?? [] { variables.append((pair, true)) }
    for pair in root["vars"]?.pairs ?? [] { variables.append((pair, false)) }
    for pair in root["tasks"]?.pairs ?? [] {
      guard let name = pair.key.text, !hidden.contains(name) else { continue }
      tasks.append(
        Task(name: prefix + name, node: pair.value, prefix: prefix, folder: folder, file: root))
    }
    for pair in root["includes"]?.pairs ?? [] {
      include(pair, prefix: prefix, folder: folder, base: base, depth: depth)
    }
  }

  private mutating func include(
    _ pair: SourceNode.Pair, prefix: String, folder: String?, base: String, depth: Int
  ) {
    let name = pair.key.text ?? ""
    let line = pair.key.mark.line
    let value = pair.value
    guard let path = value.text ?? value["taskfile"]?.text, !path.contains("{{"),
      value["dir"]?.text?.contains("{{") != true, depth < Self.depthMax,
      count < Self.countMax
    else { return missing.append((line, "includes: \(name)")) }
    guard let (root, file) = file(base + path) else {
      if value["optional"]?.boolean != true {
        missing.append((line, "includes: import \(name) by itself: there is no \(base + path)"))
      }
      return
    }
    count += 1
    // The variables of an include take precedence over those of its file.
    for pair in value["vars"]?.pairs ?? [] { variables.append((pair, false)) }
    let own = value["dir"]?.text.map { $0 == "." ? "" : $0 } ?? ""
    let inner = [folder ?? "", own].filter { !$0.isEmpty }.joined(separator: "/")
    read(
      root, prefix: value["flatten"]?.boolean == true ? prefix : "\(prefix)\(name):",
      folder: inner.isEmpty ? nil : inner, base: file, hidden: value["excludes"]?.texts ?? [],
      depth: depth + 1)
  }

  /// Returns a file, and its folder with a slash.
  private func file(_ path: String) -> (root: SourceNode, folder: String)? {
    var plain = path[...]
    while plain.hasPrefix("./") { plain = plain.dropFirst(2) }
    while plain.last == "/" { plain = plain.dropLast() }
    let isFile = plain.hasSuffix(".yml") || plain.hasSuffix(".yaml")
    for candidate in isFile ? [String(plain)] : Self.names.map({ "\(plain)/\($0)" }) {
      guard let bytes = files(candidate) else { continue }
      let document = Document(SourceText(bytes))
      guard document.problems.isEmpty, let root = document.root else { return nil }
      let end = candidate.lastIndex(of: "/").map { candidate.index(after: $0) }
      return (
        SourceNode(root, file: candidate), String(candidate[..<(end ?? candidate.startIndex)])
      )
    }
    return nil
  }
}
