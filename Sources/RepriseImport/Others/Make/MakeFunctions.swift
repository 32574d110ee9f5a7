// The functions of make, for values that are known.

extension MakeVariables {
  /// Returns the value of a function; nil if there is none of this name.
  ///
  /// - Throws: ``Untranslatable`` if it needs a value that is not known.
  func function(
    _ name: String, _ text: Substring, _ scope: MakeScope
  ) throws(Untranslatable) -> ShellText? {
    switch name {
    case "shell": return try shell(text, scope)
    case "if", "or", "and": return try conditional(name, Self.arguments(text), scope)
    case "foreach": return try loop(Self.arguments(text), scope)
    case "call": return try call(Self.arguments(text), scope)
    case "strip":
      let value = try expanded(text, scope)
      guard let known = value.known else { return try stripped(value, scope) }
      return ShellText(known.words.joined(separator: " "))
    case "error", "eval", "file", "guile", "load":
      throw Untranslatable("$(\(name) \(text.prefix(40)))")
    case "info", "warning":
      findings.remark(.note, 0, "the message of $(\(name) …) is left out")
      return ShellText()
    case "origin", "flavor", "value":
      throw Untranslatable("the function $(\(name) …)")
    default: break
    }
    guard let count = Self.counts[name] else { return nil }
    let given = Self.arguments(text, count)
    guard given.count == count else {
      throw Untranslatable("$(\(name) …) with \(given.count) arguments")
    }
    var words: [String] = []
    for argument in given { words.append(try known(argument, scope)) }
    if name == "notdir", scope.isScript, words[0].trimmed == Self.here {
      return ShellText(part: .shell("$(basename \"${\(Self.hereVariable)}\")"))
    }
    try checkFolder(name, words)
    return ShellText(try textFunction(name, words))
  }

  /// The numbers of arguments.
  private static let counts = [
    "subst": 3, "patsubst": 3, "findstring": 2, "filter": 2, "filter-out": 2, "sort": 1,
    "word": 2, "wordlist": 3, "words": 1, "firstword": 1, "lastword": 1, "dir": 1, "notdir": 1,
    "suffix": 1, "basename": 1, "addsuffix": 2, "addprefix": 2, "join": 2, "wildcard": 1,
    "abspath": 1, "realpath": 1,
  ]

  /// Splits at commas outside of references and parentheses; the last argument keeps its commas.
  static func arguments(_ text: Substring, _ max: Int = .max) -> [Substring] {
    var parts: [Substring] = []
    var start = text.startIndex
    var depth = 0
    for position in text.indices where parts.count + 1 < max {
      switch text[position] {
      case "(", "{": depth += 1
      case ")", "}": depth -= 1
      case "," where depth == 0:
        parts.append(text[start..<position])
        start = text.index(after: position)
      default: break
      }
    }
    return parts + [text[start...]]
  }

  /// Checks that a function needs no part of the path of the folder, which is not known now.
  private func checkFolder(_ name: String, _ words: [String]) throws(Untranslatable) {
    let last = words[words.count - 1]
    if name == "realpath" {
      for path in last.words.map(MakePattern.absolute)
      where !path.hasPrefix(Self.here) || path.contains("..") {
        throw Untranslatable("$(realpath \(path))")
      }
    }
    guard last.contains(Self.here) else { return }
    let isFine: Bool
    switch name {
    case "dir", "notdir", "suffix", "basename", "wildcard", "abspath", "realpath":
      isFine = last.words.allSatisfy { $0 != Self.here || name == "abspath" || name == "realpath" }
    case "subst", "findstring": isFine = words[0].contains(Self.here)
    case "patsubst", "filter", "filter-out":
      // A path begins with a slash: no other pattern that begins with a text matches.
      isFine = words[0].words.allSatisfy { $0.first != "/" || $0.contains(Self.here) }
    default: isFine = name != "sort"
    }
    guard isFine else { throw Untranslatable("$(\(name) …) of the folder of the run") }
  }

  private func textFunction(_ name: String, _ words: [String]) throws(Untranslatable) -> String {
    let last = words[words.count - 1].words
    func each(_ transform: (String) -> String?) -> String {
      last.compactMap(transform).joined(separator: " ")
    }
    switch name {
    case "subst": return words[0].isEmpty ? words[2] : words[2].replacing(words[0], with: words[1])
    case "patsubst": return MakePattern.substituted(words[2], words[0].trimmed, words[1].trimmed)
    case "findstring": return words[1].contains(words[0]) || words[0].isEmpty ? words[0] : ""
    case "filter", "filter-out":
      let patterns = words[0].words
      return each { word in
        let isMatch = patterns.contains { MakePattern.stem(word, $0) != nil }
        return isMatch == (name == "filter") ? word : nil
      }
    case "sort":
      return Set(last).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        .joined(separator: " ")
    case "words": return String(last.count)
    case "firstword": return last.first ?? ""
    case "lastword": return last.last ?? ""
    case "dir":
      return each { path in
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? "./"
      }
    case "notdir": return each(MakePattern.file)
    case "suffix": return each { path in MakePattern.suffixStart(path).map { String(path[$0...]) } }
    case "basename":
      return each { path in MakePattern.suffixStart(path).map { String(path[..<$0]) } ?? path }
    case "addsuffix": return each { $0 + words[0] }
    case "addprefix": return each { words[0] + $0 }
    case "abspath": return each(MakePattern.absolute)
    case "realpath":
      return each { path in
        let full = MakePattern.absolute(path)
        return folder.exists(MakePattern.relative(full)) ? full : nil
      }
    case "wildcard": return wildcard(last)
    default: return try numbered(name, words, last)
    }
  }

