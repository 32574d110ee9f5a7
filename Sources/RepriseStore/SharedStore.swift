// `SharedStore`: a local store in front of a place that other machines use, too.

import Paths
import Platform
package import Reprise
import Synchronization

/// A place with named files that several machines read and write, such as a folder or a web server.
///
/// Names are like `packs/1a2b`. Called on threads that may be blocked.
package protocol SharedPlace: Sendable {
  /// Returns the records of a task.
  ///
  /// - Parameter task: The name of the task.
  /// - Returns: The records, newest first; empty if there are none.
  /// - Throws: An error if the place cannot be used.
  func records(of task: String) throws -> [[UInt8]]
  /// Adds a record of a task.
  ///
  /// - Parameters:
  ///   - record: The record.
  ///   - id: Its name.
  ///   - task: The name of the task.
  /// - Throws: An error if the place cannot be used.
  func add(_ record: [UInt8], _ id: String, of task: String) throws
  /// Copies a file of the place to a new file of this machine.
  ///
  /// - Parameters:
  ///   - name: The name of the file.
  ///   - path: The path of the new file.
  /// - Throws: An error if there is none, or the place cannot be used.
  func get(_ name: String, to path: String) throws
  /// Copies a file of this machine to the place, unless there is one of that name.
  ///
  /// - Parameters:
  ///   - name: The name of the file.
  ///   - path: The path of the file of this machine.
  /// - Throws: An error if the place cannot be used.
  func put(_ name: String, from path: String) throws
}

/// A local store whose results are shared with other machines.
///
/// What the place has is checked before it enters the local store: signatures if there is a key, and the
/// SHA-256 of each file. If the place is missing, slow or wrong, that is said once, and nothing more is asked of
/// it: steps run, or are restored from the local store.
package final class SharedStore: ResultStore {
  private let local: LocalStore
  private let place: any SharedPlace
  private let key: [UInt8]?
  private let isReadOnly: Bool
  private let timeout: Duration
  private let say: @Sendable (String) -> Void
  private let isUnusable = Atomic(false)
  private let hasSaid = Atomic(false)

  /// Creates a store.
  ///
  /// - Parameters:
  ///   - local: The store of this machine.
  ///   - place: The place that is shared.
  ///   - key: The key of signatures; nil for none.
  ///   - isReadOnly: Whether nothing is written there.
  ///   - timeout: The maximum duration of one access.
  ///   - say: Called with a warning, once.
  package init(
    _ local: LocalStore, _ place: any SharedPlace, key: [UInt8]? = nil, isReadOnly: Bool = false,
    timeout: Duration = .seconds(10), say: @escaping @Sendable (String) -> Void
  ) {
    (self.local, self.place, self.key, self.isReadOnly) = (local, place, key, isReadOnly)
    (self.timeout, self.say) = (timeout, say)
  }

  package func results(of task: String) -> [StoredResult] {
    let own = local.results(of: task)
    let known = Set(own.map(\.id))
    let records = accessed { try $0.records(of: task) } ?? []
    let others = records.prefix(LocalStore.resultsMax).compactMap { record -> StoredResult? in
      guard let result = StoredRecord.result(in: record, key) else {
        guard !StoredRecord.isOfEarlierVersion(record) else { return nil }
        warn("a result there is damaged, or has no valid signature; it is left out")
        return nil
      }
      return result.task == task && !known.contains(result.id) ? result.forOthers : nil
    }
    return own + others
  }

  package func save(_ result: StoredResult, from folder: String, isShareable: Bool) throws {
    try local.save(result, from: folder, isShareable: isShareable)
    guard isShareable, !isReadOnly,
      let kept = local.results(of: result.task).first(where: { $0.id == result.id })
    else { return }
    accessed { [local, key] place in
      if kept.files.contains(where: { $0.offset != nil }) {
        try place.put("packs/" + kept.id, from: local.packPath(kept.id))
      }
      for file in kept.files where file.isFile && file.offset == nil {
        try place.put("objects/" + file.content, from: local.objectPath(file.content))
      }
      try place.add(try StoredRecord.bytes(of: kept.forOthers, key), kept.id, of: kept.task)
    }
  }

  package func restore(
    _ result: StoredResult, in folder: String, removing: [String: String]
  ) throws {
    if !local.has(result) {
      let imported: Void? = accessed { [local] place in
        try local.add(result) { name, path in try place.get(name, to: path) }
      }
      guard imported != nil else { throw StoreProblem("it cannot be copied from the shared store") }
    }
    try local.restore(result, in: folder, removing: removing)
  }

  /// Accesses the place, in time.
  ///
  /// - Returns: The result; nil if the place cannot be used.
  @discardableResult
  private func accessed<Content: Sendable>(
    _ access: @escaping @Sendable (any SharedPlace) throws -> Content
  ) -> Content? {
    guard !isUnusable.load(ordering: .relaxed) else { return nil }
    switch within(timeout, { [place] in Result { try access(place) } }) {
    case .success(let content): return content
    case .failure(let problem as StoreProblem) where problem.isAboutContent:
      warn("\(problem)")
      return nil
    case .failure(let error): warn("it is not used any more in this run: \(error)")
    case nil: warn("it is not used any more in this run: it has not answered in \(timeout)")
    }
    isUnusable.store(true, ordering: .relaxed)
    return nil
  }

  private func warn(_ text: String) {
    guard !hasSaid.exchange(true, ordering: .relaxed) else { return }
    say("warning: the shared store: \(text)")
  }
}
