// What steps with `cache: auto` learn from a watch, and what is there now.

import Paths
import Platform
import Workflows

/// The reason why nothing could be learnt, as a clause.
struct NothingLearnt: Error {
  let reason: String
}

/// Where a step learns, and what it does not care about.
struct LearningPlace: Sendable {
  /// The absolute path of the folder of the project.
  let folder: String
  let rule: LearningRule
  /// A hash of the variables that it inherits.
  let environment: String
  private let ignored: FileSearch
  private let outside: [String]

  /// - Throws: ``GlobError`` if a pattern is invalid.
  init(
    _ folder: String, _ rule: LearningRule, _ environment: [String: String],
    hash: (String) -> String
  ) throws {
    self.folder = folder
    self.rule = rule
    self.environment =
      rule.readsEnvironment
      ? hash(
        environment.filter { !InheritedNames.isOfSession($0.key) }.map { "\($0)=\($1)" }
          .sorted().joined(separator: "\0")) : ""
    ignored = try FileSearch(OwnFiles.ofReprise + OwnFiles.ofTools + rule.ignored)
    outside = OwnFiles.foldersOutside(environment)
  }

  /// The folder as far as steps depend on it.
  var shownFolder: String { rule.readsPath ? folder : "" }

  /// Returns a path in the project, relative to it; nil for others.
  func relative(_ path: String) -> String? {
    if path == folder { return "." }
    let prefix = folder == "/" ? folder : folder + "/"
    return path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : nil
  }

  func ignores(_ path: String) -> Bool { ignored.names(path) }

  /// Whether a file outside of the project says nothing about a step.
  func ignores(outside path: String) -> Bool {
    outside.contains { path == $0 || path.hasPrefix($0 + "/") }
  }

  func absolute(_ path: String) -> String { path == "." ? folder : joinedPath(folder, path) }

  /// Returns the names in a folder that count, with marks; see ``ListedName``.
  func names(in path: String) -> Set<String> {
    let folder = absolute(path)
    return Set(
      FolderReader.names(in: folder).compactMap { name in
        let path = LearntFiles.path(of: name, in: path)
        guard !ignores(path), !ignores(path + "/x") else { return nil }
        return ListedName.marked(
          name, try? Stat(at: joinedPath(folder, name), followsLink: false))
      })
  }

  /// What the rule says, as far as it decides what is learnt.
  var ruleText: String {
    "\(rule.ignored) \(rule.readsSystem) \(rule.readsEnvironment) \(rule.readsPath)"
  }

  func mark(of path: String, like known: String?) -> String? {
    guard rule.readsSystem, known?.hasPrefix("folder") != true,
      let state = try? FileState.now(at: path)
    else { return FileState.mark(of: path, isListed: known.map { $0 != "folder" } ?? false) }
    return state.content
  }
}

extension LearntFiles {
  /// Learns from what an attempt has used, which has just ended.
  ///
  /// - Parameters:
  ///   - report: What it has used.
  ///   - place: Where it learns.
  ///   - start: When it started, in nanoseconds since 1970, by the wall clock, as the times of files.
  ///   - isMade: Whether another step makes a file.
  /// - Throws: ``NothingLearnt`` if the report does not describe the attempt for certain.
  init(
    _ report: FileReport, in place: LearningPlace, since start: Int64, isMade: (String) -> Bool
  ) throws(NothingLearnt) {
    folder = place.shownFolder
    environment = place.environment
    rule = place.ruleText
    usesNetwork = report.usesNetwork
    if let note = report.notes.first { throw NothingLearnt(reason: "not all was seen: \(note)") }
    guard !report.uses.isEmpty else {
      throw NothingLearnt(reason: "it has used no file, not even its program")
    }
    for use in report.uses {
      guard let path = place.relative(use.path) else {
        if !place.ignores(outside: use.path) { try learn(outside: use, in: place) }
        continue
      }
      guard !place.ignores(path) else { continue }
      do {
        try learn(use, path, in: place)
      } catch let error as NothingLearnt {
        throw error
      } catch {
        throw NothingLearnt(reason: "\(error)")
      }
    }
    for (folder, names) in listed { listed[folder] = withoutOwn(names, in: folder) }
    for use in report.uses {
      // A folder that it has made itself, perhaps again, is no input.
      guard let path = place.relative(use.path), let names = listed[path],
        let first = use.first,
        use.kinds.isDisjoint(with: [.written, .removed, .folder, .temporary])
      else { continue }
      try expectNoOthers(in: path, names, first, report, place, since: start, isMade)
    }
  }

  /// Checks that no other program has changed the names in a folder since the step has listed it.
  private func expectNoOthers(
    in folder: String, _ names: Set<String>, _ first: FileReport.Attributes, _ report: FileReport,
    _ place: LearningPlace, since start: Int64, _ isMade: (String) -> Bool
  ) throws(NothingLearnt) {
    let path = place.absolute(folder)
    guard (try? Stat(at: path))?.modifiedNanoseconds != first.modified else { return }
    func isYoung(_ name: String) -> Bool {
      (try? Stat(at: joinedPath(path, name), followsLink: false))
        .map { $0.statusChangedNanoseconds >= start } ?? false
    }
    let plain = names.map(ListedName.plain)
    let (known, others) = (
      plain.filter { isMade(Self.path(of: $0, in: folder)) },
      plain.filter { !isMade(Self.path(of: $0, in: folder)) }
    )
    let prefix = path == "/" ? path : path + "/"
    let own: FileReport.Kinds = [.written, .removed, .temporary, .folder, .attributes]
    let isChangedByStep = report.uses.contains { use in
      use.path.hasPrefix(prefix) && !use.path.dropFirst(prefix.count).contains("/")
        && !use.kinds.isDisjoint(with: own)
    }
    guard others.contains(where: isYoung) || !isChangedByStep && !known.contains(where: isYoung)
    else { return }
    throw NothingLearnt(
      reason: "another program has changed the folder \"\(folder)\" while it ran")
  }

