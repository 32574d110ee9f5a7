// The rules of one .gitignore file. Pure: what the file says comes as text.

/// What one `.gitignore` file says about paths below its folder.
package struct GitignoreRules: Sendable, Equatable {
  private let patterns: [GitignorePattern]

  /// Whether nothing is said.
  package var isEmpty: Bool { patterns.isEmpty }

  /// Reads the contents of a file.
  package init(_ contents: some Collection<UInt8>) {
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
  package func ignores(_ path: String, isFolder: Bool) -> Bool? {
    guard !patterns.isEmpty else { return nil }
    let bytes = Array(path.utf8)
    return patterns.last { $0.matches(bytes, isFolder: isFolder) }.map { !$0.isNegative }
  }
}

/// The rules that hold in one folder, from its own to those of the repository.
package struct GitignoreLayers: Sendable {
  /// Rules with the path that leads from their folder to the one in question.
  package struct Layer: Sendable, Equatable {
    package let rules: GitignoreRules
    package let prefix: String

    /// Places rules.
    package init(rules: GitignoreRules, prefix: String) {
      self.rules = rules
      self.prefix = prefix
    }
  }

  /// The nearest first.
  package private(set) var layers: [Layer] = []

  /// No rules.
  package init() {}

  /// Adds rules that are farther away than those before.
  package mutating func add(_ rules: GitignoreRules?, prefix: String) {
    guard let rules, !rules.isEmpty else { return }
    layers.append(Layer(rules: rules, prefix: prefix))
  }

  /// Whether something in the folder is ignored, given that no folder around it is.
  package func ignores(_ name: String, isFolder: Bool) -> Bool {
    for layer in layers {
      let path = joinedPath(layer.prefix, name)
      if let answer = layer.rules.ignores(path, isFolder: isFolder) { return answer }
    }
    return false
  }
}
