// What the keys of a display can do with the files of a run: read logs, edit the workflow, and
// continue the run after its end.

import Paths
import Platform
package import Reprise
package import RepriseJournal
package import RepriseTerminal
import Synchronization

/// The keys that need the record of a run, and the run that they continue.
package final class RunEnding: Sendable {
  private let journal: Journal
  private let workflow: LoadedWorkflow
  private let stays: @Sendable (RunOutcome) -> Bool
  private let prepared = Mutex<ResumedRun?>(nil)

  /// Creates the keys of a run.
  ///
  /// - Parameters:
  ///   - journal: The journal of the run.
  ///   - workflow: The workflow of the run.
  ///   - stays: Whether the display waits for keys after an outcome.
  package init(
    _ journal: Journal, of workflow: LoadedWorkflow,
    stays: @escaping @Sendable (RunOutcome) -> Bool
  ) {
    self.journal = journal
    self.workflow = workflow
    self.stays = stays
  }

  /// The run to continue, once the user has asked for it.
  package var resumed: ResumedRun? { prepared.withLock { $0 } }

  /// Returns keys that also read logs, edit the workflow file and continue the run.
  package func keys(adding keys: DisplayControls) -> DisplayControls {
    var keys = keys
    let folder = workflow.path.lastIndex(of: "/").map { String(workflow.path[..<$0]) } ?? "."
    keys.openFiles(
      of: journal, workflow: workflow.isText ? nil : workflow.path,
      uses: workflow.definition.uses.keys.map { joinedPath(folder, $0) })
    keys.staysAfter = { [stays] phase in
      if case .ended(let outcome) = phase { stays(outcome) } else { false }
    }
    keys.previewResumes(of: journal)
    keys.prepareToLeave = { run, ending in
      do {
        switch ending {
        case .quit, .departed: return nil
        case .resume: try await self.prepare(run, .unfinished)
        case .set(let step, let result):
          try await self.prepare(
            run, .unfinished,
            setting: [step: result],
            by: Requester(.key, name: result == .skipped ? "S" : "D"))
        case .restart(let step): try await self.prepare(run, .from(step: step))
        }
        return nil
      } catch {
        return Problem(error).text.string
      }
    }
    return keys
  }

  /// Reads the file again before the display ends, so that its errors can be fixed.
  private func prepare(
    _ run: RunID, _ extent: ResumedRun.Extent, setting results: [String: HandmadeResult] = [:],
    by requester: Requester = .api
  ) async throws {
    let journal = journal
    let record = try await blocking { try journal.run(named: run.description) }
    let resumed = try await ResumedRun(
      record, [:], extent, setting: results, by: requester)
    prepared.withLock { $0 = resumed }
  }
}

/// Returns the text of a file; nil if it cannot be read.
private func contents(of path: String) -> String? {
  do throws(Errno) {
    return String(decoding: try OpenFile(path).readAll(), as: UTF8.self)
  } catch {
    return nil
  }
}

/// The contents of a few files at the last look.
private final class WatchedTexts: Sendable {
  /// A file has changed only if one of these has.
  private struct Stamp: Equatable {
    var inode: Inode
    var size: Int64
    var modified: Int64
  }

  private struct Look: Equatable {
    var stamps: [Stamp?]
    var texts: [String?]
  }

  private let paths: [String]
  private let last: Mutex<Look>

  init(_ paths: [String]) {
    self.paths = paths
    last = Mutex(Look(stamps: paths.map(Self.stamp), texts: paths.map(contents)))
  }

  private static func stamp(_ path: String) -> Stamp? {
    (try? Stat(at: path)).map {
      Stamp(inode: $0.inode, size: $0.size, modified: $0.modifiedNanoseconds)
    }
  }

  /// Returns whether a content has changed since the last call; a file that is just being replaced has not.
  func haveChanged() -> Bool {
    let stamps = paths.map(Self.stamp)
    return last.withLock { last in
      guard stamps != last.stamps, !stamps.contains(nil) else { return false }
      let now = Look(stamps: stamps, texts: paths.map(contents))
      defer { last = now }
      return now.texts != last.texts
    }
  }
}

extension DisplayControls {
  /// Adds the key that says what resuming a run which has ended would change.
  ///
  /// The working directory must be that of the run.
  package mutating func previewResumes(of journal: Journal) {
    previewResume = { run in
      do {
        let record = try await blocking { try journal.run(named: run.description) }
        return (try await ResumedRun(record).changes(since: record).string, true)
      } catch {
        return (Problem(error).text.string, false)
      }
    }
  }

  /// Adds the keys that read the logs of recorded runs and edit the workflow file.
  ///
  /// - Parameters:
  ///   - journal: The journal of the runs.
  ///   - workflow: The path of the workflow file; nil if the workflow was not read from a file.
  ///   - uses: The paths of the files that it uses.
  package mutating func openFiles(of journal: Journal, workflow: String?, uses: [String] = []) {
    let (directory, environment, place) = (journal.directory, inheritedEnvironment(), place)
    logs = { run, step in
      directory.logs(of: run, steps: [step]).map {
        StepLog(
          generation: $0.generation, attempt: $0.attempt,
          files: $0.files.map { StepLog.File(offset: $0.offset, path: $0.path) })
      }
    }
    page = { await RepriseHost.page($0, environment: environment) }
    guard let workflow else { return }
    let texts = WatchedTexts([WorkflowFiles.parts(of: workflow).file] + uses)
    fileChange = {
      texts.haveChanged() ? "the workflow file has changed: u shows what that means" : nil
    }
    edit = { step in
      let found = step.flatMap(place)
      let path = found?.path ?? WorkflowFiles.parts(of: workflow).file
      let before = contents(of: path)
      if let problem = await RepriseHost.edit(path, line: found?.line, environment: environment) {
        return problem
      }
      guard contents(of: path) != before else { return nil }
      _ = texts.haveChanged()
      return "the workflow file has changed: u reads it again"
    }
  }
}
