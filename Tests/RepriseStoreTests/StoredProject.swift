import ChildProcesses
import Foundation
import Platform
import TestSupport
import Testing

@testable import Reprise
@testable import RepriseStore

/// A project with one step, whose results are kept.
struct StoredProject {
  /// How a step ended.
  enum End: Equatable {
    case ran, failed, upToDate
    case restored(StepOutputs)
  }

  private final class Memory: ProjectMemory {
    private let traces = Protected<[String: StepTrace]>([:])
    let others = Protected<[StepTrace]>([])

    let areOthersLive = Protected(false)

    func isLive(_ run: RunID) -> Bool { areOthersLive.value }
    func recallOthers() -> [StepTrace] { others.value }

    func recall(_ step: String) -> StepTrace? { traces.value[step] }
    func recallAll() -> [String: StepTrace] { traces.value }
    func remember(_ trace: StepTrace, of step: String) { traces.withLock { $0[step] = trace } }
  }

  private let folder: TemporaryFolder
  let path: String
  let store: LocalStore
  private let memory = Memory()
  private let used: any ResultStore

  /// Creates a project.
  ///
  /// - Parameter sharing: Returns the store that is used, for the local one.
  /// - Throws: An error of the file system.
  init(_ sharing: (LocalStore) -> any ResultStore = { $0 }) throws {
    folder = try TemporaryFolder()
    path = try #require(realPath(folder.path)) + "/project"
    store = LocalStore(at: path + "/.reprise/store")
    used = sharing(store)
    try write("one", to: "a")
    try write("two", to: "b")
  }

  func engine(forgetting: Bool = false) -> Engine {
    var engine = Engine(
      executor: LocalExecutor(environment: ["PATH": "/usr/bin:/bin"], directory: path),
      memory: forgetting ? Memory() : memory)
    engine.watch = FileWatch(of: path, guardian: nil)
    engine.store = used
    return engine
  }

  /// Runs the step.
  ///
  /// - Parameters:
  ///   - script: The script of the step.
  ///   - cache: Its `cache`.
  ///   - isFresh: Whether the memory is empty, as in a fresh clone.
  /// - Returns: How it ended.
  /// - Throws: An error of the workflow.
  func run(_ script: String, cache: String = "auto", isFresh: Bool = false) async throws -> End? {
    let run = try start(script, cache: cache, isFresh: isFresh)
    _ = try await run.outcome
    switch run.state["s"]?.phase {
    case .succeeded: return .ran
    case .skipped(.restored, let outputs): return .restored(outputs)
    case .skipped: return .upToDate
    case .failed: return .failed
    default: return nil
    }
  }

  /// Makes the steps of the project those of another workflow, too.
  func shareWithOthers() { memory.others.withLock { $0 = Array(memory.recallAll().values) } }

  /// Starts a run of the step.
  func start(_ script: String, cache: String = "auto", isFresh: Bool = false) throws -> Run {
    let lines = script.split(separator: "\n").map { "        " + $0 }.joined(separator: "\n")
    return engine(forgetting: isFresh).start(
      try Workflow(
        text: "steps:\n  - id: s\n    cache: \(cache)\n    run: |\n\(lines)\n", file: "w.yaml"))
  }

  /// Lets all runs but the one that asks count as going on.
  func letOthersLive() { memory.areOthersLive.withLock { $0 = true } }

  /// The results that are kept.
  func results() -> [StoredResult] {
    FolderReader.names(in: store.path + "/results").flatMap { store.results(of: $0) }
  }

  func write(_ text: String, to name: String) throws {
    let url = URL(fileURLWithPath: path + "/" + name)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data((text + "\n").utf8).write(to: url)
  }

  func text(_ name: String) throws -> String {
    try String(contentsOfFile: path + "/" + name, encoding: .utf8)
  }

  func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: path + "/" + name)
  }

  /// What is below a folder, by path: the content of a file, the target of a link, or what else it is.
  func contents(_ name: String) throws -> [String: String] {
    var contents: [String: String] = [:]
    var rest = [name]
    while let next = rest.popLast() {
      let place = path + "/" + next
      guard let state = try FileState.now(at: place) else { continue }
      contents[next] = state.content
      if state.content == "folder" {
        rest += FolderReader.names(in: place).map { next == "." ? $0 : next + "/" + $0 }
      }
    }
    return contents
  }

  func inode(_ name: String) throws -> UInt64 {
    UInt64(try Stat(at: path + "/" + name, followsLink: false).inode.rawValue)
  }

  func modified(_ name: String) throws -> Int64 {
    try Stat(at: path + "/" + name, followsLink: false).modifiedNanoseconds
  }

  /// The paths of the files of a part of the store.
  func filesOfStore(_ part: String) throws -> [String] {
    var files: [String] = []
    var rest = [store.path + "/" + part]
    while let next = rest.popLast() {
      guard let status = try? Stat(at: next, followsLink: false) else { continue }
      if status.type == .directory {
        rest += FolderReader.names(in: next).map { next + "/" + $0 }
      } else {
        files.append(next)
      }
    }
    return files
  }
}
