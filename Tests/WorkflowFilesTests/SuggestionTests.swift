import Testing

@testable import WorkflowFiles

/// Suggestions for unknown words.
struct SuggestionTests {
  @Test(arguments: [
    ("rn", ["on", "run", "uses"], "run"), ("nun", ["on", "run"], "run"),
    ("tset", ["test", "tests"], "test"), ("needz", ["needs", "seeds"], "needs"),
  ])
  func `of equally near names the one with the same first letters is suggested`(
    word: String, names: [String], meant: String
  ) {
    #expect(nearest(to: word, among: names) == meant)
    #expect(nearest(to: word, among: names.reversed()) == meant)
  }

  @Test func `a word that is far from all names has no suggestion`() {
    #expect(nearest(to: "xyz", among: ["run", "needs"]) == nil)
  }
}
