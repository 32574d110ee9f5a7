import Foundation
import Reprise
import TestSupport
import Testing

@testable import RepriseRunners

/// Equal items as one array, with programs that answer as schedulers with arrays do.
struct BatchArrayTests {
  /// A scheduler with arrays.
  struct Cluster: Sendable, CustomTestStringConvertible {
    let name: String
    let settings: String
    /// The option of `submit` that makes an array, and the variable with an index.
    let option: String
    let variable: String
    /// What `submit` prints for a job `$n`, and for an array.
    let said: (job: String, array: String)
    /// A line of the list, for an element `$i` of the array `$n`, and for a job alone.
    let line: (element: String, job: String)
    /// What comes between the number of an array and the index.
    let separator: String

    var testDescription: String { name }

    static let all = [
      Cluster(
        name: "Grid Engine", settings: "{ scheduler: sge }", option: "-t",
        variable: "SGE_TASK_ID", said: ("$n", "$n.1-$last:1"),
        line: (
          "  $n 0.555 r_a user $s 11/28/2026 22:33:21 main.q@n1 1 $i",
          "  $n 0.555 r_a user $s 11/28/2026 22:33:21 main.q@n1 1"
        ), separator: "."),
      Cluster(
        name: "PBS",
        settings: """
          {
            scheduler: pbs, status: [qstat, -t],
            array: {
              submit: [-J, "1-{count}"], job: "{job}[", element: "{job}[{index}]",
              variable: PBS_ARRAY_INDEX, limited: [too large]
            }
          }
          """, option: "-J", variable: "PBS_ARRAY_INDEX",
        said: ("$n.server", "$n[].server"),
        line: ("$n[$i].server r_a user 00:00:00 $s workq", "$n.server r_a user 00:00:00 $s workq"),
        separator: "["),
    ]

    /// Writes the programs: an element is a file `jobs/NUMBER-INDEX`, and starts when a file `open` is there.
    func write(to folder: TemporaryFolder, arrayMax: Int = 1000) throws {
      let words = name == "PBS" ? ("Q", "R") : ("qw", "r")
      let submitting = """
        mkdir -p jobs
        last=
        while [ $# -gt 1 ]; do
          case $1 in \(option)) last=${2#1-} ;; -q) echo "$2" >> queues ;; esac
          shift
        done
        if [ "${last:-1}" -gt \(arrayMax) ]; then
          echo 'you tried to submit a job with more than \(arrayMax) tasks, too large' >&2; exit 1
        fi
        n=1; until mkdir "number.$n" 2> /dev/null; do n=$((n + 1)); done
        [ -z "$last" ] || : > "array.$n"
        echo "${last:-alone}" >> submitted
        for i in $(seq 1 "${last:-1}"); do
          : > "jobs/$n-$i"
          (setsid sh -c ': > "apart.$1"
            until [ -e open ] || [ ! -e "jobs/$1" ]; do sleep 0.05; done
            [ -e "jobs/$1" ] || exit
            echo run > "jobs/$1"; \(variable)=$3 "$2"; rm "jobs/$1"' \\
            sh "$n-$i" "$1" "$i" > /dev/null 2>&1 &)
          # Like a daemon, it is not a part of this process any more.
          until [ -e "apart.$n-$i" ]; do sleep 0.02; done
        done
        if [ "$last" ]; then echo "\(said.array)"; else echo "\(said.job)"; fi
        """
      let listing = """
        for file in jobs/*; do
          [ -e "$file" ] || continue
          n=${file#jobs/}; i=${n#*-}; n=${n%-*}; s=\(words.0); [ -s "$file" ] && s=\(words.1)
          if [ -e "array.$n" ]; then echo "\(line.element)"; else echo "\(line.job)"; fi
        done
        """
      let removing = """
        echo "$*" >> removed
        for word; do
          n=${word%%"\(separator)"*}; i=${word#"$n"}; i=${i#"\(separator)"}; i=${i%]}
          rm -f "jobs/$n-${i:-1}"
        done
        """
      for (name, script) in [("qsub", submitting), ("qstat", listing), ("qdel", removing)] {
        try BatchRunnerTests.Fake.write(
          "#!/bin/sh\ncd '\(folder.path)'\n\(script)\n", as: name, to: folder)
      }
    }
  }

  private func start(
    _ steps: String, on cluster: Cluster, in folder: TemporaryFolder
  ) throws -> Run {
    let environment = ["PATH": "\(folder.path)/bin:/usr/bin:/bin", "HOME": "/"]
    let text = "runners: { far: { batch: \(cluster.settings) } }\nrunner: far\n\(steps)"
    let engine = RunnerCase.engine(
      in: folder, LocalExecutor(environment: environment, directory: folder.path))
    return engine.start(try Workflow(text: text, file: "w.yaml", actions: RunnerCase.catalog))
  }

