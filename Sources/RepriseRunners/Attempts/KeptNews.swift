// The news of an attempt in a kept place, and what the place knows of it.

import Reprise

/// Reads the news of an attempt: from the wait for a place to the end in it.
actor KeptNews {
  private let attempt: KeptAttempt
  private var mark: OutputMark
  private var news: AsyncThrowingStream<MarkedNews, any Error>.Iterator?
  private var hasEnded = false

  init(_ attempt: KeptAttempt, from mark: OutputMark) {
    self.attempt = attempt
    self.mark = mark
  }

  func next() async throws -> MarkedNews? {
    if hasEnded { return nil }
    if news == nil, let before = try await attempt.nextBefore() {
      if case .ended = before { hasEnded = true }
      return MarkedNews(before, next: mark)
    }
    var news = self.news ?? attempt.newsInPlace(from: mark).makeAsyncIterator()
    self.news = news
    let item = try await news.next(isolation: self)
    if case .ended? = item?.news {
      hasEnded = true
      attempt.ended()
    }
    return item
  }
}

/// What a place knows of an attempt, apart from its files.
struct KeptPlaceSite: AttemptSite {
  let place: KeptPlace
  let isThisMachine: Bool

  var name: String { "the place" }

  func submit(
    _ spec: AttemptSpec, _ token: AttemptToken, _ folder: AttemptFolder
  ) async throws(RunnerFailure) -> String {
    throw .refused("a place submits nothing")
  }

  func sight(of token: AttemptToken) async throws(RunnerFailure) -> SiteSight {
    switch place.status {
    case .over: return .absent
    case .waiting(let reason): throw .cannotAsk(reason)
    case .ready: break
    }
    guard place.connects else { return .present }
    switch try await place.pool.look([token])[token] {
    case .gone, .ended: return .absent
    case .queued, .running: return .present
    case .unknown(let text): throw .cannotAsk(text)
    case nil: throw .cannotAsk("no answer")
    }
  }
}