  private func numbered(
    _ name: String, _ words: [String], _ last: [String]
  ) throws(Untranslatable) -> String {
    switch name {
    case "join":
      let first = words[0].words
      return (0..<max(first.count, last.count)).map {
        ($0 < first.count ? first[$0] : "") + ($0 < last.count ? last[$0] : "")
      }.joined(separator: " ")
    case "word":
      guard let number = Int(words[0].trimmed), number > 0 else { break }
      return number <= last.count ? last[number - 1] : ""
    case "wordlist":
      guard let from = Int(words[0].trimmed), let to = Int(words[1].trimmed), from > 0 else {
        break
      }
      return from > to ? "" : last.dropFirst(from - 1).prefix(to - from + 1).joined(separator: " ")
    default: break
    }
    throw Untranslatable("$(\(name) \(words[0]),…)")
  }

  private func wildcard(_ patterns: [String]) -> String {
    findings.remark(.note, 0, "$(wildcard …) has the files that there are now")
    return patterns.flatMap { folder.files(matching: MakePattern.relative($0)) }
      .joined(separator: " ")
  }

  private func conditional(
    _ name: String, _ parts: [Substring], _ scope: MakeScope
  ) throws(Untranslatable) -> ShellText {
    if name == "if" {
      let isTrue = !(try known(parts[0].trimmed, scope)).isEmpty
      guard isTrue || parts.count > 2 else { return ShellText() }
      guard parts.count > 1 else { throw Untranslatable("$(if …) with one argument") }
      return try expanded(parts[isTrue ? 1 : 2], scope)
    }
    var value = ShellText()
    for part in parts {
      value = ShellText(try known(part.trimmed, scope))
      if value.isEmpty == (name == "and") { return value }
    }
    return value
  }

  private func loop(_ parts: [Substring], _ scope: MakeScope) throws(Untranslatable) -> ShellText {
    guard parts.count >= 3 else { throw Untranslatable("$(foreach …) with too few arguments") }
    let body = parts[2...].joined(separator: ",")
    var result = ShellText()
    var inner = scope
    let name = try known(parts[0].trimmed, scope)
    for (position, word) in try known(parts[1], scope).words.enumerated() {
      inner.automatic[name] = ShellText(word)
      if position > 0 { result.append(.literal(" ")) }
      result.append(try expanded(body, inner))
    }
    return result
  }

  private func call(_ parts: [Substring], _ scope: MakeScope) throws(Untranslatable) -> ShellText {
    let name = try known(parts[0].trimmed, scope)
    guard let variable = self[name] else {
      if Self.counts[name] != nil {
        return try function(name, parts.dropFirst().joined(separator: ",")[...], scope)
          ?? ShellText()
      }
      throw Untranslatable("the function \(name) is not defined in the file")
    }
    if let problem = variable.problem { throw Untranslatable(problem) }
    guard variable.choice == nil else { throw Untranslatable("a function under a condition") }
    var inner = scope
    for number in 0..<10 { inner.automatic[String(number)] = ShellText() }
    for (number, part) in parts.enumerated() {
      inner.automatic[String(number)] = try expanded(number == 0 ? part.trimmed[...] : part, scope)
    }
    if let value = variable.value { return value }
    return try expanded(variable.raw, inner.deeper)
  }

  /// Returns the output of a command without the blanks around its words.
  private func stripped(_ value: ShellText, _ scope: MakeScope) throws(Untranslatable) -> ShellText
  {
    // Within a command of its own, it could be compared.
    guard scope.isCommand else { return value }
    guard value.parts.count == 1, case .shell(let text) = value.parts[0],
      text.hasPrefix("$("), text.hasSuffix(ShellText.joined)
    else { throw Untranslatable("$(strip …) of a value that only a shell knows") }
    let command = text.dropLast(ShellText.joined.count)
    return ShellText(part: .shell("$(set -f; printf '%s\\n' \(command))\(ShellText.joined)"))
  }

  private func shell(_ text: Substring, _ scope: MakeScope) throws(Untranslatable) -> ShellText {
    var inner = scope
    inner.isScript = true
    inner.isCommand = true
    let command = try expanded(text, inner)
    guard command.parameters.isEmpty else {
      throw Untranslatable("a value that must be given, in $(shell …)")
    }
    let plain = command.known?.trimmed
    if plain == "pwd" { return ShellText(Self.here) }
    if let plain, plain.hasPrefix("dirname \(Self.here)/"), plain.words.count == 2 {
      return ShellText(MakePattern.folder(plain.words[1]))
    }
    guard scope.isScript else {
      if let plain = plain ?? (try? known(text, scope))?.trimmed,
        let answer = folder.machine(plain)
      {
        findings.remark(.note, 0, "$(shell \(plain)) is \(answer), as on this machine")
        return ShellText(answer)
      }
      if let plain, let files = folder.found(plain) {
        findings.remark(.note, 0, "$(shell \(plain)) has the files that there are now")
        return ShellText(files.joined(separator: " "))
      }
      throw Untranslatable("only a shell knows the output of \(text.trimmed.prefix(60))")
    }
    findings.remark(
      .note, 0, "$(shell \(text.trimmed.prefix(60))) runs where its output is used, not before")
    let script = try command.script().replacing(Self.here, with: "${\(Self.hereVariable)}")
    return ShellText(part: .shell("$(\(script)\(ShellText.joined)"))
  }
}
