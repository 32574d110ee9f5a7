// `reprise validate`: tells every mistake of each file, and runs nothing.

import ArgumentParser
import Reprise

struct ValidateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "validate",
    abstract: "Check workflow files and tell every mistake, without running anything.",
    discussion: """
      Exit status 0 when every file can be run, 2 when one cannot.

      EXAMPLE
        reprise validate workflows/*.yaml
      """)

  @Argument(
    help: "Paths of workflow files, or names of files in workflows/.",
    completion: .file(extensions: ["yaml", "yml"]))
  var files: [String]

  func run() async throws {
    var isValid = true
    for file in files {
      do {
        let path = try WorkflowFiles.path(of: file)
        let workflow = try Workflow(contentsOf: path, with: Arguments(leavesOpen: true))
        let count = workflow.steps.count
        print("\(path): \(count) \(count == 1 ? "step" : "steps"), no mistakes")
      } catch let error as WorkflowError {
        isValid = false
        printError(error.description)
      } catch let problem as Problem {
        isValid = false
        printError(problem.text)
      }
    }
    if !isValid { throw ExitStatus.wrongUse }
  }
}
