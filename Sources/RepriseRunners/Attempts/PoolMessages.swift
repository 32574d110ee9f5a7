// The messages between an engine and a pool of attempts, one JSON object per line.

import Reprise

/// A request of an engine to a pool.
struct PoolRequest: Codable, Sendable {
  enum Kind: String, Codable {
    /// Says that the engine is alive; the pool answers with its machine.
    case hello
    /// Begins an attempt; its news follow without further request.
    case begin
    /// Asks what is known of an attempt.
    case look
    /// Asks for the news of an attempt from an offset on.
    case follow
    case stop
    /// Gives an attempt up.
    case abandon
    /// Removes the records of a run, which has ended.
    case remove
  }

  var request: Kind
  var id: Int
  var token: String?
  /// For begin: what to run; nil if it is in the folder of the attempt.
  var spec: AttemptSpec?
  var offset: Int64?
  var grace: Duration?
  /// For remove.
  var run: String?
  /// For hello: how long attempts go on without a sign of life, in seconds.
  var patience: Double?
}

/// A reply of a pool, a piece of news, or both.
struct PoolMessage: Codable, Sendable {
  /// The request that it answers; nil if it is only news.
  var id: Int?
  var host: String?
  /// The reason that a request was refused.
  var refused: String?
  /// The reason that nothing can be said now.
  var cannotAsk: String?
  var sight: CodedSight?
  var token: String?
  var news: CodedNews?
  var next: Int64?

  /// Adds a piece of news of an attempt, and the mark after it.
  mutating func carry(_ news: AttemptNews, of token: AttemptToken, next: OutputMark) {
    self.token = token.text
    self.news = CodedNews(news)
    self.next = next.offset
  }
}

/// What is known of an attempt, as JSON.
struct CodedSight: Codable, Sendable {
  var state: String
  var text: String?

  init(_ sight: AttemptSight) {
    switch sight {
    case .queued(let text): (state, self.text) = ("queued", text)
    case .running(let host): (state, text) = ("running", host)
    case .ended: state = "ended"
    case .gone: state = "gone"
    case .unknown(let text): (state, self.text) = ("unknown", text)
    }
  }

  var sight: AttemptSight {
    switch state {
    case "queued": .queued(text ?? "")
    case "running": .running(host: text ?? "")
    case "ended": .ended
    case "gone": .gone
    default: .unknown(text ?? state)
    }
  }
}

/// A piece of news, as JSON.
struct CodedNews: Codable, Sendable {
  var kind: String
  var text: String?
  var part: Double?
  var isPartial: Bool?
  var result: CodedResult?
  var outputs: StepOutputs?

  init(_ news: AttemptNews) {
    switch news {
    case .queued(let text): (kind, self.text) = ("queued", text)
    case .started(let host): (kind, text) = ("started", host)
    case .output(let stream, let text, let isPartial):
      (kind, self.text, self.isPartial) = (stream.rawValue, text, isPartial ? true : nil)
    case .progress(let part, let text): (kind, self.part, self.text) = ("progress", part, text)
    case .ready: kind = "ready"
    case .written(let outputs): (kind, self.outputs) = ("written", outputs)
    case .leftBehind(let text): (kind, self.text) = ("left-behind", text)
    case .used(let use): (kind, self.text) = ("used", AttemptRecord.text(of: use))
    case .outOfSight(let text): (kind, self.text) = ("out-of-sight", text)
    case .ended(let result): (kind, self.result) = ("ended", CodedResult(result))
    }
  }

  var news: AttemptNews? {
    if let stream = OutputChannel(rawValue: kind) {
      return .output(stream, text: text ?? "", isPartial: isPartial ?? false)
    }
    return switch kind {
    case "queued": .queued(text ?? "")
    case "started": .started(host: text ?? "")
    case "progress": .progress(part ?? 0, text ?? "")
    case "ready": .ready
    case "written": .written(outputs ?? [:])
    case "left-behind": .leftBehind(text ?? "")
    case "used": text.flatMap { AttemptRecord.use($0[...]) }.map(AttemptNews.used)
    case "out-of-sight": .outOfSight(text ?? "")
    case "ended": result?.result.map(AttemptNews.ended)
    default: nil
    }
  }
}
