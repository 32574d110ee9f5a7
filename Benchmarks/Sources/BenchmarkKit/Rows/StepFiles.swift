// The same steps as a file for each of the peers. Knows nothing of what is measured.

/// Steps that all run the same command, and what each needs.
struct StepFiles {
  /// What each step runs.
  let command: String
  /// For each step, the numbers of the steps that it needs.
  let needs: [[Int]]
  /// How many of them run at once.
  let places: Int

  /// Steps without needs.
  init(independent count: Int, command: String, places: Int = 2) {
    self.command = command
    self.places = places
    needs = Array(repeating: [], count: count)
  }

  /// Steps one after the other, each needing the one before.
  init(chain count: Int, command: String) {
    self.command = command
    places = 1
    needs = (0..<count).map { $0 == 0 ? [] : [$0 - 1] }
  }

  /// Layers of a tenth of the steps, each step with two needs in the layer before.
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

  /// How many steps there are.
  var count: Int { needs.count }

  private func names(_ step: Int, _ separator: String, quote: String = "") -> String {
    needs[step].map { "\(quote)s\($0)\(quote)" }.joined(separator: separator)
  }

  private func lines(_ line: (Int) -> String) -> String { needs.indices.map(line).joined() }

  private var all: String { needs.indices.map { "s\($0)" }.joined(separator: " ") }

  /// As many at a time as there are places.
  var reprise: String {
    "max-parallel: \(places)\nsteps:\n"
      + lines { "  - { id: s\($0), needs: [\(names($0, ", "))], run: \"\(command)\" }\n" }
  }

  /// Nothing is ever made, so everything is run.
  var ninja: String {
    "rule run\n  command = \(command)\n" + lines { "build s\($0): run \(names($0, " "))\n" }
  }

  /// All targets are phony.
  var make: String {
    ".PHONY: all \(all)\nall: \(all)\n"
      + lines { "s\($0): \(names($0, " "))\n\t@\(command)\n" }
  }

  /// Each step once, its output kept until it ends.
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

  /// A rule needs files: each step makes an empty one, which snakemake does itself.
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
