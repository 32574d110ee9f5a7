// run-server [PORT]: starts, shows, streams, restarts and cancels recorded runs over HTTP, until SIGTERM.
// Resumes what an earlier process has left, however it ended.

import FlyingFox
import Foundation
import Logging
import Reprise
import RepriseHost
import RepriseJournal
import RepriseObservability
import ServiceLifecycle

@main
struct RunServer {
  static func main() async throws {
    LoggingSystem.bootstrap { StreamLogHandler.standardError(label: $0) }
    let logger = Logger(label: "run-server")
    var engine = Engine()
    engine.observer = Observability(logger: logger)
    let host = RunHost(engine, recordingIn: try Journal()) { logger.info("\($0)") }
    for record in try await host.journal.unfinishedRuns(of: "report") {
      try await host.enqueue(
        resuming: record.id, with: report(Arguments(record.parameters)))
    }
    let port = CommandLine.arguments.dropFirst().first.flatMap(UInt16.init) ?? 8080
    let web = try WebService(port: port, host: host)
    // Services shut down in reverse order, so clients that stream the events of a run receive its end.
    try await ServiceGroup(
      services: [web, HostService(host: host)], gracefulShutdownSignals: [.sigterm, .sigint],
      logger: logger
    ).run()
  }
}

/// Returns the workflow that reports on one page.
///
/// Concurrent reports of the same page fetch it once.
nonisolated func report(_ arguments: Arguments) throws -> Workflow {
  try Workflow(
    "report", .parameter("page", .string), .parameter("seconds", .number, default: 1),
    with: arguments
  ) {
    Step(
      "fetch", run: "sleep $SECONDS_TO_TAKE; echo size=42 >> $REPRISE_OUTPUT",
      .share("fetch-${{ params.page }}"),
      .environment(["SECONDS_TO_TAKE": "${{ params.seconds }}"]))
    Step("write") { context in
      context.logger.info("writing")
      return ["size": try context.input("fetch", as: [String: Int].self)["size"] ?? 0]
    }
  }
}

/// Interrupts the runs when the group shuts down; the next process resumes them.
nonisolated struct HostService: Service {
  let host: RunHost

  func run() async throws {
    // Throws if the group is cancelled, which ends the runs in the same way.
    try? await gracefulShutdown()
    await host.shutDown()
  }
}

/// The web server.
nonisolated final class WebService: Service {
  private let server: HTTPServer
  private let host: RunHost

  init(port: UInt16, host: RunHost) throws {
    server = HTTPServer(address: try .inet(ip4: "127.0.0.1", port: port))
    self.host = host
  }

  func run() async throws {
    await server.appendRoute("POST /runs") { [self] in try await start($0) }
    await server.appendRoute("GET /runs/:id") { [self] request in
      guard let id = Self.id(request) else { return .init(statusCode: .notFound) }
      return try await answer(about: id)
    }
    await server.appendRoute(
      "GET /runs/:id/events",
      to: about { queued, _ in
        .init(statusCode: .ok, body: .init(from: EventLines(queued: queued)))
      })
    await server.appendRoute(
      "POST /runs/:id/restart",
      to: about { queued, request in
        let run = try await queued.begun()
        if let step = request.query["from"] { try run.restart(from: step) } else { run.restart() }
        return .init(statusCode: .accepted)
      })
    await server.appendRoute(
      "POST /runs/:id/cancel",
      to: about { queued, _ in
        // The answer is a promise: the cancel is recorded when this returns.
        do {
          try await queued.perform(.cancel())
        } catch {
          return .init(statusCode: .conflict)
        }
        return .init(statusCode: .accepted)
      })
    try await withGracefulShutdownHandler {
      do {
        try await server.run()
      } catch {
        guard Task.isShuttingDownGracefully else { throw error }
      }
    } onGracefulShutdown: {
      Task { await self.server.stop(timeout: 5) }
    }
  }

  /// Starts a run.
  ///
  /// Its key is its id, so that a request that is sent again starts nothing.
  private func start(_ request: HTTPRequest) async throws -> HTTPResponse {
    let key = request.headers[HTTPHeader("Idempotency-Key")]
    guard let id = key.map({ RunID($0) }) ?? RunID() else {
      return .refusal(.badRequest, "the key must be a valid id of a run")
    }
    do {
      let body = try Value(json: String(decoding: try await request.bodyData, as: UTF8.self))
      guard case .map(let values) = body else { return .init(statusCode: .badRequest) }
      // Recorded when this returns: a server that is killed from now on resumes it.
      try await host.enqueue(report(Arguments(values.mapValues(\.asText))), id: id)
      return try await answer(about: id, .accepted)
    } catch HostError.idIsUsed {
      return try await answer(about: id)
    } catch HostError.isShutDown {
      return .refusal(.serviceUnavailable, "\(HostError.isShutDown)")
    } catch {
      return .refusal(.badRequest, "\(error)")
    }
  }

  /// Returns the state of a run in progress, or of one that has ended, also in an earlier process.
  private func answer(about id: RunID, _ status: HTTPStatusCode = .ok) async throws -> HTTPResponse
  {
    if let run = host.run(id)?.run { return try .init(RunResponse(id, run.state), status) }
    guard let state = try? await host.journal.state(of: id) else {
      return .init(statusCode: .notFound)
    }
    return try .init(RunResponse(id, state), status)
  }

  /// Returns a handler for requests about one run that has not ended.
  private func about(
    _ answer: @escaping @Sendable (QueuedRun, HTTPRequest) async throws -> HTTPResponse
  ) -> ClosureHTTPHandler {
    ClosureHTTPHandler { [host] request in
      guard let queued = Self.id(request).flatMap(host.run) else {
        return .init(statusCode: .notFound)
      }
      do {
        return try await answer(queued, request)
      } catch let error as SelectionError {
        return .refusal(.notFound, "\(error)")
      }
    }
  }

  private static func id(_ request: HTTPRequest) -> RunID? {
    request.routeParameters["id"].flatMap { RunID($0) }
  }
}
