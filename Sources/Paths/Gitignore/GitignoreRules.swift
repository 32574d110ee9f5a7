// The rules of .gitignore files.

/// The rules of one `.gitignore` file for paths below its folder.
package struct GitignoreRules: Sendable, Equatable {
  private let patterns: [GitignorePattern]

  /// Whether there are no rules.
  package var isEmpty: Bool { patterns.isEmpty }

  /// Parses the contents of a file.
  package init(_ contents: some Collection<UInt8>) {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let text = contents.starts(with: mark) ? contents.dropFirst(mark.count) : contents.dropFirst(0)
    patterns = text.split(separator: UInt8(ascii: "\n")).compactMap { line in
      GitignorePattern(line: line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
    }
  }

  /// Returns the result of the last matching pattern.
  ///
  /// - Parameters:
  ///   - path: A path relative to the folder of the file. None of its parent folders is ignored.
  ///   - isFolder: Whether the path is a folder.
  /// - Returns: Whether the path is ignored; nil if no pattern matches.
  package func ignores(_ path: String, isFolder: Bool) -> Bool? {
    guard !patterns.isEmpty else { return nil }
    let bytes = Array(path.utf8)
    return patterns.last { $0.matches(bytes, isFolder: isFolder) }.map { !$0.isNegative }
  }
}

/// The rules that apply in a folder, from its own file up to those of the repository.
package struct GitignoreLayers: Sendable {
  /// The rules of one file, with the path from its folder to the current folder.
  package struct Layer: Sendable, Equatable {
    package let rules: GitignoreRules
    package let prefix: String

    /// Creates a layer.
    package init(rules: GitignoreRules, prefix: String) {
      self.rules = rules
      self.prefix = prefix
    }
  }

  /// The layers, nearest first.
  package private(set) var layers: [Layer] = []

  /// Creates an empty set of rules.
  package init() {}

  /// Adds rules of a folder farther up than the existing layers.
  package mutating func add(_ rules: GitignoreRules?, prefix: String) {
    guard let rules, !rules.isEmpty else { return }
    layers.append(Layer(rules: rules, prefix: prefix))
  }

  /// Returns whether an entry of the folder is ignored, provided that no parent folder is.
  package func ignores(_ name: String, isFolder: Bool) -> Bool {
    for layer in layers {
      let path = joinedPath(layer.prefix, name)
      if let answer = layer.rules.ignores(path, isFolder: isFolder) { return answer }
    }
    return false
  }
}
