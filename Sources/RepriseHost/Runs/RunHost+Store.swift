// The store from which files of steps are restored, as a workflow sets it.

import Dispatch
import Platform
package import Reprise
import RepriseJournal
import RepriseRunners
import RepriseStore
import RepriseTerminal
import Synchronization

extension StateDirectory {
  /// The store of the project, for questions about it.
  package var store: any ResultStore { LocalStore(at: storePath) }
}

extension RunHost {
  /// Returns the store of a workflow; nil if its limit is 0.
  func store(of workflow: Workflow) -> (any ResultStore)? {
    guard storeLimit(of: workflow) > 0 else { return nil }
    let local = LocalStore(at: journal.directory.storePath)
    guard let rule = workflow.store else { return local }
    let key = rule.key.map { environmentVariable($0) ?? "" }
    if let name = rule.key, key?.isEmpty != false {
      say(TerminalSafe("warning: the shared store is not used: the variable \(name) is not set"))
      return local
    }
    return SharedStore(
      local, place(of: rule), key: key.map { Array($0.utf8) },
      isReadOnly: rule.isReadOnly || rule.folder == nil && rule.put == nil, timeout: rule.timeout
    ) { [say] in say(TerminalSafe($0)) }
  }

  private func place(of rule: SharedStoreRule) -> any SharedPlace {
    if let folder = rule.folder { return SharedFolder(folder) }
    // Before the store gives up, the command is killed.
    let limit = rule.timeout * 9 / 10
    return CommandPlace(
      get: rule.get ?? "false", put: rule.put, folder: journal.directory.storePath + "/tmp"
    ) { script, variables in
      try Self.run(script, variables, within: limit)
    }
  }

  /// Runs a script on this thread, which it blocks.
  private static func run(
    _ script: String, _ variables: [String: String], within limit: Duration
  ) throws -> Bool {
    let answered = DispatchSemaphore(value: 0)
    let result = Mutex<Result<Int?, any Error>>(.success(nil))
    let environment = LocalExecutor().environment.merging(variables) { $1 }
    Task.detached {
      do {
        let said = try await answer(
          of: ["/bin/sh", "-c", script], in: environment, within: limit)
        result.withLock { $0 = .success(said.status) }
      } catch {
        result.withLock { $0 = .failure(error) }
      }
      answered.signal()
    }
    answered.wait()
    guard let status = try result.withLock({ $0 }).get() else {
      throw SharedStoreTimeout(limit: limit)
    }
    return status == 0
  }

  /// Deletes results that exceed the limit of the store.
  func deleteOldResults(of workflow: Workflow) {
    LocalStore(at: journal.directory.storePath).delete(exceeding: storeLimit(of: workflow))
  }

  /// The maximum size of the store, in bytes.
  private func storeLimit(of workflow: Workflow) -> Int64 {
    workflow.keep?.storeBytes ?? (try? journal.directory.retention())?.storeBytes
      ?? LocalStore.usualLimit
  }
}

/// A script of a shared store has taken too long.
private struct SharedStoreTimeout: Error, CustomStringConvertible {
  let limit: Duration

  var description: String { "its script was killed after \(durationText(limit))" }
}
