// `LearntFiles`: what a watched step has depended on, and what it has made.

import Platform

/// What a step with `cache: auto` has used and made, as its watch has seen it.
///
/// Paths are relative to the folder of the project, except for those outside.
struct LearntFiles: Sendable, Equatable, Codable {
  /// The folder of the project.
  var folder: String
  /// A hash of the variables that it inherits.
  var environment: String
  /// What the rule said; nil in what an earlier version has learnt.
  var rule: String?
  /// The files that it has read or looked at.
  var used: [String: FileState] = [:]
  /// The names that it has looked for and not found.
  var absent: Set<String> = []
  /// The names that it has removed.
  var gone: Set<String> = []
  /// The names in the folders that it has listed, without those that it has made itself, each with a mark of
  /// its kind; see ``ListedName``.
  var listed: [String: Set<String>] = [:]
  /// The files outside of the project that it has used.
  var outside: [String: String] = [:]
  /// The files that it has made.
  var made: [String: FileState] = [:]
  /// Whether it has connected to an address of the network.
  var usesNetwork = false

  /// Returns the reasons why what a step depends on is not as it was.
  ///
  /// - Parameters:
  ///   - now: The same names as they are now; those that are not there are missing.
  ///   - isMade: Whether another step makes a file, which says nothing about a folder that it is in.
  /// - Returns: The reasons, as sentences without a period.
  func inputDifferences(to now: LearntFiles, isMade: (String) -> Bool) -> [String] {
    var reasons: [String] = []
    if folder != now.folder { reasons.append("the project is in another folder") }
    if rule != now.rule { reasons.append("its \"cache\" has changed") }
    if environment != now.environment {
      reasons.append("the variables that it inherits have changed")
    }
    reasons += Self.changes("the input", used, now.used)
    reasons += absent.subtracting(now.absent).sorted().map {
      "\"\($0)\", which it has looked for, is there now"
    }
    reasons += listed.keys.sorted().flatMap { Self.changes(in: $0, listed, now.listed, isMade) }
    reasons += outside.keys.sorted().compactMap { path in
      outside[path] == now.outside[path] ? nil : "\"\(path)\" has changed"
    }
    return reasons
  }

  /// Returns the reasons why what a step has made is not as it was.
  func outputDifferences(to now: LearntFiles) -> [String] {
    Self.changes("the output", made, now.made)
      + gone.subtracting(now.gone).sorted().map {
        "\"\($0)\", which it has removed, is there again"
      }
  }

  private static func changes(
    _ what: String, _ then: [String: FileState], _ now: [String: FileState]
  ) -> [String] {
    then.keys.sorted().compactMap { path in
      guard let state = now[path] else { return "\(what) \"\(path)\" is gone" }
      return state == then[path] ? nil : "\(what) \"\(path)\" has changed"
    }
  }

  /// Returns the path of a name in a folder of the project, which is `.` itself.
  static func path(of name: String, in folder: String) -> String {
    folder == "." ? name : folder + "/" + name
  }

  private static func changes(
    in folder: String, _ then: [String: Set<String>], _ now: [String: Set<String>],
    _ isMade: (String) -> Bool
  ) -> [String] {
    guard let names = now[folder] else { return ["the folder \"\(folder)\" is gone"] }
    let before = then[folder] ?? []
    var told: Set<String> = []
    return names.symmetricDifference(before).sorted().compactMap { mark in
      let name = ListedName.plain(mark)
      guard !isMade(path(of: name, in: folder)), told.insert(name).inserted else { return nil }
      func has(_ marks: Set<String>) -> Bool { marks.contains { ListedName.plain($0) == name } }
      if has(before), has(names) {
        return "\"\(name)\" in the folder \"\(folder)\" is of another kind now"
      }
      return "the folder \"\(folder)\" "
        + (has(before) ? "does not have" : "has") + " \"\(name)\" "
        + (has(before) ? "any more" : "now")
    }
  }
}

extension StepTrace {
  /// The files that a step with `cache: auto` has made, relative to the project.
  package var filesLearnt: [String] { (learnt?.made ?? [:]).keys.map(\.self) }

  /// Whether a change of a file, or its appearance, matters to a step with `cache: auto`; of one of which
  /// nothing is known, any file does.
  package func isAffected(by path: String) -> Bool {
    guard let learnt else { return true }
    if learnt.used[path] != nil || learnt.absent.contains(path) { return true }
    let slash = path.lastIndex(of: "/")
    let names = learnt.listed[slash.map { String(path[..<$0]) } ?? "."]
    let name = String(path[(slash.map(path.index(after:)) ?? path.startIndex)...])
    return names.map { names in !names.contains { ListedName.plain($0) == name } } ?? false
  }
}

extension StepMemory {
  /// Returns the files that steps with `cache: auto` have made, and the folders that they are in, relative to
  /// the project.
  ///
  /// - Parameter others: The ids of the steps that do not count.
  /// - Returns: Their paths.
  func filesMade(without others: Set<String> = []) -> Set<String> {
    var made: Set<String> = []
    let traces = recallAll().filter { !others.contains($0.key) }
    for path in traces.values.flatMap(\.filesLearnt) {
      var path = path[...]
      // The folders above one that is known are known, too.
      while made.insert(String(path)).inserted, let slash = path.lastIndex(of: "/") {
        path = path[..<slash]
      }
    }
    return made
  }
}

/// A name in a listed folder with a mark of its kind: listing a folder returns the kinds, too.
enum ListedName {
  /// Returns the name with the mark.
  ///
  /// Names that are not ASCII are compared byte by byte, unlike text: a file system has two names for the two
  /// forms of "é".
  static func marked(_ name: String, _ status: Stat?) -> String {
    let text = name.utf8.allSatisfy { $0 < 0x80 } ? name : escaped(name)
    return switch status?.type {
    case .directory?: text + "/"
    case .regular?: text
    case .symbolicLink?: text + "//"
    default: text + "///"
    }
  }

  /// Returns the name of a marked one.
  static func plain(_ marked: String) -> String {
    let text = marked.prefix { $0 != "/" }
    guard text.first == "\u{1}" else { return String(text) }
    var bytes: [UInt8] = []
    var rest = text.dropFirst()
    while rest.count >= 2 {
      bytes.append(UInt8(rest.prefix(2), radix: 16) ?? 0)
      rest = rest.dropFirst(2)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func escaped(_ name: String) -> String {
    "\u{1}" + name.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