  /// Returns the names in a folder without those that the step has made itself.
  private func withoutOwn(_ names: Set<String>, in folder: String) -> Set<String> {
    names.filter { made[Self.path(of: ListedName.plain($0), in: folder)] == nil }
  }

  private mutating func learn(
    _ use: FileReport.Use, _ path: String, in place: LearningPlace
  ) throws {
    let kinds = use.kinds
    if kinds.contains(.changedByOthers) {
      throw NothingLearnt(reason: "another program has changed \"\(path)\" while it ran")
    }
    let state = try FileState.now(at: place.absolute(path))
    if kinds.isDisjoint(with: [.written, .removed, .folder, .temporary]) {
      try expectNoChange(use, path, state)
    }
    if kinds.contains(.written) {
      guard let state else {
        throw NothingLearnt(reason: "\"\(path)\", which it has made, is gone")
      }
      if kinds.contains(.sameContent) {
        used[path] = state
      } else if kinds.contains(.read), use.first?.isFolder != true {
        throw NothingLearnt(reason: "it reads and changes \"\(path)\"")
      } else if !state.isKnown {
        throw NothingLearnt(reason: "it makes \"\(path)\", which is no file, link or folder")
      } else {
        made[path] = state
      }
    } else if kinds.contains(.removed) {
      if state == nil { gone.insert(path) }
    } else if kinds.contains(.folder), let state {
      // It would have made the folder.
      made[path] = state
    } else if let state, !kinds.isDisjoint(with: [.read, .run, .lookedAt, .attributes]) {
      if kinds.contains(.attributes), let mode = use.first?.mode,
        (try? Stat(at: use.path, followsLink: false))?.mode.rawValue != mode
      {
        throw NothingLearnt(reason: "it changes the mode of \"\(path)\"")
      }
      used[path] = state
    } else if state == nil, kinds.contains(.absent), !kinds.contains(.temporary) {
      absent.insert(path)
    }
    if kinds.contains(.listed), state?.content == "folder" {
      listed[path] = place.names(in: path)
    }
  }

  /// Checks that no other program has made or changed a file since the step has used it first.
  private func expectNoChange(
    _ use: FileReport.Use, _ path: String, _ state: FileState?
  ) throws(NothingLearnt) {
    guard let state else { return }
    guard let first = use.first, !use.kinds.contains(.absent) else {
      throw NothingLearnt(reason: "another program has made \"\(path)\" while it ran")
    }
    guard state.content != "folder", !use.kinds.contains(.attributes),
      let now = try? Stat(at: use.path, followsLink: false),
      // A new hard link to it, for example, changes only the time of its status.
      now.modifiedNanoseconds != first.modified || now.size != first.size
        || now.inode.rawValue != first.inode || UInt32(now.mode.rawValue) != first.mode
    else { return }
    throw NothingLearnt(reason: "another program has changed \"\(path)\" while it ran")
  }

  private mutating func learn(
    outside use: FileReport.Use, in place: LearningPlace
  ) throws(NothingLearnt) {
    guard let first = use.first else { return }
    if use.kinds.contains(.changedByOthers) {
      throw NothingLearnt(reason: "\"\(use.path)\" was changed while it ran")
    }
    let known = first.isFolder ? (use.kinds.contains(.listed) ? "folder listed" : "folder") : nil
    outside[use.path] = place.mark(of: use.path, like: known)
  }

  /// Returns the same names as they are now.
  ///
  /// Reads the files whose times have changed. Linear in the number of names.
  func now(in place: LearningPlace) -> LearntFiles {
    var now = LearntFiles(
      folder: place.shownFolder, environment: place.environment, rule: place.ruleText)
    func states(_ known: [String: FileState]) -> [String: FileState] {
      var states: [String: FileState] = [:]
      for (path, state) in known {
        states[path] = try? FileState.now(at: place.absolute(path), like: state)
      }
      return states
    }
    now.used = states(used)
    now.made = states(made)
    func missing(_ names: Set<String>) -> Set<String> {
      names.filter { (try? Stat(at: place.absolute($0), followsLink: false)) == nil }
    }
    now.absent = missing(absent)
    now.gone = missing(gone)
    for folder in listed.keys where (try? Stat(at: place.absolute(folder)))?.type == .directory {
      now.listed[folder] = withoutOwn(place.names(in: folder), in: folder)
    }
    for (path, mark) in outside { now.outside[path] = place.mark(of: path, like: mark) }
    return now
  }
}

extension FileState {
  /// Whether it is a file, a link or a folder.
  fileprivate var isKnown: Bool { content != Self.unknown }
}

/// Which inherited variables say nothing about the result of a step.
enum InheritedNames {
  private static let ofSession: Set<String> = [
    "_", "PWD", "OLDPWD", "SHLVL", "TERM", "COLORTERM", "COLUMNS", "LINES", "WINDOWID", "DISPLAY",
    "WAYLAND_DISPLAY", "TMUX", "TMUX_PANE", "STY", "DBUS_SESSION_BUS_ADDRESS", "GPG_TTY",
    "INVOCATION_ID", "JOURNAL_STREAM", "NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "CLICOLOR",
    "LS_COLORS",
  ]

  /// Whether a variable belongs to the terminal, the session or the run.
  static func isOfSession(_ name: String) -> Bool {
    ofSession.contains(name)
      || ["SSH_", "XDG_SESSION_", "XDG_RUNTIME_", "TERM_", "REPRISE_", "VTE_", "KITTY_", "ITERM_"]
        .contains { name.hasPrefix($0) }
  }
}
