// The engine as a job: `--submit`, with programs that answer as those of Slurm do.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct SubmitTests {
  /// Jobs start when there is a file `open`; `refuse` has what sbatch says instead of taking one.
  private static let programs = [
    "sbatch": """
    last=; for word; do
      case $word in --job-name=*) name=${word#*=} ;; --output=*) log=${word#*=} ;; esac
      [ "$last" = --wrap ] && wrap=$word
      last=$word
    done
    echo "$*" >> submitted; env >> submitted
    if [ -e refuse ]; then cat refuse >&2; exit 1; fi
    mkdir -p jobs
    n=1; until mkdir "number.$n" 2> /dev/null; do n=$((n + 1)); done
    echo "$name" > "jobs/$n"
    (setsid sh -c ': > "apart.$1"
      until [ -e open ] || [ ! -e "jobs/$1" ]; do sleep 0.05; done
      [ -e "jobs/$1" ] || exit
      echo $$ > "pid.$1"; SLURMD_NODENAME=n7; export SLURMD_NODENAME
      sh -c "$2" >> "$3" 2>&1 &
      echo $! > "pid.$1"; wait; rm -f "jobs/$1"' sh $n "$wrap" "$log" > /dev/null 2>&1 &)
    until [ -e "apart.$n" ]; do sleep 0.02; done
    echo $n
    """,
    "qsub": """
    for script; do :; done
    echo "job $(bin/sbatch --job-name=x --output=/dev/null --wrap "$script") was taken"
    """,
    "qstat": """
    for file in jobs/*; do [ -e "$file" ] && echo "${file#jobs/} waiting"; done; exit 0
    """,
    "squeue": """
    for file in jobs/*; do
      [ -e "$file" ] || continue
      n=${file#jobs/}; state=PENDING; [ -e "pid.$n" ] && state=RUNNING
      echo "$(cat "$file")|$state|Priority|$n|"
    done; exit 0
    """,
    "scancel": """
    for n; do
      echo "$n" >> removed
      if [ -e "pid.$n" ]; then kill -TERM "$(cat "pid.$n")"; else rm -f "jobs/$n"; fi
    done
    """,
  ]

  private static let file = """
    name: w
    runners:
      big: { slurm: { cpus: 2 } }
      far: { ssh: { host: h } }
    params: { n: { default: "1" } }
    secrets: { token: { env: TOKEN } }
    steps:
      - id: a
        env: { N: "${{ params.n }}", TOKEN: "${{ secrets.token }}" }
        run: |
          echo "n=$N ${TOKEN#ge} on ${SLURMD_NODENAME:-here}" >> effects
          until [ -e go ]; do sleep 0.05; done
      - { id: b, run: echo b >> effects }

    """

  private func scenario(_ file: String = Self.file) throws -> Scenario {
    let scenario = try Scenario()
    for (name, script) in Self.programs {
      try scenario.write("#!/bin/sh\ncd '\(scenario.folder.path)'\n\(script)\n", to: "bin/\(name)")
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o755], ofItemAtPath: scenario.folder.path + "/bin/\(name)")
    }
    try scenario.write(file, to: "w.yaml")
    return scenario
  }

  private func reprise(_ words: String..., in scenario: Scenario) async throws -> Scenario.Ended {
    let path = scenario.folder.path + "/bin:" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
    return try await scenario.start(words, environment: ["PATH": path, "TOKEN": "geheim"]).end()
  }

  /// Submits the engine of a run of the file, and returns the id of the run.
  private func submitted(_ words: String..., in scenario: Scenario) async throws -> String {
    let path = scenario.folder.path + "/bin:" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
    let ended = try await scenario.start(
      ["run", "w.yaml", "--submit", "big"] + words,
      environment: ["PATH": path, "TOKEN": "geheim"]
    ).end().succeeds()
    let run = ended.output.trimmingCharacters(in: .newlines)
    #expect(ended.errors.contains("submitted as job 1 of big (slurm)"), "\(ended)")
    #expect(ended.errors.contains("/.reprise/runs/\(run)/engine.log"), "\(ended)")
    return run
  }

  private func ends(_ run: String, as status: String, in scenario: Scenario) async {
    await expectEventually("the run is \(status)") {
      (try? await scenario.runs())?.first { $0.id == run }?.status == status
    }
    await expectEventually("no job is left") { !scenario.hasJobs }
  }

  @Test func `the engine runs as a job, with parameters and secrets that no one else sees`()
    async throws
  {
    let scenario = try scenario()
    try scenario.write("", to: "open")
    let run = try await submitted("-p", "n=geheim", "--only", "a", in: scenario)
    await expectEventually("the step has begun") { scenario.read("effects") != "" }
    // The command has returned, and the run goes on.
    #expect(try await scenario.runs().map(\.status) == ["running"])
    try scenario.write("", to: "go")
    await ends(run, as: "succeeded", in: scenario)
    #expect(scenario.read("effects") == "n=geheim heim on n7\n")
    #expect(scenario.read(".reprise/runs/\(run)/engine.log").contains("run succeeded"))
    let job = scenario.read("submitted")
    #expect(job.contains("--cpus-per-task=2") && !job.contains("geheim"), "\(job)")
    let found = try await scenario.shell("grep -rl geheim .reprise")
    #expect(found.output == "", "\(found)")
  }

  @Test func `the engine runs as a job of any scheduler`() async throws {
    let settings = """
      {
        submit: [qsub], job: "job {job}", status: [qstat], line: "{job} {state}",
        states: { waiting: queued }, cancel: [scancel]
      }
      """
    let scenario = try scenario(
      Self.file.replacing("slurm: { cpus: 2 }", with: "batch: \(settings)"))
    for file in ["open", "go"] { try scenario.write("", to: file) }
    let ended = try await reprise(
      "run", "w.yaml", "--submit", "big", "-p", "n=geheim", in: scenario
    )
    .succeeds()
    #expect(ended.errors.contains("submitted as job 1 of big (batch)"), "\(ended)")
    let run = ended.output.trimmingCharacters(in: .newlines)
    await ends(run, as: "succeeded", in: scenario)
    #expect(scenario.read("effects") == "n=geheim heim on n7\nb\n")
    #expect(!scenario.read("submitted").contains("geheim"))
    #expect(try await scenario.shell("grep -rl geheim .reprise").output == "")
  }

  @Test(arguments: [
    (["--submit", "far"], "is of the kind \"ssh\": name one that submits jobs: big"),
    (["--submit", "none"], "has no runner \"none\": name one that submits jobs: big"),
    (["--submit", "big", "-p", "m=1"], "\"m\""),
    (["--submit", "big", "--only", "z"], "\"z\""),
    (["--submit", "big", "--detach"], "--submit and --detach cannot be combined"),
    (["--submit", "big", "--dry-run"], "--submit and --dry-run cannot be combined"),
    (["--submit", "big", "--no-journal"], "--submit and --no-journal cannot be combined"),
    (["--submit", "big", "--pass-through"], "--submit and --pass-through cannot be combined"),
    (["--submit", "big", "--progress", "tree"], "a job has no terminal"),
    (["--submit", "big", "w.yaml"], "a job is the engine of one run"),
  ])
  func `an error is found before anything is submitted`(words: [String], text: String)
    async throws
  {
    let scenario = try scenario()
    let path = scenario.folder.path + "/bin:" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
    let ended = try await scenario.start(
      ["run", "w.yaml"] + words, environment: ["PATH": path, "TOKEN": "geheim"]
    ).end().fails(with: 2)
    #expect(ended.errors.contains(text), "\(ended)")
    #expect(!scenario.has("submitted"))
  }

  @Test(arguments: [
    "sbatch: error: Batch job submission failed: Invalid account specified",
    "sbatch: error: QOSMaxSubmitJobPerUserLimit",
    "sbatch: error: Batch job submission failed: Unable to contact slurm controller",
  ])
  func `a job that is not taken is an error in Slurm's words, and nothing is left`(said: String)
    async throws
  {
    let scenario = try scenario()
    try scenario.write(said + "\n", to: "refuse")
    let ended = try await reprise("run", "w.yaml", "--submit", "big", in: scenario).fails(with: 4)
    let words = try #require(said.split(separator: ": ").last)
    #expect(ended.errors.contains("big (slurm) has not taken the engine as a job: "), "\(ended)")
    #expect(ended.errors.contains(words), "\(ended)")
    #expect(ended.output == "")
    #expect(try await scenario.shell("ls -A .reprise/runs").output == "")
  }

  @Test func `a run whose engine waits in the queue is shown and cancelled`() async throws {
    let scenario = try scenario()
    let run = try await submitted(in: scenario)
    let shown = try await reprise("show", run, in: scenario).fails(with: 2)
    #expect(shown.errors.contains("its engine is job 1 of big (slurm), which has"), "\(shown)")
    let listed = try await reprise("runs", in: scenario).succeeds()
    #expect(listed.errors.contains("run \(run): its engine is job 1 of big"), "\(listed)")
    let cancelled = try await reprise("cancel", run, in: scenario).succeeds()
    #expect(cancelled.output.contains("nothing is left of job 1 of big (slurm)"))
    #expect(!scenario.hasJobs && scenario.read("removed") == "1\n")
    #expect(try await scenario.runs().isEmpty)
    #expect(try await scenario.shell("ls -A .reprise/runs").output == "")
  }

  @Test func `an engine that ends before its run begins says where its words are`() async throws {
    let scenario = try scenario()
    let run = try await submitted(in: scenario)
    try scenario.write("steps: [", to: "w.yaml")
    try scenario.write("", to: "open")
    await expectEventually("the job has ended") { !scenario.hasJobs }
    let shown = try await reprise("show", run, in: scenario).fails(with: 2)
    #expect(shown.errors.contains("is over; see"), "\(shown)")
    #expect(shown.errors.contains("/.reprise/runs/\(run)/engine.log"), "\(shown)")
    #expect(scenario.read(".reprise/runs/\(run)/engine.log").contains("error["))
    try await reprise("prune", "--keep", "0", in: scenario).succeeds()
    #expect(try await scenario.shell("ls -A .reprise/runs").output == "")
  }

  @Test func `a job that its scheduler ends interrupts the run, and another job resumes it`()
    async throws
  {
    let scenario = try scenario()
    try scenario.write("", to: "open")
    let run = try await submitted(in: scenario)
    await expectEventually("the step has begun") { scenario.read("effects") != "" }
    _ = try await scenario.shell("bin/scancel 1").succeeds()
    await ends(run, as: "interrupted", in: scenario)
    let log = scenario.read(".reprise/runs/\(run)/engine.log")
    #expect(log.contains("the scheduler ends the job of the engine"), "\(log)")
    try scenario.write("", to: "go")
    let resumed = try await reprise("resume", run, "--submit", "big", in: scenario).succeeds()
    #expect(resumed.errors.contains("submitted as job 2 of big (slurm)"), "\(resumed)")
    await ends(run, as: "succeeded", in: scenario)
    let line = "n=1 heim on n7\n"
    #expect(scenario.read("effects") == line + line + "b\n")
    let done = try await reprise("resume", run, "--submit", "big", in: scenario).fails(with: 2)
    #expect(done.errors.contains("there is nothing to resume"), "\(done)")
  }

  @Test(arguments: [[], ["--now"]])
  func `a run is cancelled from a machine that cannot reach its engine`(options: [String])
    async throws
  {
    let scenario = try scenario()
    try scenario.write("", to: "open")
    let run = try await submitted(in: scenario)
    await expectEventually("the step has begun") { scenario.read("effects") != "" }
    // As on another machine, where no one listens at this path.
    try FileManager.default.removeItem(
      atPath: scenario.folder.path + "/.reprise/live/\(run).sock")
    let attached = try await reprise("attach", run, in: scenario).fails(with: 4)
    #expect(attached.errors.contains("is on n7, in job 1 of big (slurm), and"), "\(attached)")
    let path = scenario.folder.path + "/bin:" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
    let ended = try await scenario.start(["cancel", run] + options, environment: ["PATH": path])
      .end().succeeds()
    #expect(ended.output.contains("stopping the engine on n7, in job 1 of big"), "\(ended)")
    await ends(run, as: "cancelled", in: scenario)
    #expect(scenario.read("effects") == "n=1 heim on n7\n")
  }
}

extension Scenario {
  /// Whether the queue has jobs.
  fileprivate var hasJobs: Bool {
    (try? FileManager.default.contentsOfDirectory(atPath: folder.path + "/jobs"))?.isEmpty == false
  }
}
