// Encodes runs and their events as JSON.

import FlyingFox
import FlyingSocks
import Foundation
import Reprise

/// The state of a run.
nonisolated struct RunResponse: Encodable {
  let id: RunID
  let phase: String
  let generation: Int
  let steps: [String: String]

  init(_ run: Run) {
    let state = run.state
    id = run.id
    phase = "\(state.phase)"
    generation = state.generation
    steps = state.steps.reduce(into: [:]) { $0[$1.id] = "\($1.phase)" }
  }
}

/// The events of a run, one line of JSON each, until it ends.
nonisolated struct EventLines: AsyncBufferedSequence {
  typealias Element = UInt8
  let run: Run

  func makeAsyncIterator() -> Iterator { Iterator(events: run.events.values.makeAsyncIterator()) }

  struct Iterator: AsyncBufferedIteratorProtocol {
    var events: AsyncPublisher<RunEvents>.AsyncIterator

    /// Never called: the server reads buffers.
    mutating func next() async throws -> UInt8? { fatalError("use nextBuffer") }

    mutating func nextBuffer(suggested count: Int) async throws -> Data? {
      guard let event = await events.next() else { return nil }
      return try JSONEncoder().encode(event) + Data("\n".utf8)
    }
  }
}

nonisolated extension HTTPResponse {
  init(_ value: some Encodable, _ status: HTTPStatusCode = .ok) throws {
    self.init(statusCode: status, body: try JSONEncoder().encode(value) + Data("\n".utf8))
  }
}
