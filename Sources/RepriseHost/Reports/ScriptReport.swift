// What this machine says about the scripts and programs of a workflow, before a run.

import Platform
package import Reprise
import RepriseRunners

/// The scripts that their shell cannot read, and the programs that this machine does not have.
///
/// Steps on runners are left out: they run elsewhere, with programs of their own. So are paths, which a
/// step before may create.
///
/// A file is checked before anyone trusts it, so only shells of this machine are started: never a
/// program that comes with the file.
package struct ScriptReport: Sendable {
  private struct Command: Hashable {
    /// The program that the command starts in the end.
    let program: String
    let script: String?

    init(_ words: [String], script: String?) {
      let isSearched = words.count > 1 && words[0] == "/usr/bin/env" && !words[1].hasPrefix("-")
      program = words[isSearched ? 1 : 0]
      self.script = script
    }
  }

  /// Shells whose option `-n` reads a script without running it (POSIX.1-2024, `sh`).
  private static let shells: Set = ["sh", "bash", "dash", "ksh"]
  /// The folders whose shells may be named by their paths.
  private static let systemFolders: Set = ["/bin", "/usr/bin", "/usr/local/bin"]

  /// The commands in the order of the steps, each with its first step.
  private let commands: [(command: Command, step: String)]
  private let environment: [String: String]
  /// The folder of the project, in which programs may come with the file.
  private let project: String?

  /// Creates a report on the commands of a workflow.
  ///
  /// - Parameters:
  ///   - workflow: The workflow.
  ///   - searchPath: The folders to search; those of PATH if nil.
  package init(_ workflow: Workflow, searchPath: String? = nil) {
    // Without ENV and BASH_ENV, whose files a shell would run.
    let path = searchPath ?? environmentVariable("PATH")
    environment = path.map { ["PATH": $0] } ?? [:]
    project = (try? currentDirectory()).flatMap { realPath($0) }
    var known = Set<Command>(minimumCapacity: workflow.steps.count)
    commands = workflow.stepsWithTemplates.compactMap { step, owner in
      guard step.extrasIfAny?.runner == nil, step.environment["PATH"] == nil else { return nil }
      let script = step.action.script
      let words =
        script.map { step.commandLine(for: $0, in: workflow) } ?? step.action.program.map { [$0] }
      guard let words else { return nil }
      let command = Command(words, script: script)
      return known.insert(command).inserted ? (command, owner.id) : nil
    }
  }

  /// The problems, in the order of the steps.
  ///
  /// Starts a shell of the system for each different script, a few at a time.
  package var problems: [CommandProblem] {
    get async {
      // Each program is searched for once: a search asks the system about every folder of PATH.
      var paths: [String: String?] = [:]
      var found = [CommandProblem?](repeating: nil, count: commands.count)
      var scripts: [(position: Int, shell: String)] = []
      for (position, (command, step)) in commands.enumerated() {
        let known = paths[command.program]
        let path = known ?? findProgram(command.program, in: environment["PATH"])
        if known == nil { paths[command.program] = .some(path) }
        guard let path else {
          found[position] = missing(command, step)
          continue
        }
        if let shell = shell(for: command, path) { scripts.append((position, shell)) }
      }
      return await withTaskGroup(of: (Int, CommandProblem?).self) { [scripts] group in
        for (index, script) in scripts.enumerated() {
          if index >= 4, let (done, problem) = await group.next() { found[done] = problem }
          group.addTask {
            (script.position, await problem(at: script.position, from: script.shell))
          }
        }
        for await (done, problem) in group { found[done] = problem }
        return found.compactMap(\.self)
      }
    }
  }

  /// Returns the problem of a command whose program was not found; nil if a step may create it.
  private func missing(_ command: Command, _ step: String) -> CommandProblem? {
    let program = command.program
    guard !program.contains("/") || command.script != nil && program.hasPrefix("/") else {
      return nil
    }
    return CommandProblem(
      .missingProgram(program), step: step, text: command.script ?? program)
  }

  /// Returns the shell that can read a script without running it; nil if there is none.
  private func shell(for command: Command, _ path: String) -> String? {
    let program = command.program
    guard command.script != nil, Self.shells.contains(Self.name(of: program)) else { return nil }
    return trusted(path, isNamedByPath: program.contains("/"))
  }

  /// Returns the last part of the path of a program.
  private static func name(of program: String) -> String {
    program.split(separator: "/").last.map(String.init) ?? ""
  }

  /// Returns what a shell says about a script; nil if it can read it.
  private func problem(at position: Int, from shell: String) async -> CommandProblem? {
    let (command, step) = commands[position]
    guard let script = command.script,
      let said = try? await answer(
        of: [shell, "-n", "-c", script], in: environment, within: .seconds(5)),
      let status = said.status, status != 0
    else { return nil }
    // Such as `/bin/sh: 3: Syntax error: …`, or `/bin/bash: -c: line 3: syntax error: …`.
    var place = said.complaint[...]
    for prefix in [shell + ": ", "-c: "] where place.hasPrefix(prefix) {
      place = place.dropFirst(prefix.count)
    }
    if place.hasPrefix("line ") { place = place.dropFirst(5) }
    let line = Int(place.prefix { $0.isNumber })
    if line != nil { place = place.drop { $0 != ":" }.dropFirst().drop { $0 == " " } }
    return CommandProblem(
      .unreadableScript(
        shell: Self.name(of: command.program), reason: String(place), line: line),
      step: step, text: script)
  }

  /// Returns the path of a shell that does not come with the file; nil if it may.
  private func trusted(_ path: String, isNamedByPath: Bool) -> String? {
    let folder = String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex))
    if Self.systemFolders.contains(folder) { return path }
    // Other folders only if they are in PATH, by an absolute path, and not in the project.
    guard !isNamedByPath, folder.hasPrefix("/"), let found = realPath(path), let project else {
      return nil
    }
    return found == project || found.hasPrefix(project == "/" ? "/" : project + "/") ? nil : path
  }
}
