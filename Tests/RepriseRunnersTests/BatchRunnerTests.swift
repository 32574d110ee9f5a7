import Foundation
import Reprise
import TestSupport
import Testing

@testable import RepriseRunners

/// Schedulers by their three commands, which are programs that answer as they do.
struct BatchRunnerTests {
  /// A scheduler of which each command says what the real one says.
  struct Fake: Sendable, CustomTestStringConvertible {
    let preset: String
    let submit: String
    /// What it prints for the job `$n`.
    let said: String
    let status: String
    /// What it prints for a job `$n` in the state `$s`, after a header.
    let line: String
    let header: String
    /// Its words for a job that waits, and one that runs.
    let words: (queued: String, running: String)
    let cancel: String

    var testDescription: String { preset }

    static let all = [
      Fake(
        preset: "sge", submit: "qsub", said: "$n.1-1:1", status: "qstat",
        line: "      $n 0.55500 r_a        user         $s    11/28/2026 22:33:21 main.q@n1 1 1",
        header: "job-ID  prior   name       user         state submit/start at     queue\n-----",
        words: ("qw", "r"), cancel: "qdel"),
      Fake(
        preset: "pbs", submit: "qsub", said: "$n.server.example.org", status: "qstat",
        line: "$n.server         r_a              user              00:00:00 $s workq",
        header: "Job id            Name             User              Time Use S Queue\n------",
        words: ("Q", "R"), cancel: "qdel"),
      Fake(
        preset: "lsf", submit: "bsub", said: "Job <$n> is submitted to queue <normal>.",
        status: "bjobs", line: "$n PEND_OR_RUN_$s", header: "", words: ("PEND", "RUN"),
        cancel: "bkill"),
      Fake(
        preset: "htcondor", submit: "condor_submit", said: "$n.0 - $n.0", status: "condor_q",
        line: "$n $s", header: "", words: ("1", "2"), cancel: "condor_rm"),
      Fake(
        preset: "flux", submit: "flux", said: "f2$n", status: "flux", line: "f2$n $s", header: "",
        words: ("SCHED", "RUN"), cancel: "flux"),
      Fake(
        preset: "oar", submit: "oarsub",
        said: "[ADMISSION RULE] Modify resource description\nOAR_JOB_ID=$n", status: "oarstat",
        line: "$n        r_a        user     2026-11-28 22:33:21 $s default",
        header: "Job id     Name           User           Submission Date     S Queue\n-------",
        words: ("W", "R"), cancel: "oardel"),
      Fake(
        preset: "slurm", submit: "sbatch", said: "$n", status: "squeue", line: "$n $s Resources",
        header: "", words: ("PENDING", "RUNNING"), cancel: "scancel"),
    ]

    /// Writes the programs into a folder; jobs start when a file `open` is there.
    func write(to folder: TemporaryFolder) throws {
      let line = line.replacing("PEND_OR_RUN_", with: "")
      // The number of a job is the one of its file; the file has the process.
      let submitting = """
        mkdir -p jobs
        n=1; until mkdir "number.$n" 2> /dev/null; do n=$((n + 1)); done
        script=
        for word; do
          case $word in *job.sh) script=${word#*=} ;; esac
        done
        echo "$*" >> submitted
        : > jobs/$n
        (setsid sh -c ': > "apart.$1"
          until [ -e open ] || [ ! -e "jobs/$1" ]; do sleep 0.05; done
          [ -e "jobs/$1" ] || exit
          echo run > "jobs/$1"; "$2"; rm "jobs/$1"' sh $n "$script" > /dev/null 2>&1 &)
        # Like a daemon, it is not a part of this process any more.
        until [ -e "apart.$n" ]; do sleep 0.02; done
        printf '%s\\n' "\(said)"
        """
      let listing = """
        echo x >> asked
        printf '%b\\n' '\(header)'
        for file in jobs/*; do
          [ -e "$file" ] || continue
          n=${file#jobs/}; s=\(words.queued); [ -s "$file" ] && s=\(words.running)
          echo "\(line)"
        done
        """
      let removing = """
        shift ${SKIP:-0}
        echo "$*" >> removed
        for n; do n=${n#f2}; n=${n%%.*}; rm -f "jobs/$n"; done
        """
      var programs: [String: String] = [:]
      if submit != status {
        for (name, script) in [(submit, submitting), (status, listing), (cancel, removing)] {
          programs[name] = script
        }
      } else {
        programs = [
          submit: """
          case $1 in
          submit) \(submitting) ;;
          jobs) \(listing) ;;
          cancel) SKIP=1
          \(removing) ;;
          esac
          """
        ]
      }
      for (name, script) in programs {
        try Self.write("#!/bin/sh\ncd '\(folder.path)'\n\(script)\n", as: name, to: folder)
      }
    }

