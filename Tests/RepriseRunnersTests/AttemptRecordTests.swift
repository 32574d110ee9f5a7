import Reprise
import Testing

@testable import RepriseRunners

/// The record of an attempt, which an engine reads while a host writes it.
struct AttemptRecordTests {
  private static let news: [AttemptNews] = [
    .output(.standardOutput, text: "one\ntwo", isPartial: false),
    .output(.standardError, text: "", isPartial: false),
    .output(.standardOutput, text: "half  a line ", isPartial: true),
    .progress(0.25, "compiling"), .leftBehind("sleep 9"),
    .used(ResourceUse(processorTime: .milliseconds(1250), peakBytes: 34_000_000)),
    .output(.standardOutput, text: "ünï\u{1B}[1m cödé", isPartial: false),
  ]

  private static func written(_ news: [AttemptNews]) -> [UInt8] {
    news.flatMap { AttemptRecord.lines(of: $0, at: Timestamp(microseconds: 1_000_000)) }
  }

  @Test func `what is written is read again`() {
    #expect(AttemptRecord.news(in: Self.written(Self.news)[...]) == Self.news)
  }

  @Test func `lines of one stream are joined when they are read together`() {
    let lines: [AttemptNews] = ["a", "b", "c"].map {
      .output(.standardOutput, text: $0, isPartial: false)
    }
    #expect(
      AttemptRecord.news(in: Self.written(lines)[...])
        == [.output(.standardOutput, text: "a\nb\nc", isPartial: false)])
  }

  @Test func `a line has the form of the logs of containers`() {
    let bytes = Self.written([.output(.standardError, text: "oops", isPartial: true)])
    #expect(String(decoding: bytes, as: UTF8.self) == "1970-01-01T00:00:01.000000Z stderr P oops\n")
  }

  @Test func `a line that is damaged is left out`() {
    let bytes = Array("garbage\n\n1970-01-01T00:00:01Z stdout F fine\nx y\n".utf8)
    #expect(
      AttemptRecord.news(in: bytes[...])
        == [.output(.standardOutput, text: "fine", isPartial: false)])
  }
}
