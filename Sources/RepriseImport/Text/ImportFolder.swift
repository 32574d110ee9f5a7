// The folder of the file that is imported, as far as a tool looks at it while it reads the file.

/// The files beside the one that is imported.
package struct ImportFolder {
  /// Returns the content of a file, by its path; nil if there is none.
  package var read: (String) -> [UInt8]?
  /// Returns the names in a folder, by its path; those of folders end with a slash.
  package var names: (String) -> [String]
  /// What `uname` prints; empty if it is not known.
  package var system: String
  /// What `uname -m` prints; empty if it is not known.
  package var architecture: String
  /// What has been fetched of other repositories; nil if nothing may be fetched.
  package var others: [OtherFile: OtherFile.Answer]?

  package init(
    read: @escaping (String) -> [UInt8]? = { _ in nil },
    names: @escaping (String) -> [String] = { _ in [] }, system: String = "",
    architecture: String = "", others: [OtherFile: OtherFile.Answer]? = nil
  ) {
    self.read = read
    self.names = names
    self.system = system
    self.architecture = architecture
    self.others = others
  }

  /// Whether there is a file or folder.
  func exists(_ path: String) -> Bool {
    let plain = path.last == "/" ? String(path.dropLast()) : path
    if plain == "." || plain.isEmpty { return true }
    guard let slash = plain.lastIndex(of: "/") else { return has(plain, in: ".") }
    return has(String(plain[plain.index(after: slash)...]), in: String(plain[..<slash]))
  }

  private func has(_ name: String, in folder: String) -> Bool {
    names(folder.isEmpty ? "/" : folder).contains { $0 == name || $0 == name + "/" }
  }

  /// Returns the files that match a pattern of a shell, in order.
  func files(matching pattern: String) -> [String] {
    var found = [""]
    let parts = pattern.split(separator: "/").map(String.init)
    for (position, part) in parts.enumerated() {
      found = found.flatMap { folder in
        guard part.contains(where: { "*?[".contains($0) }) else {
          let path = folder + part
          let isThere = position < parts.count - 1 || exists(path)
          return isThere ? [position < parts.count - 1 ? path + "/" : path] : []
        }
        let isHidden = part.first == "."
        let names = names(folder.isEmpty ? "." : String(folder.dropLast()))
          .map { $0.last == "/" ? String($0.dropLast()) : $0 }
        return names.filter { (isHidden || $0.first != ".") && Self.matches($0[...], part[...]) }
          .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
          .map { position < parts.count - 1 ? folder + $0 + "/" : folder + $0 }
      }
    }
    return found.filter { !$0.isEmpty }
  }

  /// Returns what a command `find FOLDER -type f -name PATTERN` prints; nil for another command.
  func found(_ command: String) -> [String]? {
    var words = command.replacing("'", with: "").replacing("\"", with: "")
      .split(separator: " ").map(String.init)[...]
    guard words.popFirst() == "find" else { return nil }
    var starts: [String] = []
    while let word = words.first, word.first != "-" {
      starts.append(word)
      words.removeFirst()
    }
    var pattern: String?
    var isFile = false
    while let option = words.popFirst() {
      switch (option, words.first) {
      case ("-type", "f"): isFile = true
      case ("-name", let name?) where pattern == nil: pattern = name
      case ("-print", nil): continue
      default: return nil
      }
      words.removeFirst()
    }
    guard isFile || pattern?.contains(".") == true, let pattern,
      !starts.isEmpty, starts.allSatisfy({ exists($0) && !$0.contains("..") && $0.first != "/" })
    else { return nil }
    var files: [String] = []
    var open = starts.map { (path: $0, depth: 0) }
    while let (path, depth) = open.popLast() {
      for name in names(path) {
        let own = path == "." ? "./" + name : "\(path)/\(name)"
        if name.last == "/" {
          guard depth < Self.depthMax else { return nil }
          open.append((String(own.dropLast()), depth + 1))
        } else if Self.matches(name[...], pattern[...]) {
          files.append(own)
        }
        guard files.count + open.count < Self.countMax else { return nil }
      }
    }
    return files.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// How deep folders are searched, and for how many files.
  private static let (depthMax, countMax) = (24, 20_000)

  private static func matches(_ name: Substring, _ pattern: Substring) -> Bool {
    guard let first = pattern.first else { return name.isEmpty }
    let rest = pattern.dropFirst()
    switch first {
    case "*":
      return name.indices.contains { matches(name[$0...], rest) } || matches("", rest)
    case "?": return !name.isEmpty && matches(name.dropFirst(), rest)
    case "[":
      guard let end = rest.firstIndex(of: "]"), let character = name.first else { return false }
      return isOne(character, of: rest[..<end])
        && matches(name.dropFirst(), rest[rest.index(after: end)...])
    default: return name.first == first && matches(name.dropFirst(), rest)
    }
  }

  /// Whether a character is in a set such as `a-z` or `!abc`.
  private static func isOne(_ character: Character, of set: Substring) -> Bool {
    let isNegated = set.first == "!" || set.first == "^"
    let characters = Array(isNegated ? set.dropFirst() : set)
    let isIn = characters.indices.contains { position in
      guard characters[position] == "-", position > 0, position + 1 < characters.count else {
        return characters[position] == character
      }
      return characters[position - 1] <= character && character <= characters[position + 1]
    }
    return isIn != isNegated
  }

  /// The names of architectures in Go.
  private static let goNames = [
    "x86_64": "amd64", "aarch64": "arm64", "arm64": "arm64", "i686": "386", "riscv64": "riscv64",
    "s390x": "s390x", "ppc64le": "ppc64le", "loongarch64": "loong64",
  ]

  /// Returns what a command prints that describes the machine.
  func machine(_ command: String) -> String? {
    // Some ask a shell of their own, and say what is printed without uname.
    var command = command.trimmed[...]
    if command.hasPrefix("sh -c '"), command.hasSuffix("'") {
      command = command.dropFirst(7).dropLast()
    }
    if let or = command.firstRange(of: "||") { command = command[..<or.lowerBound] }
    if let quiet = command.firstRange(of: "2>") { command = command[..<quiet.lowerBound] }
    let text =
      switch command.trimmed {
      case "uname", "uname -s": system
      case "uname -m", "uname -p": architecture
      case "go env GOOS", "go env GOHOSTOS": system.lowercased()
      case "go env GOARCH", "go env GOHOSTARCH": Self.goNames[architecture] ?? ""
      default: ""
      }
    return text.isEmpty ? nil : text
  }
}
