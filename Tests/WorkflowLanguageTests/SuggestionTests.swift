import Testing

@testable import WorkflowLanguage

/// What was probably meant by a word that means nothing.
struct SuggestionTests {
  @Test(arguments: [
    ("rn", ["on", "run", "uses"], "run"), ("nun", ["on", "run"], "run"),
    ("tset", ["test", "tests"], "test"), ("needz", ["needs", "seeds"], "needs"),
  ])
  func `of names that are equally near the one that begins alike was meant`(
    word: String, names: [String], meant: String
  ) {
    #expect(nearest(to: word, among: names) == meant)
    #expect(nearest(to: word, among: names.reversed()) == meant)
  }

  @Test func `what is far from all names has none that was meant`() {
    #expect(nearest(to: "xyz", among: ["run", "needs"]) == nil)
  }
}
