// The watch of a project: one watch for each of its workflows with triggers, as their files are now.

import CombineOperators
import Platform
package import Reprise
import RepriseJournal
import RepriseTerminal
import Synchronization

/// The watch of all workflows in a folder that have triggers.
///
/// It follows workflows that are added, changed or removed. What changes in a file apart from
/// `on`, the name and the secrets needs nothing: the next run reads it. Else the watch of that workflow is
/// replaced as soon as none of its runs is live.
///
/// Thread-safe.
package final class ProjectWatch: Sendable {
  /// What has happened, for the loop that decides.
  private enum News: Sendable {
    /// A workflow file was added, changed or removed.
    case filesChanged
    /// A watch can run, or cannot be created.
    case created(String, WatchedEntry, Result<Watch, Problem>)
    /// A run of a watch has started or ended.
    case runsChanged(String)
    case ended(String, Result<Watch.Ending, Problem>)
    /// The time to try again has come.
    case due(String)
    case end(Watch.Ending)
  }

  /// What is known of a workflow.
  private struct Member {
    /// The workflow as its file says now; nil if it has no triggers any more.
    var wanted: WatchedEntry?
    /// What its watch was created for.
    var current: WatchedEntry?
    var watch: Watch?
    /// Whether its watch is being created or ends.
    var isBusy = false
  }

  /// The time after which a watch that has failed, or is held by another process, is tried again.
  private static let patience: Duration = .seconds(5)

  private static let folder = ProjectFolders.workflows
  private let here = workingFolder()
  private let host: RunHost
  /// The reports of all watches for a display; messages begin with the name of the workflow.
  package let reports = WatchReports()
  private let news: AsyncStream<News>
  private let tell: AsyncStream<News>.Continuation
  private let watches = Mutex<[Watch]>([])

  /// Creates the watch of the folder `workflows` in the current folder, which starts with `run()`.
  ///
  /// - Parameter host: The host of the runs.
  package init(in host: RunHost) {
    self.host = host
    (news, tell) = AsyncStream.makeStream()
  }

  /// The status of each watch, in the order of their starts.
  package var statuses: [WatchStatus] { watches.withLock { $0 }.compactMap(\.watchStatus) }

  /// Ends the watch: starts no more runs, and cancels live ones.
  package func end(because ending: Watch.Ending) { tell.yield(.end(ending)) }

  /// Watches until it is asked to end.
  ///
  /// - Returns: The reason for the end.
  /// - Throws: ``Problem`` if no workflow of the folder has triggers, or its files cannot be watched.
  package func run() async throws(Problem) -> Watch.Ending {
    let changes: FileChanges
    do throws(WatchError) {
      changes = try FileChanges(
        ["*.yaml", "*.yml"], in: Self.folder, respectsGitignore: false,
        onProblem: { [self] in say("warning: \($0)") })
    } catch {
      throw Problem("error: cannot watch \"\(Self.folder)\": \(error)", cause: .internalFailure)
    }
    let observing = Task { [tell] in for await _ in changes { tell.yield(.filesChanged) } }
    defer { observing.cancel() }
    var members = Members(known: await read())
    guard !members.project.entries.isEmpty else { throw Self.nothing(members.project) }
    for problem in members.project.problems { say("\(problem.text)") }
    update(&members)
    for await next in news {
      if let ending = await handle(next, &members) { return await finish(members, ending) }
    }
    return .exhausted
  }

  /// All that the loop knows.
  private struct Members {
    var project: WatchedProject
    var all: [String: Member] = [:]
    /// The last problem of each that was reported, so that none is repeated.
    var said: [String: TerminalSafe] = [:]

    init(known project: WatchedProject) { self.project = project }
  }

  private func read() async -> WatchedProject {
    await disk.result { WatchedProject(of: Self.folder) }
  }

  private static func nothing(_ project: WatchedProject) -> Problem {
    let others = project.problems.map { "\n" + $0.text }.joined()
    return Problem(
      "error: no workflow in \"\(folder)\" has triggers that can be watched\(others)\n"
        + "  = add some, as in: on: { files: [src/**] }, or: on: { schedule: '@daily' }")
  }

  private func say(_ text: String) { reports.send(.message(text)) }

  private func forward(_ report: WatchReport, of path: String, _ name: String) {
    switch report {
    case .message(let text): say("\(name): \(text)")
    case .statusChanged:
      reports.send(report)
      tell.yield(.runsChanged(path))
    case .began, .handled: reports.send(report)
    }
  }

  /// Handles news.
  ///
  /// - Returns: Why the watch ends; nil if it goes on.
  private func handle(_ next: News, _ members: inout Members) async -> Watch.Ending? {
    switch next {
    case .end(let ending): return ending
    case .filesChanged:
      let before = members.project
      members.project = await read()
      for (path, text) in members.project.problems
      where !before.problems.contains(where: { $0.path == path && $0.text == text }) {
        say("\(text)")
      }
      update(&members)
    case .created(let path, let entry, let result): created(path, entry, result, &members)
    case .runsChanged(let path), .due(let path): settle(path, &members)
    case .ended(let path, let result):
      if let ending = ended(path, result, &members) { return ending }
    }
    return nil
  }

  /// Applies what the files say now.
  private func update(_ members: inout Members) {
    let project = members.project
    for path in project.paths {
      members.all[path, default: Member()].wanted = project.entries[path]
    }
    for (path, member) in members.all
    where project.entries[path] == nil && !project.isUncertain(path) {
      members.all[path]?.wanted = nil
      if let watch = member.watch, member.wanted != nil, watch.isBusy {
        say(
          "\(watch.watch.workflow) has no triggers any more; it is watched until its run has ended")
      }
    }
    for path in members.all.keys.sorted() {
      if let member = members.all[path], let wanted = member.wanted, let current = member.current,
        let watch = member.watch, !wanted.isWatchedLike(current), watch.isBusy
      {
        say("\(current.name) has changed; the change of \"on\" applies when its run has ended")
      }
      settle(path, &members)
    }
  }

  /// Starts, ends or replaces a watch if what is wanted differs from what there is.
  private func settle(_ path: String, _ members: inout Members) {
    guard var member = members.all[path], !member.isBusy else { return }
    defer { members.all[path] = member }
    if let watch = member.watch, let current = member.current {
      guard member.wanted.map({ !$0.isWatchedLike(current) }) ?? true, watch.withdrawIfIdle()
      else { return }
      member.isBusy = true
    } else if let wanted = member.wanted {
      member.isBusy = true
      Task { [self] in tell.yield(.created(path, wanted, await create(wanted))) }
    }
  }

  private func create(_ entry: WatchedEntry) async -> Result<Watch, Problem> {
    do {
      let secrets = try await Secrets.gathered(for: entry.loaded.workflow)
      let recorded = try await host.journal.heldWatch(of: entry.loaded, hiding: secrets)
      return .success(
        try Watch(entry.loaded, entry.triggers, secrets, watch: recorded, in: host))
    } catch {
      return .failure(Problem(error))
    }
  }

  private func created(
    _ path: String, _ entry: WatchedEntry, _ result: Result<Watch, Problem>,
    _ members: inout Members
  ) {
    members.all[path]?.isBusy = false
    switch result {
    case .failure(let problem):
      if members.said.updateValue(problem.text, forKey: path) != problem.text {
        say("\(entry.name): \(problem.text)")
      }
      // A wrong file or a missing secret stays so until a user changes it.
      if problem.cause == .internalFailure { tryAgain(path) }
    case .success(let watch):
      members.said[path] = nil
      members.all[path]?.watch = watch
      members.all[path]?.current = entry
      watches.withLock { $0.append(watch) }
      Task { [self] in
        let listening = watch.reports.publisher.sink { [self] in forward($0, of: path, entry.name) }
        let result: Result<Watch.Ending, Problem>
        do { result = .success(try await watch.run()) } catch { result = .failure(Problem(error)) }
        listening.cancel()
        tell.yield(.ended(path, result))
      }
    }
  }

  /// Takes note of the end of a watch.
  ///
  /// - Returns: Why all watches end; nil if they go on.
  private func ended(
    _ path: String, _ result: Result<Watch.Ending, Problem>, _ members: inout Members
  ) -> Watch.Ending? {
    guard let watch = members.all[path]?.watch else { return nil }
    let name = watch.watch.workflow
    watches.withLock { $0.removeAll { $0 === watch } }
    members.all[path]?.watch = nil
    members.all[path]?.current = nil
    members.all[path]?.isBusy = false
    switch result {
    case .success(.withdrawn):
      if members.all[path]?.wanted == nil {
        members.all[path] = nil
        say("\(name) is not watched any more")
      }
      settle(path, &members)
      return nil
    case .failure(let problem): say("\(name): \(problem.text)")
    case .success: break
    }
    // Without its folder, no watch hears of anything.
    guard workingFolder() == here, mayAccess(host.journal.directory.path, .existence) else {
      return .failed
    }
    say("\(name) is watched again in 5 s")
    tryAgain(path)
    return nil
  }

  private func tryAgain(_ path: String) {
    Task { [tell] in
      try? await SystemClock().sleep(for: Self.patience)
      tell.yield(.due(path))
    }
  }

  /// Ends all watches, and waits for their ends.
  private func finish(_ members: Members, _ ending: Watch.Ending) async -> Watch.Ending {
    var open = Set(members.all.filter { $0.value.watch != nil || $0.value.isBusy }.keys)
    for watch in watches.withLock({ $0 }) { watch.end(because: ending) }
    guard !open.isEmpty else { return ending }
    for await next in news {
      switch next {
      case .created(let path, _, let result):
        if case .success(let watch) = result { watch.watch.release() }
        open.remove(path)
      case .ended(let path, _): open.remove(path)
      case .filesChanged, .runsChanged, .due, .end: break
      }
      if open.isEmpty { break }
    }
    await reports.flush()
    return ending
  }
}

extension ProjectWatch: SignalTarget {
  package func receive(_ signal: Int32) {
    for watch in watches.withLock({ $0 }) { watch.receive(signal) }
    if signal != SignalNumber.user1 { tell.yield(.end(.signal(signal))) }
  }

  package func freeze() {
    for watch in watches.withLock({ $0 }) { watch.freeze() }
  }
}
