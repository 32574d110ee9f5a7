// Dependency files: the rules of a makefile in which compilers list the files that they have read.

import Paths
import Platform
import Workflows

/// The files that a dependency file lists.
///
/// The format is that of `gcc -MD`: `target: file file`, with a backslash at the end of a line that
/// continues, and `\\ `, `\\#` and `$$` for a space, a `#` and a `$` in a name.
struct DependencyFile: Equatable {
  /// The maximum size of a dependency file in bytes.
  static let bytesMax = 16 << 20

  /// The files after the colons of all rules, each once, in order.
  private(set) var files: [String] = []
  /// What is wrong with the contents, as a clause; nil for rules and comments only.
  private(set) var problem: String?

  /// Parses the contents of a file; linear in its size.
  init(_ bytes: some Sequence<UInt8>) {
    var reader = Reader(bytes)
    var seen: Set<String> = []
    var isAfterColon = false
    var target: String?
    func endLine() {
      guard let target, !isAfterColon else { return }
      problem = problem ?? "there is no colon after \"\(target)\": it has no rule \"target: file\""
    }
    while let word = reader.next() {
      switch word {
      case .lineEnd:
        endLine()
        (isAfterColon, target) = (false, nil)
      case .colon: isAfterColon = true
      case .name(let bytes):
        guard let name = String(validating: bytes, as: UTF8.self) else {
          let name = String(decoding: bytes, as: UTF8.self)
          problem = problem ?? "the name \"\(name)\" is not UTF-8"
          continue
        }
        if !isAfterColon { target = target ?? name }
        if isAfterColon, seen.insert(name).inserted { files.append(name) }
      }
    }
    endLine()
    if reader.isJSON { problem = "it is JSON instead of rules \"target: file\"" }
  }

  private enum Word: Equatable {
    case name([UInt8])
    case colon
    case lineEnd
  }

  private struct Reader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: some Sequence<UInt8>) {
      // A carriage return before a line feed is not part of a name.
      self.bytes = bytes.filter { $0 != UInt8(ascii: "\r") }
    }

    /// Whether the whole contents are JSON; only read as such if they begin like it.
    var isJSON: Bool {
      guard let first = bytes.first(where: { !Self.endsName($0) }), "{[\"".utf8.contains(first)
      else {
        return false
      }
      return (try? Value(json: String(decoding: bytes, as: UTF8.self))) != nil
    }

    private func byte(_ offset: Int) -> UInt8? {
      position + offset < bytes.count ? bytes[position + offset] : nil
    }

    private static func isSpace(_ byte: UInt8?) -> Bool {
      byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }

    private static func endsName(_ byte: UInt8?) -> Bool {
      byte == nil || byte == UInt8(ascii: "\n") || isSpace(byte)
    }

    mutating func next() -> Word? {
      // A comment is a whole line, as in the files of rustc: # is a character of names elsewhere.
      if byte(0) == UInt8(ascii: "#"), position == 0 || bytes[position - 1] == UInt8(ascii: "\n") {
        while let next = byte(0), next != UInt8(ascii: "\n") { position += 1 }
      }
      while true {
        guard let first = byte(0) else { return nil }
        if Self.isSpace(first) {
          position += 1
        } else if first == UInt8(ascii: "\\"), byte(1) == UInt8(ascii: "\n") {
          position += 2
        } else {
          break
        }
      }
      if byte(0) == UInt8(ascii: "\n") {
        position += 1
        return .lineEnd
      }
      if byte(0) == UInt8(ascii: ":"), Self.endsName(byte(1)) {
        position += 1
        return .colon
      }
      return .name(name())
    }

    private mutating func name() -> [UInt8] {
      var name: [UInt8] = []
      while let next = byte(0), !Self.endsName(next) {
        if next == UInt8(ascii: ":"), Self.endsName(byte(1)) { break }
        if next == UInt8(ascii: "$"), byte(1) == next {
          name.append(next)
          position += 2
          continue
        }
        guard next == UInt8(ascii: "\\") else {
          name.append(next)
          position += 1
          continue
        }
        if byte(1) == UInt8(ascii: "\n") { break }
        var count = 1
        while byte(count) == next { count += 1 }
        let escaped = byte(count)
        // Before a space or #, two backslashes mean one, and one more escapes it.
        guard Self.isSpace(escaped) || escaped == UInt8(ascii: "#") else {
          let isColon =
            count == 1 && escaped == UInt8(ascii: ":") && !Self.endsName(byte(count + 1))
          name += Array(repeating: next, count: isColon ? 0 : count)
          position += count
          if isColon {
            name.append(UInt8(ascii: ":"))
            position += 1
          }
          continue
        }
        name += Array(repeating: next, count: count / 2)
        position += count
        guard count % 2 == 1, let escaped else { continue }
        name.append(escaped)
        position += 1
      }
      return name
    }
  }
}

extension LocalExecutor {
  /// Returns hashes of the contents of the files that a dependency file lists.
  ///
  /// - Parameters:
  ///   - path: The path of the dependency file, relative to the last of the directories.
  ///   - directories: Where the step runs: each directory is relative to the previous one.
  /// - Returns: The hashes by path, without files that do not exist; nil if there is no such
  ///   dependency file. What is no regular file has an empty hash.
  /// - Throws: ``FailureReason`` if a file cannot be read, or if the dependency file has no rules.
  public func hashes(
    ofFilesListedIn path: String, in directories: [String]
  ) throws -> [String: String]? {
    let folder = directories.reduce(directory, resolvedDirectory) ?? "."
    // Hashing it first refuses what is not a regular file.
    guard try contentHash(ofFile: joinedPath(folder, path)) != nil,
      let bytes = fileContents(joinedPath(folder, path), upTo: DependencyFile.bytesMax + 1)
    else { return nil }
    guard bytes.count <= DependencyFile.bytesMax else {
      throw FailureReason.notStarted(
        "the depfile \"\(path)\" has more than \(DependencyFile.bytesMax >> 20) MiB")
    }
    let listed = DependencyFile(bytes)
    if let problem = listed.problem {
      throw FailureReason.notStarted("the depfile \"\(path)\" cannot be used: \(problem)")
    }
    var hashes: [String: String] = [:]
    for file in listed.files {
      let full = file.hasPrefix("/") ? file : joinedPath(folder, file)
      guard let type = (try? Stat(at: full))?.type, type != .regular else {
        hashes[file] = try contentHash(ofFile: full)
        continue
      }
      hashes[file] = ""
    }
    return hashes
  }
}
