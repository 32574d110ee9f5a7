// The places in workflow files of what cannot be exported.

import WorkflowFiles
import YAML

/// Finds the keys of steps in the files of a workflow.
///
/// A workflow does not know its lines, because only an export asks for them: the files are parsed
/// again.
struct RefusalPlaces {
  /// A map in a file.
  private struct Place {
    let file: SourceFile
    let node: Node
  }

  /// A workflow of a file: its path, and its map.
  private struct SourceFile {
    let path: String
    let document: Node
    let root: Node
  }

  private let workflow: Workflow
  private let main: SourceFile

  /// Parses the file of a workflow; nil if it has none, or if the file cannot be read any more.
  ///
  /// - Parameter workflow: The workflow.
  init?(_ workflow: Workflow) {
    guard let path = workflow.file, let bytes = try? Workflow.bytes(of: path),
      let root = Document(SourceText(bytes)).root
    else { return nil }
    self.workflow = workflow
    // One of the workflows of a file is known by its name only.
    let part = root["name"]?.text == workflow.name ? nil : root["workflows"]?[workflow.name]
    main = SourceFile(path: path, document: root, root: part ?? root)
  }

  /// Returns refusals with their places, in the order of the file, and each key once.
  ///
  /// Items of a `foreach`, and steps that inherit a key, are refused at the same place.
  func sorted(_ refusals: [ExportRefusal]) -> [ExportRefusal] {
    var files = [main.path: 0]
    let placed = refusals.enumerated().map { offset, refusal in
      var refusal = refusal
      var order = [0, 0, 0, offset]
      if let (path, mark) = place(of: refusal) {
        refusal.place = "\(path):\(mark.line):\(mark.column)"
        order = [files[path] ?? files.count, mark.line, mark.column, offset]
        files[path] = order[0]
      }
      return (refusal: refusal, order: order)
    }
    var seen: Set<String> = []
    return placed.sorted { $0.order.lexicographicallyPrecedes($1.order) }.map(\.refusal)
      .filter { refusal in
        refusal.place.map { seen.insert("\($0) \(refusal.key) \(refusal.reason)").inserted } ?? true
      }
  }

  private func place(of refusal: ExportRefusal) -> (path: String, mark: Mark)? {
    let keys = refusal.key.split(separator: ".").map(String.init)
    var around: [Place] = [Place(file: main, node: main.root)]
    var id: Node?
    switch refusal.subject {
    case .workflow: break
    case .file(let prefix), .step(let prefix):
      let names = prefix.split(separator: "/").map { String($0.prefix { $0 != "[" }) }
      around = steps(names[...], in: around[0]) ?? around
      if case .file = refusal.subject, let file = around.last.flatMap(used) { around = [file] }
      id = around.last?.node["id"]
    }
    for place in around.reversed() {
      if let mark = mark(of: keys[...], in: place.node) { return (place.file.path, mark) }
    }
    return around.last.map { ($0.file.path, id?.mark ?? $0.node.mark) }
  }

  /// Returns the place of a key in maps within maps, as far as they are there.
  private func mark(of keys: ArraySlice<String>, in node: Node) -> Mark? {
    guard let key = keys.first, let pair = node.pair(key) else { return nil }
    return mark(of: keys.dropFirst(), in: pair.value) ?? pair.key.mark
  }

  /// Returns the maps from a workflow to one of its steps, the outermost first.
  private func steps(_ names: ArraySlice<String>, in place: Place) -> [Place]? {
    guard let name = names.first else { return [place] }
    if let found = used(by: place), let inner = steps(names, in: found) { return [place] + inner }
    for list in ["steps", "parallel", "finally"] {
      for node in place.node[list]?.items ?? [] {
        let step = Place(file: place.file, node: node)
        let isNamed = node["id"]?.says(name) == true
        if isNamed, names.count == 1 { return [place, step] }
        // What is not found inside has no map of its own, such as the step that undoes this one.
        if let inner = steps(isNamed ? names.dropFirst() : names, in: step)
          ?? (isNamed ? [step] : nil)
        {
          return [place] + inner
        }
      }
    }
    return nil
  }

  /// Returns the workflow that a step uses; nil if it uses none.
  private func used(by place: Place) -> Place? {
    guard let name = place.node["uses"]?.text else { return nil }
    let parts = name.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    var file = place.file
    if !parts[0].isEmpty {
      let folder = SourceFiles.folder(of: place.file.path)
      let path = SourceFiles.joined(folder, String(parts[0]))
      guard let bytes = try? Workflow.bytes(of: path), let root = Document(SourceText(bytes)).root
      else { return nil }
      file = SourceFile(path: path, document: root, root: root)
    }
    guard parts.count > 1 else { return Place(file: file, node: file.root) }
    return file.document["workflows"]?[String(parts[1])].map { Place(file: file, node: $0) }
  }
}

extension Node {
  /// The value of a key; nil if this is not a map with this key.
  fileprivate subscript(key: String) -> Node? { pair(key)?.value }

  fileprivate func pair(_ key: String) -> Pair? {
    guard case .mapping(let pairs) = content else { return nil }
    return Node.position(of: key, in: pairs).map { pairs[$0] }
  }

  fileprivate var items: [Node] {
    if case .sequence(let nodes) = content { nodes } else { [] }
  }
}
