// What one page is sent: server-sent events from the contents of the feeds of its projects.

import Reprise
import RepriseHost
import RepriseJournal

/// The events for one connection, as bytes of a stream of server-sent events
/// (https://html.spec.whatwg.org/multipage/server-sent-events.html).
///
/// Each piece is made when it is asked for, from what the feeds have read by then: a slow connection
/// gets fewer and larger pieces, costs no memory and misses no recorded event.
package struct FeedReader: AsyncSequence, Sendable {
  package typealias Element = [UInt8]
  package typealias Failure = Never

  /// The longest silence of a stream; then a comment follows.
  static let silenceMax: Duration = .seconds(15)
  /// The minimum time between two messages with what takes longer for many steps.
  static let slowInterval: Duration = .seconds(1)

  private let feeds: [ProjectFeed]
  private let positions: [RunID: Int]
  private let signals: AsyncStream<Void>
  /// Ends the subscription; must be called once the connection is closed.
  package let end: @Sendable () -> Void

  /// Creates a reader of everything that happens in some projects from now on.
  ///
  /// - Parameters:
  ///   - feeds: The feeds of the projects.
  ///   - positions: The runs to follow, each with the number of its events that are known.
  init(of feeds: [ProjectFeed], following positions: [RunID: Int]) {
    let (signals, signal) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let ends = feeds.map { $0.addReader(signal, following: Array(positions.keys)) }
    signal.yield()
    self.feeds = feeds
    self.positions = positions
    self.signals = signals
    end = {
      signal.finish()
      for end in ends { end() }
    }
  }

  package func makeAsyncIterator() -> Iterator {
    Iterator(feeds: feeds, signals: signals.makeAsyncIterator(), positions: positions)
  }

  /// What one connection knows of the lists of a project.
  private struct KnownLists {
    private var lines: [String: RunLine] = [:]
    private var watches: [WatchLine]?

    mutating func addChanges(
      of feed: ProjectFeed, _ contents: ProjectFeed.Contents, to text: inout StreamText
    ) {
      var changed: [RunLine] = []
      var ids: Set<String> = []
      for line in contents.lines {
        ids.insert(line.id)
        // The elapsed time changes always, and the page has a clock of its own.
        if lines[line.id]?.withoutClock != line.withoutClock { changed.append(line) }
        lines[line.id] = line
      }
      // A run that is only older than the newest ones is not gone.
      let oldest = contents.lines.last?.started
      let removed = lines.values.filter { line in
        !ids.contains(line.id) && (oldest.map { line.started > $0 } ?? true)
      }.map(\.id).sorted()
      for id in lines.keys where !ids.contains(id) { lines[id] = nil }
      if !changed.isEmpty || !removed.isEmpty {
        text.add(
          "runs",
          ListFrame(
            project: feed.name, runs: changed, removed: removed.isEmpty ? nil : removed))
      }
      if watches != contents.watches {
        watches = contents.watches
        text.add("watches", WatchesFrame(project: feed.name, watches: contents.watches))
      }
    }
  }

  /// The position of one connection in the feeds.
  package struct Iterator: AsyncIteratorProtocol {
    private let feeds: [ProjectFeed]
    private var lists: [KnownLists]
    private var signals: AsyncStream<Void>.Iterator
    private var positions: [RunID: Int]
    private var progressVersions: [RunID: Int] = [:]
    private var outputVersions: [RunID: Int] = [:]
    private var slowFieldsSentAt: [RunID: ContinuousClock.Instant] = [:]
    private var owesSlowFields: Set<RunID> = []
    private var sentAt = ContinuousClock.now

    fileprivate init(
      feeds: [ProjectFeed], signals: AsyncStream<Void>.Iterator, positions: [RunID: Int]
    ) {
      self.feeds = feeds
      lists = feeds.map { _ in KnownLists() }
      self.signals = signals
      self.positions = positions
    }

    package mutating func next() async -> [UInt8]? {
      while await signals.next(isolation: nil) != nil {
        var text = StreamText()
        let runs = positions.keys.sorted { $0.description < $1.description }
        for (at, feed) in feeds.enumerated() {
          let contents = feed.contents
          lists[at].addChanges(of: feed, contents, to: &text)
          for id in runs {
            if let run = contents.runs[id] { await addRun(run, of: feed, to: &text) }
          }
        }
        let now = ContinuousClock.now
        if text.bytes.isEmpty {
          guard now - sentAt >= FeedReader.silenceMax else { continue }
          text.addComment()
        }
        sentAt = now
        return text.bytes
      }
      return nil
    }

    private mutating func addRun(
      _ run: FollowedRun, of feed: ProjectFeed, to text: inout StreamText
    ) async {
      let id = run.record.id
      let position = positions[id] ?? 0
      let journal = feed.journal
      let events =
        position > run.number
        ? nil : try? await blocking { try run.events(after: position, in: journal) }
      guard let events else {
        // The record is not the one that the page has seen.
        positions[id] = run.number
        return text.add("reset", ["run": id.description])
      }
      let now = ContinuousClock.now
      let isDue = slowFieldsSentAt[id].map { now - $0 >= FeedReader.slowInterval } ?? true
      if !events.isEmpty || (isDue && owesSlowFields.contains(id)) {
        let isEnd = if case .ended = run.state.phase { true } else { false }
        let addsSlowFields = isEnd || isDue
        if addsSlowFields {
          slowFieldsSentAt[id] = now
          owesSlowFields.remove(id)
        } else if owesSlowFields.insert(id).inserted {
          // While a long step runs, nothing else may happen.
          feed.wake(after: FeedReader.slowInterval)
        }
        let frame = RunFrame(run, events, addsSlowFields: addsSlowFields)
        positions[id] = run.number
        let marks = positions.map { "\($0.key):\($0.value)" }.sorted().joined(separator: ",")
        text.add("run", frame, id: marks)
      }
      if progressVersions[id, default: 0] < run.progressVersion {
        progressVersions[id] = run.progressVersion
        text.add("progress", ProgressFrame(run: id.description, steps: run.progress))
      }
      let seen = outputVersions[id, default: 0]
      if seen < run.outputVersion {
        outputVersions[id] = run.outputVersion
        let grown = run.outputs.filter { $0.value.version > seen }
        text.add("output", OutputFrame(run: id.description, grown, in: feed.journal.directory))
      }
    }
  }
}

/// The text of server-sent events.
struct StreamText {
  private(set) var bytes: [UInt8] = []

  /// Adds an event.
  ///
  /// - Parameters:
  ///   - name: The name of the event.
  ///   - value: Its data; JSON has no line feeds.
  ///   - id: The position, which a browser sends back when it connects again.
  mutating func add(_ name: String, _ value: some Encodable, id: String? = nil) {
    bytes += Array("event: \(name)\n".utf8)
    if let id { bytes += Array("id: \(id)\n".utf8) }
    bytes += Array("data: ".utf8)
    bytes += jsonBytes(value)
    bytes += Array("\n\n".utf8)
  }

  mutating func addComment() { bytes += Array(": still here\n\n".utf8) }
}
