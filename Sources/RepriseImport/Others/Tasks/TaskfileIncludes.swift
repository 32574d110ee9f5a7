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
    /// The variables that the includes of its file set, and those of its file after them.
    let variables: [SourceNode.Pair]
  }

  private static let depthMax = 8
  private static let countMax = 100
  private static let names = ["Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml"]

  private(set) var tasks: [Task] = []
  /// The files that are included.
  private(set) var files: [SourceNode] = []
  /// The variables of all files, and those that the includes set.
  private(set) var variables: [(pair: SourceNode.Pair, isEnvironment: Bool)] = []
  /// The includes that could not be read, each with its line.
  private(set) var missing: [(line: Int, text: String)] = []
  private let content: (String) -> [UInt8]?
  private var count = 0

  init(_ root: SourceNode, files: @escaping (String) -> [UInt8]?) {
    content = files
    read(root, Place())
  }

  /// Where a file is included.
  private struct Place {
    var prefix = ""
    var folder: String?
    /// The folder of the file, with a slash.
    var base = ""
    var hidden: [String] = []
    /// The variables that the includes set.
    var variables: [SourceNode.Pair] = []
    var depth = 0
  }

  private mutating func read(_ root: SourceNode, _ place: Place) {
    for pair in root["env"]?.pairs ?? [] { variables.append((pair, true)) }
    for pair in root["vars"]?.pairs ?? [] { variables.append((pair, false)) }
    for pair in root["tasks"]?.pairs ?? [] {
      guard let name = pair.key.text, !place.hidden.contains(name) else { continue }
      let own = place.depth == 0 ? [] : root["vars"]?.pairs ?? []
      tasks.append(
        Task(
          name: place.prefix + name, node: pair.value, prefix: place.prefix, folder: place.folder,
          file: root, variables: place.variables + own))
    }
    for pair in root["includes"]?.pairs ?? [] {
      include(pair, place)
    }
  }

  private mutating func include(_ pair: SourceNode.Pair, _ place: Place) {
    let name = pair.key.text ?? ""
    let line = pair.key.mark.line
    let value = pair.value
    guard let path = value.text ?? value["taskfile"]?.text, !path.contains("{{"),
      value["dir"]?.text?.contains("{{") != true, place.depth < Self.depthMax,
      count < Self.countMax
    else { return missing.append((line, "includes: \(name)")) }
    guard let (root, file) = file(place.base + path) else {
      if value["optional"]?.boolean != true {
        missing.append(
          (line, "includes: import \(name) by itself: there is no \(place.base + path)"))
      }
      return
    }
    value["optional"]?.accept()
    value["aliases"]?.accept()
    count += 1
    files.append(root)
    let own = value["dir"]?.text.map { $0 == "." ? "" : $0 } ?? ""
    let folder = [place.folder ?? "", own].filter { !$0.isEmpty }.joined(separator: "/")
    read(
      root,
      Place(
        prefix: value["flatten"]?.boolean == true ? place.prefix : "\(place.prefix)\(name):",
        folder: folder.isEmpty ? nil : folder, base: file, hidden: value["excludes"]?.texts ?? [],
        variables: place.variables + (value["vars"]?.pairs ?? []), depth: place.depth + 1))
  }

  /// Returns a file, and its folder with a slash.
  private func file(_ path: String) -> (root: SourceNode, folder: String)? {
    var plain = path[...]
    while plain.hasPrefix("./") { plain = plain.dropFirst(2) }
    while plain.last == "/" { plain = plain.dropLast() }
    let isFile = plain.hasSuffix(".yml") || plain.hasSuffix(".yaml")
    for candidate in isFile ? [String(plain)] : Self.names.map({ "\(plain)/\($0)" }) {
      guard let bytes = content(candidate) else { continue }
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
