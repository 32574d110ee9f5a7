// The files GITHUB_ENV and GITHUB_PATH, by which a step of GitHub sets variables for later steps.

/// What a script writes to GITHUB_ENV and GITHUB_PATH, as outputs of its step.
///
/// Later steps get each output as a variable. This needs the names of the variables in the script.
struct GitHubEnvironmentFile {
  /// The script, which writes outputs instead.
  private(set) var script: String
  /// The variables that it sets.
  private(set) var names: [String] = []
  /// Those that it sets whenever it ends well, and not only on a condition.
  private var certainNames: Set<String> = []
  /// The outputs with folders that it adds to PATH.
  private(set) var folders: [String] = []
  /// Whether it writes something whose name is not in the script, and that no step would get.
  private(set) var hasUnknownNames = false
  /// Whether it sets variables by `REPRISE_ENV`, because their names are not in the script.
  private(set) var addsVariables = false

  /// Whether a program that it starts sets variables, under the name that the file has there.
  private(set) var isForPrograms = false
  /// Whether a program that it starts adds folders to PATH, which no step would get.
  private(set) var addsFolders = false

  private static let command = "::set-env name="

  /// Reads a script.
  ///
  /// - Parameters:
  ///   - script: The script.
  ///   - canAddVariables: Whether `REPRISE_ENV` has the same meaning as `GITHUB_ENV`: not with a
  ///     matrix, whose combinations would get the variables of one another.
  init(_ script: String, canAddVariables: Bool) {
    self.script = script
    guard
      script.contains("GITHUB_ENV") || script.contains("GITHUB_PATH")
        || script.contains(Self.command)
    else { return }
    var lines = script.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .map(String.init)
    let depths = Self.depths(lines)
    for position in lines.indices where lines[position].contains("GITHUB_ENV") {
      let isCertain =
        depths[position] == 0 && !["&&", "||"].contains(where: lines[position].contains)
      for name in readVariables(lines, position) {
        add(name)
        if isCertain { certainNames.insert(name) }
      }
    }
    if hasUnknownNames, canAddVariables {
      (names, addsVariables, hasUnknownNames) = ([], true, false)
    }
    for position in lines.indices {
      if let range = lines[position].firstRange(of: Self.command) {
        let rest = lines[position][range.upperBound...]
        add(String(rest.prefix { $0.isLetter || $0 == "_" || $0.isNumber }))
      }
      if lines[position].contains("GITHUB_PATH") { lines[position] = path(lines[position]) }
    }
    self.script = lines.joined(separator: "\n")
      .replacing("GITHUB_ENV", with: addsVariables ? "REPRISE_ENV" : "REPRISE_OUTPUT")
      .replacing("GITHUB_PATH", with: "REPRISE_OUTPUT")
  }

  /// Notes that programs which the script starts write to these files, too.
  mutating func read(programs: String, canAddVariables: Bool) {
    addsFolders = programs.contains("GITHUB_PATH")
    guard programs.contains("GITHUB_ENV") else { return }
    isForPrograms = canAddVariables
    if canAddVariables { addsVariables = true } else { hasUnknownNames = true }
  }

  /// Whether it sets a variable only on a condition.
  func isUncertain(_ name: String) -> Bool { !certainNames.contains(name) }

  /// Returns for each line how many conditions, loops and functions it is in, with one that it starts.
  private static func depths(_ lines: [String]) -> [Int] {
    var depth = 0
    return lines.map { line in
      let words = line.trimmed.split { $0.isWhitespace || $0 == ";" }
      if let first = words.first, first.hasPrefix("}") || ["fi", "done", "esac"].contains(first) {
        depth = max(0, depth - 1)
      }
      let isStart = ["if", "for", "while", "until", "case"].contains(words.first ?? "")
      let isOneLine = words.contains { ["fi", "done", "esac"].contains($0) } || words.last == "}"
      let isGroup = line.trimmed.hasSuffix("{") || words.first == "{" && !line.contains("}")
      defer { if isGroup || isStart && !isOneLine { depth += 1 } }
      return depth + (isStart ? 1 : 0)
    }
  }

  private mutating func add(_ name: String) {
    if !name.isEmpty, !names.contains(name) { names.append(name) }
  }

  /// Returns the names of the variables that a line with GITHUB_ENV sets, or the lines around it.
  private mutating func readVariables(_ lines: [String], _ position: Int) -> [String] {
    let line = lines[position]
    // Other commands on the line can write to another file.
    let isGroup = line.trimmed.hasPrefix("{") || line.trimmed.hasPrefix("(")
    let commands =
      isGroup ? [line] : line.replacing("&&", with: ";").split(separator: ";").map(String.init)
    var found = commands.filter { $0.contains("GITHUB_ENV") }.flatMap { Self.names(in: $0) }
    if found.isEmpty, line.trimmed.hasPrefix("}") {
      // A group of commands whose output is the file.
      for other in lines[..<position].reversed() {
        if other.trimmed.hasSuffix("{") { break }
        found += Self.names(in: other)
      }
    }
    if found.isEmpty, let start = line.firstRange(of: "<<") {
      // A here-document.
      let delimiter = line[start.upperBound...].drop { "-'\" ".contains($0) }
        .prefix { $0.isLetter || $0.isNumber || $0 == "_" }
      for other in lines[(position + 1)...] {
        if other.trimmed == delimiter { break }
        if let name = Self.name(at: other.trimmed[...]) { found.append(name) }
      }
    }
    if found.isEmpty { hasUnknownNames = true }
    return found
  }

