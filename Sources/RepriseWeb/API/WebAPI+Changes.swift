// The requests of the API that change something: each is one to a control socket, or a command.

import Reprise
import RepriseControl
import RepriseHost
import RepriseJournal
import RepriseTerminal

/// What was done.
private struct Done: Encodable {
  let text: String
  var generation: Int?
  var steps: [String]?
  var run: String?
}

/// The bodies of requests; unknown fields are ignored.
private enum ChangeBody {
  struct Session: Decodable {
    let token: String
  }

  struct Restart: Decodable {
    let from: [String]?
    let only: [String]?
    let reload: Bool?
    let changed: Bool?
    let force: Bool?
    let isDryRun: Bool?

    private enum CodingKeys: String, CodingKey {
      case from, only, reload, changed, force
      case isDryRun = "dry-run"
    }
  }

  struct Cancel: Decodable {
    let step: [String]?
    let now: Bool?
  }

  struct Approve: Decodable {
    let step: String?
    let approved: Bool?
    let values: [String: String]?
    let comment: String?
  }

  struct SetResult: Decodable {
    let step: [String]
    let result: String
    let comment: String?
  }

  struct Start: Decodable {
    let workflow: String
    let params: [String: String]?
  }

  struct TriggerWatch: Decodable {
    let params: [String: String]?
  }

  struct None: Decodable {}
}

extension WebAPI {
  func change(_ request: APIRequest) async throws -> WebAnswer {
    switch (request.path.first, request.path.count) {
    case ("session", 1):
      let token = try request.decoded(ChangeBody.Session.self).token
      return .json(["session": try guarding.session(for: token)])
    case ("runs", 1): return .json(try await start(request))
    case ("runs", 3):
      let record = try await record(request.path[1])
      return .json(try await change(record, request))
    case ("watches", 3) where request.path[2] == "trigger":
      return .json(try await trigger(request))
    default: throw Refusal(404, "there is nothing at this path; see Documentation/web.md")
    }
  }

  private func change(_ record: RunRecord, _ request: APIRequest) async throws -> Done {
    switch request.path[2] {
    case "restart":
      let body = try request.decoded(ChangeBody.Restart.self)
      let from = body.from ?? []
      if let only = body.only {
        guard from.isEmpty, body.reload != true else {
          throw Refusal(400, "only cannot be combined with from or reload")
        }
        return try await send(.restartServices(only), to: record)
      }
      guard record.status.isLive else { return try await resume(record, from: from) }
      guard body.reload == true else {
        return try await send(.restart(from: from), to: record)
      }
      let options = ReloadOptions(
        from: from, changedOnly: body.changed ?? false, isDryRun: body.isDryRun ?? false,
        isForced: body.force ?? false)
      return try await send(.reload(options, by: requester()), to: record)
    case "again":
      _ = try request.decoded(ChangeBody.None.self)
      return try await startAgain(record)
    case "cancel":
      let body = try request.decoded(ChangeBody.Cancel.self)
      return try await send(.cancel(steps: body.step ?? [], now: body.now ?? false), to: record)
    case "approve":
      let body = try request.decoded(ChangeBody.Approve.self)
      return try await send(
        .approve(
          step: body.step, isApproved: body.approved ?? true, values: body.values ?? [:]),
        to: record,
        comment: body.comment)
    case "set":
      let body = try request.decoded(ChangeBody.SetResult.self)
      guard let result = HandmadeResult(word: body.result) else {
        throw Refusal(400, "result must be succeeded or skipped")
      }
      return try await send(.set(steps: body.step, result), to: record, comment: body.comment)
    case "pause":
      _ = try request.decoded(ChangeBody.None.self)
      return try await send(.pause, to: record)
    case "unpause":
      _ = try request.decoded(ChangeBody.None.self)
      return try await send(.unpause, to: record)
    default:
      throw Refusal(404, "there is nothing at this path; see Documentation/web.md")
    }
  }

  /// Who makes the requests of the page.
  private func requester(comment: String? = nil) -> Requester {
    Requester.command("web", comment: comment)
  }

  private func send(
    _ intervention: Intervention, to record: RunRecord, comment: String? = nil
  ) async throws -> Done {
    try await send(.run(intervention, by: requester(comment: comment)), to: record)
  }

  private func send(_ request: ControlRequest, to record: RunRecord) async throws -> Done {
    let answer = try await LiveRequest(request, of: record, in: journal).answer()
    return Done(text: answer.description, generation: answer.generation, steps: answer.steps)
  }

  // MARK: Commands

  /// Resumes a run that has ended, in a process of its own.
  private func resume(_ record: RunRecord, from steps: [String]) async throws -> Done {
    guard steps.count <= 1 else {
      throw Refusal(409, "a run that has ended can be restarted from one step at a time")
    }
    try expectNoZeroBytes(in: steps)
    try await project.started.resume(record, steps.flatMap { ["--from", $0] })
    return Done(text: "run \(record.id) goes on", run: record.id.description)
  }

  /// Starts the workflow of a run that has ended again, with the same parameters, as a new run.
  private func startAgain(_ record: RunRecord) async throws -> Done {
    let run = try await project.started.startAgain(record)
    return Done(text: "run \(run) of \(record.request.workflow) has started", run: run.description)
  }

  private func start(_ request: APIRequest) async throws -> Done {
    let body = try request.decoded(ChangeBody.Start.self)
    // Only what is in the folder of workflows: a path would show lines of any file in an error.
    guard WorkflowFiles.isName(body.workflow), !body.workflow.isEmpty,
      !body.workflow.hasPrefix("-")
    else { throw Refusal(400, "there is no workflow \"\(abridged(body.workflow))\"") }
    let params = (body.params ?? [:]).sorted { $0.key < $1.key }.flatMap { name, value in
      ["-p", "\(name)=\(value)"]
    }
    try expectNoZeroBytes(in: params)
    let run = try await project.started.start(
      ["run", body.workflow, "--progress", "none"] + params, in: project.folder, resuming: nil)
    return Done(text: "run \(run) of \(body.workflow) has started", run: run.description)
  }

  /// Refuses words that a command line cannot have.
  private func expectNoZeroBytes(in words: [String]) throws(Refusal) {
    guard !words.contains(where: { $0.utf8.contains(0) }) else {
      throw Refusal(400, "names and values must not contain zero bytes")
    }
  }

  private func trigger(_ request: APIRequest) async throws -> Done {
    let body = try request.decoded(ChangeBody.TriggerWatch.self)
    let name = request.path[1]
    let client = try await WatchList.client(of: name, in: journal)
    try await reply(of: client, to: .trigger(parameters: body.params ?? [:]))
    return Done(text: "the event for \(name) is recorded")
  }
}
