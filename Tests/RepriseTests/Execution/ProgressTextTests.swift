import Testing

@testable import Reprise

struct ProgressTextTests {
  @Test(
    arguments: [
      ("progress 0.7 compiling main", 0.7, "compiling main"), ("progress 70%", 0.7, ""),
      ("progress 7 x", 1, "x"), ("progress -1 x", 0, "x"),
      ("progress 0.1 a\nnonsense\nprogress 0.2 b\nprogress x", 0.2, "b"),
    ] as [(String, Double, String)])
  func `the last valid line counts`(_ lines: String, _ part: Double, _ text: String) {
    let progress = ProgressText.progress(in: lines)
    #expect(progress?.part == part && progress?.text == text)
  }

  @Test(arguments: ["", "progress", "progress nan x", "progress inf", "Progress 0.5", "0.5"])
  func `invalid lines are ignored`(_ lines: String) {
    #expect(ProgressText.progress(in: lines) == nil)
  }
}