    /// Writes a program.
    static func write(_ script: String, as name: String, to folder: TemporaryFolder) throws {
      let path = "\(folder.path)/bin/\(name)"
      try FileManager.default.createDirectory(
        atPath: folder.path + "/bin", withIntermediateDirectories: true)
      try script.write(toFile: path, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }
  }

  private func engine(in folder: TemporaryFolder) -> Engine {
    let environment = ["PATH": "\(folder.path)/bin:/usr/bin:/bin", "HOME": "/", "SECRET": "x"]
    return RunnerCase.engine(
      in: folder, LocalExecutor(environment: environment, directory: folder.path))
  }

  private func start(
    _ steps: String, _ settings: String, in folder: TemporaryFolder
  ) throws -> Run {
    let text = "runners: { far: { batch: \(settings) } }\nrunner: far\n\(steps)"
    return engine(in: folder)
      .start(try Workflow(text: text, file: "w.yaml", actions: RunnerCase.catalog))
  }

  /// Waits for the end of a run, which is killed if it does not come.
  private func end(of run: Run) async throws -> RunOutcome {
    await expectEventually("the run is over") {
      if case .ended = run.state.phase { true } else { false }
    }
    run.kill()
    return try await run.outcome
  }

  @Test(arguments: Fake.all)
  func `a step waits in the queue, runs as a job, and has outputs`(_ fake: Fake) async throws {
    let folder = try TemporaryFolder()
    try fake.write(to: folder)
    let steps = #"""
      steps:
        - id: a
          run: |
            echo "${JOB_MARK:-none}"; echo 'x=7' > "$REPRISE_OUTPUT"
      """#
    let run = try start(
      steps, "{ scheduler: \(fake.preset), options: [--option, two words] }", in: folder)
    await expectEventually("it is shown why it waits") {
      run.state["a"]?.placement?.queuedBecause.map {
        $0 == fake.words.queued || $0 == "Resources"
      } == true
    }
    #expect(run.state["a"]?.placement?.place.job?.contains("1") == true)
    try folder.write("open")
    #expect(try await end(of: run) == .succeeded)
    #expect(run.state["a"]?.phase == .succeeded(["x": "7"]))
    let words = folder.lines("submitted").joined()
    #expect(words.contains("--option two words") && !words.contains("{"))
    #expect(folder.lines("removed") == [])
  }

  @Test(arguments: Fake.all)
  func `a cancelled run leaves nothing in the queue`(_ fake: Fake) async throws {
    let folder = try TemporaryFolder()
    try fake.write(to: folder)
    let run = try start(
      "steps: [{ id: a, foreach: { from: 1, to: 5 }, run: x, max-parallel: 9 }]",
      "{ scheduler: \(fake.preset) }", in: folder)
    await expectEventually("all wait") {
      run.state.steps.count { $0.placement?.queuedBecause?.isEmpty == false } == 5
    }
    run.cancel()
    #expect(try await end(of: run) == .cancelled)
    await expectEventually("none is left") {
      (try? FileManager.default.contentsOfDirectory(atPath: folder.path + "/jobs")) == []
    }
    // Many at once.
    #expect(folder.lines("removed").count < 5)
  }

  @Test(arguments: [
    ("echo 'no such queue' >&2; exit 1", "qsub: no such queue"),
    ("echo 'submitted somewhere'", "has not said the number of the job"),
  ])
  func `what the scheduler refuses fails the step in its words`(
    _ script: String, _ reason: String
  ) async throws {
    let folder = try TemporaryFolder()
    let fake = Fake.all[1]
    try fake.write(to: folder)
    try Fake.write("#!/bin/sh\n\(script)\n", as: "qsub", to: folder)
    let run = try start(
      "steps: [{ id: a, run: x }]", #"{ scheduler: pbs, job: "job number {job}" }"#, in: folder)
    guard case .failed(_, let failure) = try await end(of: run) else {
      Issue.record("it has not failed")
      return
    }
    #expect(failure.description.contains(reason), "\(failure)")
  }

  @Test func `a job that will never run is lost, and removed`() async throws {
    let folder = try TemporaryFolder()
    try Fake.all[3].write(to: folder)
    let run = try start(
      "steps: [{ id: a, run: x }]", #"{ scheduler: htcondor, states: { "1": refused } }"#,
      in: folder)
    guard case .failed(_, .lost(let text, _, _)) = try await end(of: run) else {
      Issue.record("it is not lost")
      return
    }
    #expect(text.contains("it never began: HTCondor says of its job: 1"))
    await expectEventually("it is removed") { folder.lines("removed").first == "1.0" }
  }

  @Test func `a job that was submitted in spite of an error never begins`() async throws {
    let folder = try TemporaryFolder()
    try Fake.all[1].write(to: folder)
    let real = try String(contentsOfFile: folder.path + "/bin/qsub", encoding: .utf8)
    try Fake.write(real + "\necho 'connection reset' >&2; exit 1\n", as: "qsub", to: folder)
    let run = try start(
      "steps: [{ id: a, run: 'echo ran >> effects' }]", "{ scheduler: pbs }", in: folder)
    guard case .failed(_, .notStarted(let text)) = try await end(of: run) else {
      Issue.record("it has not failed")
      return
    }
    #expect(text.contains("qsub: connection reset"))
    try folder.write("open")
    await expectEventually("its host has come and gone") {
      (try? FileManager.default.contentsOfDirectory(atPath: folder.path + "/jobs")) == []
    }
    #expect(folder.lines("effects") == [])
  }

  @Test func `a full queue is waited for`() async throws {
    let folder = try TemporaryFolder()
    let fake = Fake.all[1]
    try fake.write(to: folder)
    let real = try String(contentsOfFile: folder.path + "/bin/qsub", encoding: .utf8)
    let full = real.replacing(
      "mkdir -p jobs\n",
      with:
        "if [ ! -e room ]; then echo 'would exceed limit of user' >&2; exit 1; fi\nmkdir -p jobs\n"
    )
    try Fake.write(full, as: "qsub", to: folder)
    try folder.write("open")
    let run = try start("steps: [{ id: a, run: 'true' }]", "{ scheduler: pbs }", in: folder)
    await expectEventually("it is shown") {
      run.state["a"]?.placement?.queuedBecause == "qsub: would exceed limit of user"
    }
    try folder.write("room")
    #expect(try await end(of: run) == .succeeded)
  }

  @Test(arguments: ["", #", "--program={script}", --last"#])
  func `a scheduler that is not known is described in the file`(_ words: String) async throws {
    let folder = try TemporaryFolder()
    try Fake.all[2].write(to: folder)
    try folder.write("open")
    let settings = """
      {
        submit: [bsub, -N, "{name}"\(words)], job: "Job <{job}>", status: [bjobs],
        line: "{job} {state}", states: { PEND: queued, RUN: running }, cancel: [bkill]
      }
      """
    let run = try start("steps: [{ id: a, run: 'true' }]", settings, in: folder)
    #expect(try await end(of: run) == .succeeded)
    let submitted = try #require(folder.lines("submitted").first)
    #expect(submitted.hasPrefix("-N r_a "))
    #expect(submitted.hasSuffix(words.isEmpty ? "/job.sh" : "/job.sh --last"))
  }

  @Test(arguments: [
    ("{}", #"needs "scheduler", one of sge, pbs"#),
    ("{ submit: [a], status: [b], cancel: [c] }", #"or "submit", "job", "status""#),
    ("{ scheduler: pbs, submit: [] }", "must begin with a program"),
    (#"{ scheduler: pbs, line: "{job}" }"#, "needs the field {state}"),
    ("{ scheduler: lsf }", "bsub of LSF is not in PATH"),
  ])
  func `a description that lacks something fails the step and says what`(
    _ settings: String, _ reason: String
  ) async throws {
    let folder = try TemporaryFolder()
    let run = try start("steps: [{ id: a, run: x }]", settings, in: folder)
    guard case .failed(_, let failure) = try await end(of: run) else {
      Issue.record("it has not failed")
      return
    }
    #expect(failure.description.contains(reason), "\(failure)")
  }

  @Test(arguments: [
    "{ scheduler: cron }", #"{ scheduler: pbs, job: "{number}" }"#,
    "{ scheduler: pbs, states: { Q: waiting } }", "{ scheduler: pbs, partition: x }",
  ])
  func `a wrong setting is an error of the file`(_ settings: String) {
    #expect(throws: WorkflowError.self) {
      try Workflow(
        text: "runners: { far: { batch: \(settings) } }\nsteps: [{ id: a, runner: far, run: x }]\n",
        file: "w.yaml", actions: RunnerCase.catalog)
    }
  }
}
