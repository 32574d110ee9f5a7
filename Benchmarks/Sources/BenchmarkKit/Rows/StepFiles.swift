// The same steps as a file for each of the peers.

/// Steps that all run the same command, with their needs.
struct StepFiles {
  /// The command of each step.
  let command: String
  /// For each step, the numbers of the steps that it needs.
  let needs: [[Int]]
  /// The maximum number of steps that run at once.
  let places: Int

  /// Creates steps without needs.
  init(independent count: Int, command: String, places: Int = 2) {
    self.command = command
    self.places = places
    needs = Array(repeating: [], count: count)
  }

  /// Creates a chain of steps, each of which needs the previous one.
  init(chain count: Int, command: String) {
    self.command = command
    places = 1
    needs = (0..<count).map { $0 == 0 ? [] : [$0 - 1] }
  }

  /// Creates layers of a tenth of the steps, each step with two needs in the previous layer.
  init(layered count: Int, command: String) {
    self.command = command
    places = 2
    let width = count / 10
    needs = (0..<count).map { step in
      let start = (step / width - 1) * width
      let column = step % width
      // 7 × column + 3 is never column modulo an even width: 6 × column + 3 is odd.
      return start < 0 ? [] : [start + column, start + (column * 7 + 3) % width]
    }
  }

  /// The number of steps.
  var count: Int { needs.count }

  private func names(_ step: Int, _ separator: String, quote: String = "") -> String {
    needs[step].map { "\(quote)s\($0)\(quote)" }.joined(separator: separator)
  }

  private func lines(_ line: (Int) -> String) -> String { needs.indices.map(line).joined() }

  private var all: String { needs.indices.map { "s\($0)" }.joined(separator: " ") }

  /// The workflow file.
  var reprise: String {
    "max-parallel: \(places)\nsteps:\n"
      + lines { "  - { id: s\($0), needs: [\(names($0, ", "))], run: \"\(command)\" }\n" }
  }

  /// Targets are never created, so all steps are run.
  var ninja: String {
    "rule run\n  command = \(command)\n" + lines { "build s\($0): run \(names($0, " "))\n" }
  }

  /// All targets are phony.
  var make: String {
    ".PHONY: all \(all)\nall: \(all)\n"
      + lines { "s\($0): \(names($0, " "))\n\t@\(command)\n" }
  }

  /// Each step runs once, and its output is grouped.
  var goTask: String {
    "version: '3'\nrun: once\noutput: group\ntasks:\n  all:\n    deps: ["
      + needs.indices.map { "s\($0)" }.joined(separator: ", ") + "]\n"
      + lines {
        "  s\($0):\n    deps: [\(names($0, ", "))]\n    cmds:\n      - \"\(command)\"\n"
      }
  }

  /// A recipe for each step.
  var just: String {
    "all: \(all)\n" + lines { "s\($0): \(names($0, " "))\n\t@\(command)\n" }
  }

  /// A rule needs files, so each step touches an empty file, which snakemake does itself.
  var snakemake: String {
    "rule all:\n  input: [f\"s{n}\" for n in range(\(count))]\n"
      + lines {
        "rule:\n  name: \"s\($0)\"\n  input: [\(names($0, ", ", quote: "\""))]\n"
          + "  output: touch(\"s\($0)\")\n  shell: \"\(command)\"\n"
      }
  }

  /// Tasks without files are always run.
  var doit: String {
    "def task_all():\n"
      + lines {
        "  yield {'name': 's\($0)', 'actions': ['\(command)'], 'task_dep': ["
          + needs[$0].map { "'all:s\($0)'" }.joined(separator: ", ") + "]}\n"
      }
  }
}
