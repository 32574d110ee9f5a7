// What the clone says of its repository on GitHub: its name, and which actions and workflows are
// its own although they are named as those of others.

extension GitHubFile {
  /// Returns `OWNER/NAME` of the repository that the files were cloned from; nil if that is not
  /// on GitHub.
  static func origin(_ files: (String) -> [UInt8]?) -> String? {
    guard let bytes = files(".git/config") else { return nil }
    var isOrigin = false
    for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline) {
      let text = line.trimmed
      if text.hasPrefix("[") { isOrigin = text == "[remote \"origin\"]" }
      guard isOrigin, text.hasPrefix("url"), let equals = text.firstIndex(of: "=") else { continue }
      let address = text[text.index(after: equals)...].trimmed
      for start in ["https://github.com/", "git@github.com:", "ssh://git@github.com/"]
      where address.hasPrefix(start) {
        var name = String(address.dropFirst(start.count))
        if name.hasSuffix(".git") { name.removeLast(4) }
        return name.split(separator: "/").count == 2 ? name : nil
      }
    }
    return nil
  }

  /// Returns the path in this repository of an action or workflow that is one of its own.
  ///
  /// A name with a path of this repository, at any version, is the file here, with a remark. A path
  /// in a folder into which a step clones this repository is one of the repository.
  ///
  /// - Parameter uses: The value of `uses`.
  /// - Returns: The path, which begins with `./`; nil for those of others.
  func ownPath(_ uses: String) -> String? {
    if uses.isOfRepository {
      let path = String(uses.dropFirst(2))
      for folder in cloneFolders where path.hasPrefix(folder + "/") {
        return "./" + path.dropFirst(folder.count + 1)
      }
      return uses
    }
    guard let origin, uses.hasPrefix(origin + "/"), let mark = uses.lastIndex(of: "@") else {
      return nil
    }
    return "./" + uses[..<mark].dropFirst(origin.count + 1)
  }

  /// The folders into which steps clone this repository.
  private var cloneFolders: [String] {
    let steps = (root["jobs"]?.pairs ?? []).flatMap { $0.value["steps"]?.elements ?? [] }
    return steps.compactMap { step in
      guard step["uses"]?.text?.hasPrefix("actions/checkout@") == true,
        let path = step["with"]?["path"]?.text, step["with"]?["repository"] == nil,
        step["with"]?["ref"] == nil
      else { return nil }
      return path.hasPrefix("./") ? String(path.dropFirst(2)) : path
    }
  }
}
