// snippets FOLDER: writes the Swift code of the documentation as programs. See `Examples/check-snippets`.

import Foundation

let folder = URL(fileURLWithPath: CommandLine.arguments[1])
var problems: [String] = []
var list = ""
let programs = try Snippet.all().filter { $0.kind == .program }
for (number, snippet) in programs.enumerated() {
  let place = "\(snippet.path):\(snippet.line)"
  if snippet.text.contains(Snippet.givenValue) {
    problems.append("\(place): a given declaration has no value, so this block cannot be run")
  }
  if snippet.prints.isEmpty { problems.append("\(place): this block has no `prints` comment") }
  try Data(snippet.code.utf8).write(to: folder.appendingPathComponent("\(number).swift"))
  let expected = snippet.prints.map { $0 + "\n" }.joined()
  try Data(expected.utf8).write(to: folder.appendingPathComponent("\(number).expected"))
  list += "\(number) \(place)\n"
}
try Data(list.utf8).write(to: folder.appendingPathComponent("list"))
for problem in problems { print(problem) }
exit(problems.isEmpty ? 0 : 1)