  /// Returns the names in the arguments of `echo` and `printf` on a line.
  private static func names(in line: String) -> [String] {
    var names: [String] = []
    for command in ["echo", "printf", "Write-Output", "-Value"] {
      var rest = line[...]
      while let range = rest.firstRange(of: command + " ") {
        rest = rest[range.upperBound...]
        let argument = rest.drop { " \"'`".contains($0) }
        if let name = name(at: argument) { names.append(name) }
      }
    }
    if names.isEmpty, let name = name(at: line.trimmed.drop { "\"'".contains($0) }) {
      names.append(name)
    }
    return names
  }

  /// Returns the name at the start of `NAME=value` or `NAME<<DELIMITER`.
  private static func name(at text: Substring) -> String? {
    let name = text.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    guard let first = name.first, !first.isNumber else { return nil }
    let rest = text[name.endIndex...]
    return rest.first == "=" || rest.hasPrefix("<<") ? String(name) : nil
  }

  /// Replaces `echo FOLDER >> $GITHUB_PATH` by an output.
  private mutating func path(_ line: String) -> String {
    let files = line.ranges(of: "GITHUB_PATH")
    guard files.count == 1, let file = files.first,
      let range = line[..<file.lowerBound].ranges(of: "echo ").last
    else {
      hasUnknownNames = true
      return line
    }
    let name = "added-path-\(folders.count + 1)"
    let argument = line[range.upperBound...]
    let quote = argument.first == "\"" || argument.first == "'" ? String(argument.prefix(1)) : ""
    folders.append(name)
    return line[..<range.upperBound] + quote + name + "=" + argument.dropFirst(quote.count)
  }
}

extension GitHubJob {
  /// Returns the variables that steps before a step have set, each with its value.
  ///
  /// A variable that a skipped step would have set keeps the value that it has in the job or in
  /// the workflow.
  ///
  /// - Parameters:
  ///   - position: The position of the step.
  ///   - file: The workflow.
  /// - Returns: The names with the expressions of their values.
  func variables(
    before position: Int, in file: GitHubFile
  ) -> [(name: String, value: Translated)] {
    var values: [(name: String, value: Translated)] = []
    var path = ""
    for step in steps[..<position] {
      guard let id = step.id else { continue }
      for name in step.written.names {
        let outer = outerValue(of: name, in: file)
        // Without it, this machine can have a value, as that of GitHub can.
        let unset = canLack(name, after: step) ? "env.\(name) || ''" : "''"
        let earlier = values.first { $0.name == name }?.value.text ?? outer ?? unset
        values.removeAll { $0.name == name }
        values.append(
          (
            name,
            Translated(
              text: "steps.\(id).outputs.\(name) || \(earlier)", kind: .text, precedence: 1)
          ))
      }
      for folder in step.written.folders {
        // A step that is skipped adds nothing.
        let output = "steps.\(id).outputs.\(folder)"
        path = "${{ (\(output) || '') && format('{0}:', \(output)) || '' }}" + path
      }
    }
    if !path.isEmpty {
      values.append(("PATH", Translated(text: path + "${{ env.PATH }}", kind: .unknown)))
    }
    return values
  }

  /// Returns the expression of a variable under `env` of the job or of the workflow; nil if it has
  /// none there.
  private func outerValue(of name: String, in file: GitHubFile) -> String? {
    var names = GitHubNames(file: file, ofStepsOf: self)
    guard names.variables[name] != nil || file.variables.contains(name) else { return nil }
    names.allowsSecrets = true
    return (try? names.variable(name))?.operand(2)
  }

  /// Returns the variables that are not set where a step runs if steps before it were skipped.
  ///
  /// - Parameters:
  ///   - step: The step.
  ///   - file: The workflow.
  /// - Returns: Their names, in order.
  func uncertainNames(before step: GitHubStep, in file: GitHubFile) -> [String] {
    let earlier = steps.prefix { $0.id != step.id }
    let certain = earlier.flatMap { other in
      other.written.names.filter { !canLack($0, after: other) }
    }
    return Set(earlier.flatMap { uncertainNames(of: $0, in: file) }).subtracting(certain).sorted()
  }

  /// The variables that no one else defines, and that a step does not set in all cases.
  func uncertainNames(of step: GitHubStep, in file: GitHubFile) -> [String] {
    step.written.names.filter {
      canLack($0, after: step) && outerValue(of: $0, in: file) == nil
    }
  }

  /// Whether a step can end without setting a variable that it sets in other cases.
  private func canLack(_ name: String, after step: GitHubStep) -> Bool {
    let uses = [step.node] + (step.scope?.chain.map(\.step) ?? [])
    return step.written.isUncertain(name) || uses.contains { $0["if"] != nil }
  }
}
