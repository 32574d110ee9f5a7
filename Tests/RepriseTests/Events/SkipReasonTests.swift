import Testing

@testable import Reprise

struct SkipReasonTests {
  @Test(arguments: [
    SkipReason.condition("params.go"), .condition(""), .need("a"), .need("a \"b\" was skipped"),
    .upToDate(note: nil), .upToDate(note: "no file matches"), .upToDateInRun(note: nil),
    .upToDateInRun(note: "x"), .unused, .ending(.failure), .endingOfFile(.cancelled),
    .noItems("each"),
    .nothingToUndo("pay"), .request, .other("the moon is full"), .other(""),
  ])
  func `a reason is read again from its text`(reason: SkipReason) {
    #expect(SkipReason(reason.description) == reason)
  }

  @Test(arguments: [
    "if", "step \"a was skipped", "step \"", "\" was skipped", "up to date, but",
    "the run ended with a bang", "step \" has no items",
  ])
  func `a text that is no known reason is kept`(text: String) {
    #expect(SkipReason(text) == .other(text) && SkipReason(text).description == text)
  }
}
