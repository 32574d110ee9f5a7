import Testing

@testable import Reprise

struct PlainCommandTests {
  @Test(arguments: [
    ("sleep 1", ["sleep", "1"]),
    ("  swift  build\t-c release\n", ["swift", "build", "-c", "release"]),
    ("grep 'a b' \"c d\"", ["grep", "a b", "c d"]),
    ("cat fi'le na'me", ["cat", "file name"]),
    ("tool ''", ["tool", ""]),
    ("./run-me --x=1 a@b:c,d%e+f", ["./run-me", "--x=1", "a@b:c,d%e+f"]),
    ("grep '$HOME `x` \\'", ["grep", "$HOME `x` \\"]),
    ("tool naïve", ["tool", "naïve"]),
  ])
  func `a plain command line is split into its words`(_ script: String, _ words: [String]) {
    #expect(PlainCommand.words(of: script) == words)
  }

  @Test(arguments: [
    "a; b", "a && b", "a | b", "a > b", "echo $HOME", "ls *.c", "ls ~", "(a)", "a &", "a\nb",
    "a # b", "VAR=1 a", "cd /tmp", "exit 3", "if a", "! a", "a `b`", "a \"$b\"", "a 'b", "{ a", "",
    "[ a ]", "export A", "\"a\nb\" c", "a \\ b", "'' a", "echo -e x",
  ])
  func `a script with shell syntax is left to the shell`(_ script: String) {
    #expect(PlainCommand.words(of: script) == nil)
  }
}
