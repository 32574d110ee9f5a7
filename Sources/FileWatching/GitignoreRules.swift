// The rules of one .gitignore file. Pure: what the file says comes as text.

/// What one `.gitignore` file says about paths below its folder.
struct GitignoreRules: Sendable, Equatable {
  private let patterns: [GitignorePattern]

  /// Whether nothing is said.
  var isEmpty: Bool { patterns.isEmpty }

  /// Reads the contents of a file.
  init(_ contents: some Collection<UInt8>) {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let text = contents.starts(with: mark) ? contents.dropFirst(mark.count) : contents.dropFirst(0)
    patterns = text.split(separator: UInt8(ascii: "\n")).compactMap { line in
      GitignorePattern(line: line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
    }
  }

  /// What the last pattern that matches says.
  ///
  /// - Parameters:
  ///   - path: A path from the folder of the file, of which no folder is ignored.
  ///   - isFolder: Whether it is that of a folder.
  /// - Returns: Whether it is ignored; nil where no pattern matches.
  func ignores(_ path: String, isFolder: Bool) -> Bool? {
    guard !patterns.isEmpty else { return nil }
    let bytes = Array(path.utf8)
    return patterns.last { $0.matches(bytes, isFolder: isFolder) }.map { !$0.isNegative }
  }
}

/// The rules that hold in one folder, from its own to those of the repository.
struct GitignoreLayers: Sendable {
  /// Rules with the path that leads from their folder to the one in question.
  struct Layer: Sendable, Equatable {
    let rules: GitignoreRules
    let prefix: String
  }

  /// The nearest first.
  private(set) var layers: [Layer] = []

  /// Adds rules that are farther away than those before.
  mutating func add(_ rules: GitignoreRules?, prefix: String) {
    guard let rules, !rules.isEmpty else { return }
    layers.append(Layer(rules: rules, prefix: prefix))
  }

  /// Whether something in the folder is ignored, given that no folder around it is.
  func ignores(_ name: String, isFolder: Bool) -> Bool {
    for layer in layers {
      let path = WatchedTree.join(layer.prefix, name)
      if let answer = layer.rules.ignores(path, isFolder: isFolder) { return answer }
    }
    return false
  }
}