  private func jobs(in folder: TemporaryFolder) -> Set<String> {
    Set((try? FileManager.default.contentsOfDirectory(atPath: folder.path + "/jobs")) ?? [])
  }

  @Test(arguments: Cluster.all)
  func `equal items are one array, and each runs with its own number`(
    _ cluster: Cluster
  ) async throws {
    let folder = try TemporaryFolder()
    try cluster.write(to: folder)
    let run = try start(
      """
      max-parallel: 50
      steps:
        - id: a
          foreach: { from: 1, to: 12 }
          run: echo "$REPRISE_STEP_ID ${\(cluster.variable)-none}" >> effects
        - { id: b, run: 'echo b >> effects' }
      """, on: cluster, in: folder)
    await expectEventually("it is shown why they wait, with their numbers") {
      let places = run.state.steps.compactMap(\.placement?.place.job)
      return Set(places).count == 12 && places.contains { $0.contains(cluster.separator) }
        && run.state.steps.allSatisfy { $0.placement?.queuedBecause != "" || $0.id == "b" }
    }
    try folder.write("open")
    #expect(try await run.outcome == .succeeded)
    #expect(
      folder.lines("effects").sorted() == ((0..<12).map { "a[\($0)] none" } + ["b"]).sorted())
    let arrays = folder.lines("submitted").dropLast()
    // On a busy machine, some come later than others.
    #expect(arrays.count < 12 && arrays.compactMap { Int($0) ?? 1 }.reduce(0, +) == 12)
    #expect(folder.lines("removed") == [])
  }

  @Test(arguments: Cluster.all)
  func `one element is restarted, and the others stay`(_ cluster: Cluster) async throws {
    let folder = try TemporaryFolder()
    try cluster.write(to: folder)
    let run = try start(
      "max-parallel: 50\nsteps: [{ id: a, foreach: { from: 1, to: 5 }, run: 'true' }]",
      on: cluster, in: folder)
    await expectEventually("all wait") {
      run.state.steps.count { $0.placement?.queuedBecause?.isEmpty == false } == 5
    }
    let first = jobs(in: folder)
    try run.restart(from: "a[2]")
    await expectEventually("one has left, and another one has come") {
      let now = jobs(in: folder)
      return first.subtracting(now).count == 1 && now.subtracting(first).count == 1
    }
    try folder.write("open")
    #expect(try await run.outcome == .succeeded)
  }

  @Test(arguments: Cluster.all)
  func `arrays that are too large are submitted in parts`(_ cluster: Cluster) async throws {
    let folder = try TemporaryFolder()
    try cluster.write(to: folder, arrayMax: 5)
    try folder.write("open")
    let run = try start(
      "max-parallel: 50\nsteps: [{ id: a, foreach: { from: 1, to: 16 }, run: 'echo x >> effects' }]",
      on: cluster, in: folder)
    #expect(try await run.outcome == .succeeded)
    #expect(folder.lines("effects").count == 16)
    #expect(folder.lines("submitted").compactMap { Int($0) ?? 1 }.allSatisfy { $0 <= 5 })
  }

  @Test func `items with other settings are another array`() async throws {
    let folder = try TemporaryFolder()
    let cluster = Cluster.all[0]
    try cluster.write(to: folder)
    try folder.write("open")
    let settings = "{ scheduler: sge, options: [-q, '${{ item > 4 }}'] }"
    let run = try start(
      """
      max-parallel: 50
      steps:
        - { id: a, foreach: { from: 1, to: 8 }, run: 'true', runner: { batch: \(settings) } }
      """, on: cluster, in: folder)
    #expect(try await run.outcome == .succeeded)
    #expect(Set(folder.lines("queues")) == ["true", "false"])
    #expect(folder.lines("submitted").compactMap { Int($0) ?? 1 }.reduce(0, +) == 8)
  }

  @Test func `jobs with other options, such as those of a later attempt, are another array`() {
    let commands = SchedulerCommands(in: RunnerSurroundings())
    func group(_ preset: BatchPreset, _ options: String...) -> String? {
      BatchScheduler(rules: preset.rules, options: options, commands: commands).arrayGroup
    }
    #expect(group(.sge, "-l", "h_rt=6") == group(.sge, "-l", "h_rt=6"))
    #expect(group(.sge, "-l", "h_rt=6") != group(.sge, "-l", "h_rt=12"))
    #expect(group(.pbs) == nil)
  }

  @Test func `an element without an index is an error of the file`() {
    let settings = "{ scheduler: pbs, array: { submit: [-J], element: '{job}', variable: X } }"
    #expect(throws: WorkflowError.self) {
      try Workflow(
        text: "runners: { far: { batch: \(settings) } }\nsteps: [{ id: a, runner: far, run: x }]\n",
        file: "w.yaml", actions: RunnerCase.catalog)
    }
  }
}
