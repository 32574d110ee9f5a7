// The API of the page: which request does what. Documentation/web.md describes it for other programs.

import Platform
import Reprise
import RepriseHost
import RepriseJournal
import RepriseTerminal

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Answers the requests of pages that ``WebGuard`` has let pass.
///
/// Reads the journal, and sends what changes a run to its control socket, or starts a command of its
/// own. Thread-safe.
package struct WebAPI: Sendable {
  /// The rules that each request must meet before it is answered.
  package let guarding: WebGuard
  private let projects: [WebProject]
  /// The project that this request is about.
  private(set) var project: WebProject
  private let version: String

  var journal: Journal { project.journal }

  /// Creates the API of some projects.
  ///
  /// - Parameters:
  ///   - first: The project of paths that name none.
  ///   - others: The other projects.
  ///   - guarding: The guard, which trades the token for the session.
  ///   - version: The version of the command.
  package init(
    _ first: WebProject, _ others: [WebProject], guarding: WebGuard, version: String
  ) {
    project = first
    projects = [first] + others
    self.guarding = guarding
    self.version = version
  }

  /// Answers a request.
  ///
  /// - Parameters:
  ///   - head: The head, which the guard has let pass.
  ///   - body: The body.
  /// - Returns: The answer; errors are answers, too.
  package func answer(_ head: RequestHead, _ body: [UInt8]) async -> WebAnswer {
    do {
      let path = head.path ?? []
      guard path.first == "api" else { return try PageFiles.answer(path, head) }
      guard path.count > 3, path[1] == "projects" else {
        return try await answer(head, APIRequest(head, Array(path.dropFirst()), body))
      }
      guard let named = projects.first(where: { $0.name == path[2] }) else {
        throw Refusal(404, "the page has no project \"\(abridged(path[2]))\"")
      }
      var own = self
      own.project = named
      return try await own.answer(head, APIRequest(head, Array(path.dropFirst(3)), body))
    } catch let refusal as Refusal {
      return WebAnswer(refusal)
    } catch let problem as Problem {
      return WebAnswer(Refusal(409, problem.text.string.withoutErrorPrefix))
    } catch {
      return WebAnswer(Refusal(500, "\(error)"))
    }
  }

  private func answer(_ head: RequestHead, _ request: APIRequest) async throws -> WebAnswer {
    head.method == "POST" ? try await change(request) : try await read(request)
  }

  // MARK: Reading

  private func read(_ request: APIRequest) async throws -> WebAnswer {
    switch (request.path.first, request.path.count) {
    case ("project", 1):
      return .json(
        ProjectDocument(
          name: project.name, folder: project.folder, version: version,
          projects: projects.map { ProjectDocument.Place(name: $0.name, folder: $0.folder) }))
    case ("runs", 1): return .json(try await runs(request))
    case ("runs", 2): return .json(RunDocument(try await run(request)))
    case ("runs", 3) where request.path[2] == "source": return .json(try await source(request))
    case ("runs", 5) where request.path[2] == "steps" && request.path[4] == "log":
      return try await log(request)
    case ("runs", 5) where request.path[2] == "steps" && request.path[4] == "approval":
      return .json(try await approval(request))
    case ("runs", 3) where request.path[2] == "files":
      let id = try await record(request.path[1]).id
      return .json(try await blocking { [journal] in RunFiles(of: id, in: journal.directory) })
    case ("runs", 3) where request.path[2] == "file": return try await file(request)
    case ("workflows", 1): return .json(["workflows": try await workflows()])
    case ("watches", 1): return .json(["watches": project.feed.contents.watches])
    case ("compare", 1): return .json(try await comparison(request))
    case ("table", 1): return .json(try await table(request))
    case ("events", 1): return try events(request)
    default: throw Refusal(404, "there is nothing at this path; see Documentation/web.md")
    }
  }

  /// Finds a run by its id.
  func record(_ id: String) async throws -> RunRecord {
    guard RunID(id) != nil else { throw Refusal(404, "there is no run \"\(abridged(id))\"") }
    return try await blocking { [journal] in
      do {
        let record = try journal.run(named: id)
        guard record.id.description == id else { throw Refusal(404, "there is no run \"\(id)\"") }
        return record
      } catch {
        throw (error as? Refusal) ?? Refusal(404, "\(error)")
      }
    }
  }

  private func folded(_ record: RunRecord) async throws -> FollowedRun {
    try await blocking { [journal] in
      var run = FollowedRun(record)
      _ = try run.readNew(in: journal)
      return run
    }
  }

  private func run(_ request: APIRequest) async throws -> FollowedRun {
    try await folded(try await record(request.path[1]))
  }

  private func approval(_ request: APIRequest) async throws -> ApprovalDocument {
    let step = request.path[3]
    guard let planned = try await run(request).state.plan?.steps.first(where: { $0.id == step })
    else { throw Refusal(404, "the run has no step \"\(abridged(step))\"") }
    return ApprovalDocument(step: step, values: planned.approvalValues ?? [])
  }

  private func source(_ request: APIRequest) async throws -> [String: String] {
    let record = try await record(request.path[1])
    let generation = try request.number("generation") ?? record.generation
    guard 1...max(1, record.generation) ~= generation else {
      throw Refusal(404, "the run has no generation \(generation)")
    }
    let text = try await blocking { [journal] in
      try journal.definition(ofGeneration: generation, of: record).source
    }
    return ["path": record.request.file, "text": text]
  }

  private func file(_ request: APIRequest) async throws -> WebAnswer {
    let id = try await record(request.path[1]).id
    guard let path = request.text("path") else { throw Refusal(400, "the field path is missing") }
    let bytes = try await blocking { [journal] in
      try RunFiles.bytes(of: path, of: id, in: journal.directory)
    }
    // A browser must not show it: it may contain anything.
    let fields = [
      (name: "Content-Type", value: "application/octet-stream"),
      (name: "Content-Disposition", value: "attachment"),
    ]
    return WebAnswer(fields: fields, body: .bytes(bytes))
  }

  private func log(_ request: APIRequest) async throws -> WebAnswer {
    let record = try await record(request.path[1])
    let step = request.path[3]
    let (generation, attempt) = (try request.number("generation"), try request.number("attempt"))
    let from = try request.number("from") ?? 0
    let limit = try request.number("limit") ?? Int(LogWindow.bytesDefault)
    let found = request.text("find")
    let isBackward = request.text("back") != nil
    let isNumbered = request.text("numbered") != nil
    guard from >= 0 || found == nil, limit > 0 else {
      throw Refusal(400, "from and limit must not be negative")
    }
    return try await blocking { [journal] in
      let log = journal.directory.logs(of: record.id, steps: [step]).last { log in
        (generation ?? log.generation) == log.generation && (attempt ?? log.attempt) == log.attempt
      }
      // The page shows what the engine of a live run says, before it is recorded.
      if log == nil, !record.status.isLive {
        var run = FollowedRun(record)
        _ = try run.readNew(in: journal)
        guard let state = run.state[step], (attempt ?? 0) <= max(1, state.attempt),
          (generation ?? 0) <= run.state.generation
        else {
          throw Refusal(404, "the run has no such attempt of a step \"\(abridged(step))\"")
        }
      }
      guard let found, !found.isEmpty else {
        let window = log.map {
          LogWindow(of: $0, from: Int64(from), limit: Int64(limit), isNumbered: isNumbered)
        }
        return .json(window ?? LogWindow())
      }
      let matches = log.map {
        LogMatches(of: found, in: $0, from: Int64(from), isBackward: isBackward)
      }
      return .json(matches ?? LogMatches())
    }
  }

  private func workflows() async throws -> [WorkflowDocument] {
    try await blocking { [project] in
      guard let folder = WorkflowFiles(from: project.folder).folder else { return [] }
      return WorkflowFiles.found(in: folder).map {
        WorkflowDocument(path: $0, name: WorkflowFiles.shortName($0, in: folder))
      }
    }
  }

  private func comparison(_ request: APIRequest) async throws -> Comparison {
    func subject(_ side: String) async throws -> Comparison.Subject {
      guard let id = request.text(side) else { throw Refusal(400, "the field \(side) is missing") }
      let run = try await folded(try await record(id))
      let generation = try request.number("\(side)-generation") ?? run.state.generation
      guard 1...max(1, run.state.generation) ~= generation else {
        throw Refusal(404, "the run has no generation \(generation)")
      }
      let source = try await blocking { [journal] in
        try journal.definition(ofGeneration: generation, of: run.record).source
      }
      return Comparison.Subject(run.report, generation: generation, source: source)
    }
    return Comparison(try await subject("a"), try await subject("b"))
  }

  private func table(_ request: APIRequest) async throws -> TableDocument {
    let limit = min(max(1, try request.number("limit") ?? 30), 100)
    let workflow = request.text("workflow")
    return try await blocking { [journal] in
      let records = try journal.runs(workflow: workflow, limit: limit)
      return TableDocument(
        try records.reversed().map { record in
          var run = FollowedRun(record)
          _ = try run.readNew(in: journal)
          return run
        })
    }
  }

  // MARK: The stream

  private func events(_ request: APIRequest) throws -> WebAnswer {
    // A browser that connects again sends the last positions.
    let marks =
      request.lastEventID
      ?? request.text("run").map { text in
        text.split(separator: ",").map { mark in
          mark.contains(":") ? String(mark) : "\(mark):\(request.text("after") ?? "0")"
        }.joined(separator: ",")
      }
    var positions: [RunID: Int] = [:]
    for mark in (marks ?? "").split(separator: ",") {
      let parts = mark.split(separator: ":")
      guard parts.count == 2, let run = RunID(String(parts[0])), let number = Int(parts[1]),
        number >= 0, positions.count < Self.followedRunsMax
      else { throw Refusal(400, "run must be up to \(Self.followedRunsMax) pairs ID:NUMBER") }
      positions[run] = number
    }
    return WebAnswer(
      fields: [("Content-Type", "text/event-stream")],
      body: .events(FeedReader(of: projects.map(\.feed), following: positions)))
  }

  private static let followedRunsMax = 32
}

/// A request below `/api`.
struct APIRequest: Sendable {
  let path: [String]
  let body: [UInt8]
  let lastEventID: String?
  private let query: [String: String]

  init(_ head: RequestHead, _ path: [String], _ body: [UInt8]) {
    self.path = path
    self.body = body
    query = head.query ?? [:]
    lastEventID = head.only("last-event-id").flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Returns a value of the query.
  func text(_ name: String) -> String? { query[name] }

  /// Returns a whole number of the query.
  func number(_ name: String) throws(Refusal) -> Int? {
    guard let text = query[name] else { return nil }
    guard let number = Int(text), number.magnitude <= 1 << 50 else {
      throw Refusal(400, "\(name) must be a whole number")
    }
    return number
  }

  /// Decodes the body.
  func decoded<Value: Decodable>(_ type: Value.Type) throws(Refusal) -> Value {
    do {
      return try JSONDecoder().decode(type, from: Data(body))
    } catch {
      throw Refusal(400, "the body is not the JSON object that this request needs")
    }
  }
}
