// run-server [PORT]: starts, shows, streams, restarts and cancels runs over HTTP, until SIGTERM.

import FlyingFox
import Foundation
import Logging
import Reprise
import RepriseObservability
import RepriseService
import ServiceLifecycle
import Synchronization

@main
struct RunServer {
  static func main() async throws {
    LoggingSystem.bootstrap { StreamLogHandler.standardError(label: $0) }
    let logger = Logger(label: "run-server")
    var engine = Engine()
    engine.observer = Observability(logger: logger)
    let engineService = EngineService(engine)
    let port = CommandLine.arguments.dropFirst().first.flatMap(UInt16.init) ?? 8080
    let web = try WebService(port: port, workflows: engineService)
    // Services shut down in reverse order, so clients that stream the events of a run receive its end.
    try await ServiceGroup(
      services: [web, engineService], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger
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

/// The web server, with the runs that clients can still request.
nonisolated final class WebService: Service {
  private let server: HTTPServer
  private let workflows: EngineService
  private let runs = Mutex<[String: Run]>([:])

  init(port: UInt16, workflows: EngineService) throws {
    server = HTTPServer(address: try .inet(ip4: "127.0.0.1", port: port))
    self.workflows = workflows
  }

  func run() async throws {
    await server.appendRoute("POST /runs") { [self] in try await start($0) }
    await server.appendRoute("GET /runs/:id", to: about { run, _ in try .init(RunResponse(run)) })
    await server.appendRoute(
      "GET /runs/:id/events",
      to: about { run, _ in .init(statusCode: .ok, body: .init(from: EventLines(run: run))) })
    await server.appendRoute(
      "POST /runs/:id/restart",
      to: about { run, request in
        if let step = request.query["from"] { try run.restart(from: step) } else { run.restart() }
        return .init(statusCode: .accepted)
      })
    await server.appendRoute(
      "POST /runs/:id/cancel",
      to: about { run, _ in
        run.cancel()
        return .init(statusCode: .accepted)
      })
    await server.appendRoute(
      "DELETE /runs/:id",
      to: about { [self] run, _ in
        run.cancel()
        runs.withLock { $0["\(run.id)"] = nil }
        return .init(statusCode: .noContent)
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

  private func start(_ request: HTTPRequest) async throws -> HTTPResponse {
    do {
      let body = try Value(json: String(decoding: try await request.bodyData, as: UTF8.self))
      guard case .map(let values) = body else { return .init(statusCode: .badRequest) }
      let run = try workflows.start(try report(Arguments(values.mapValues(\.asText))))
      runs.withLock { $0["\(run.id)"] = run }
      return try HTTPResponse(RunResponse(run), .created)
    } catch let error as EngineService.ShuttingDown {
      return HTTPResponse(statusCode: .serviceUnavailable, body: Data("\(error)\n".utf8))
    } catch {
      return HTTPResponse(statusCode: .badRequest, body: Data("\(error)\n".utf8))
    }
  }

  /// Returns a handler for requests about one run.
  private func about(
    _ answer: @escaping @Sendable (Run, HTTPRequest) throws -> HTTPResponse
  ) -> ClosureHTTPHandler {
    ClosureHTTPHandler { [self] request in
      let id = request.routeParameters["id"] ?? ""
      guard let run = runs.withLock({ $0[id] }) else { return .init(statusCode: .notFound) }
      do {
        return try answer(run, request)
      } catch let error as SelectionError {
        return .init(statusCode: .notFound, body: Data("\(error)\n".utf8))
      }
    }
  }
}
