// What is missing for the runners of a workflow.

package import Reprise
import RepriseRunners

/// Whether the runners of a workflow can be used from here.
package struct RunnerReport: Sendable {
  private let runners: [RunnerChoice]

  /// The kinds of runners, for reading a workflow that is only inspected.
  package static var catalog: ActionCatalog {
    var catalog = StandardRunners.catalog
    catalog.isComplete = false
    return catalog
  }

  /// Creates a report on the runners of a workflow.
  package init(_ workflow: Workflow) {
    runners = workflow.runners
  }

  /// What is missing, a sentence for each problem.
  package var problems: [String] {
    get async {
      await answers.flatMap { runner, problems in
        problems.map { "runner \(runner.title): \($0)" }
      }
    }
  }

  /// Each runner, with what is missing for it.
  ///
  /// Asks other programs and machines, all runners at once.
  package var answers: [(runner: RunnerChoice, problems: [String])] {
    get async {
      let engine = EngineSettings().makeEngine()
      return await withTaskGroup(of: (Int, [String]).self) { group in
        for (position, runner) in runners.enumerated() {
          group.addTask { (position, await engine.problems(of: runner)) }
        }
        var answers = runners.map { (runner: $0, problems: [String]()) }
        for await (position, problems) in group { answers[position].problems = problems }
        return answers
      }
    }
  }
}
