// Encodes runs and their events as JSON.

import FlyingFox
import FlyingSocks
import Foundation
import Reprise
import RepriseHost

/// The state of a run.
nonisolated struct RunResponse: Encodable {
  let id: RunID
  let phase: String
  let generation: Int
  let steps: [String: String]

  init(_ id: RunID, _ state: RunState) {
    self.id = id
    phase = "\(state.phase)"
    generation = state.generation
    steps = state.steps.reduce(into: [:]) { $0[$1.id] = "\($1.phase)" }
  }
}

/// The events of a run, one line of JSON each, until it ends.
nonisolated struct EventLines: AsyncBufferedSequence {
  typealias Element = UInt8
  let queued: QueuedRun

  func makeAsyncIterator() -> Iterator {
    Iterator(events: queued.events.values.makeAsyncIterator())
  }

  struct Iterator: AsyncBufferedIteratorProtocol {
    var events: AsyncThrowingPublisher<AnyPublisher<Event, HostError>>.AsyncIterator

    /// Never called: the server reads buffers.
    mutating func next() async throws -> UInt8? { fatalError("use nextBuffer") }

    mutating func nextBuffer(suggested count: Int) async throws -> Data? {
      guard let event = try await events.next() else { return nil }
      return try JSONEncoder().encode(event) + Data("\n".utf8)
    }
  }
}

nonisolated extension HTTPResponse {
  init(_ value: some Encodable, _ status: HTTPStatusCode = .ok) throws {
    self.init(statusCode: status, body: try JSONEncoder().encode(value) + Data("\n".utf8))
  }

  static func refusal(_ status: HTTPStatusCode, _ reason: String) -> HTTPResponse {
    HTTPResponse(statusCode: status, body: Data("\(reason)\n".utf8))
  }
}
