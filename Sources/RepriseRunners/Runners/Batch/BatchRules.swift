// `BatchRules`: how the commands of a scheduler are used, and those of known schedulers.

import Reprise

/// What the word of a scheduler for the state of a job means.
enum BatchState: String, SettingChoice {
  case queued, running, ended
  /// It will never run as it is, and stays in the queue.
  case refused
  /// It was ended, for this reason.
  case outOfMemory = "out-of-memory"
  case timeLimit = "time-limit"
  case node, disk, preempted, limit

  var phase: SchedulerJob.Phase {
    switch self {
    case .queued: .queued
    case .running: .running
    case .refused: .refused
    case .ended, .outOfMemory, .timeLimit, .node, .disk, .preempted, .limit: .ended
    }
  }

  /// What has ended it; nil if it has ended by itself, or has not ended.
  var cause: LossCause? { LossCause(rawValue: rawValue) }
}

/// What has ended a job, as a setting.
struct BatchCause: SettingChoice {
  static let allCases = LossCause.allCases.map { BatchCause(cause: $0) }

  let cause: LossCause

  var rawValue: String { cause.rawValue }

  init(cause: LossCause) { self.cause = cause }

  init?(rawValue: String) {
    guard let cause = LossCause(rawValue: rawValue) else { return nil }
    self.cause = cause
  }
}

/// How equal jobs are submitted as one array, by the command that submits a job.
struct BatchArray: Decodable, Sendable {
  private enum CodingKeys: String, CodingKey { case submit, job, element, variable, limited }

  /// Further words; `{count}` is the number of elements, which count from 1.
  var submit: [String]
  /// Where the number of the array is in what the command prints; nil if it is where that of a job is.
  var job: JobPattern?
  /// What the number of an element looks like, as other commands show it and take it.
  var element: JobPattern
  /// The variable in which an element finds its index.
  var variable: String
  /// Parts of what the command prints if the scheduler does not take so many.
  var limited: [String]?
  /// Further variables of an element.
  var others: [String] = []

  /// Decodes the settings.
  init(from decoder: any Decoder) throws {
    let map = try decoder.container(keyedBy: CodingKeys.self)
    submit = try map.decode([String].self, forKey: .submit)
    job = try map.decodeIfPresent(JobPattern.self, forKey: .job)
    element = try map.decode(JobPattern.self, forKey: .element)
    variable = try map.decode(String.self, forKey: .variable)
    limited = try map.decodeIfPresent([String].self, forKey: .limited)
    guard !element.has(.index) else { return }
    throw DecodingError.dataCorrupted(
      .init(
        codingPath: map.codingPath + [CodingKeys.element],
        debugDescription: "the number of an element needs the fields {job} and {index}"))
  }

  init(
    submit: [String], job: JobPattern, element: JobPattern, variable: String, others: [String],
    limited: [String]
  ) {
    (self.submit, self.job, self.element) = (submit, job, element)
    (self.variable, self.others, self.limited) = (variable, others, limited)
  }

  /// Returns the number of an element.
  func number(of job: String, _ index: String) -> String {
    element.text(with: [.job: job, .index: index])
  }
}

/// How jobs are submitted, listed and removed by commands.
struct BatchRules: Sendable {
  /// The name of the scheduler in messages.
  var name: String
  /// The words before the options and the script.
  ///
  /// `{name}` is a name for people, `{log}` the file for messages, `{folder}` that of the attempt.
  var submit: [String]
  /// The words after the options, unless one of those has the script of the job, `{script}`.
  var script = ["{script}"]
  /// Where the number of the job is in what `submit` prints.
  var job: JobPattern
  /// Lists all jobs of the user; `{user}` is the name of the user.
  var status: [String]
  /// What a line of it looks like.
  var line: JobPattern
  var states: [String: BatchState]
  /// Removes the jobs whose numbers follow.
  var cancel: [String]
  /// Parts of what `submit` prints if the queue is full.
  var limited: [String] = []
  /// Parts of what commands print if the scheduler cannot be reached.
  var unreachable: [String] = []
  /// Variables of the command that submits.
  var variables: [String: String] = [:]
  /// Parts of what `status` prints, with a status other than 0, if there are no jobs.
  var none: [String] = []
  /// Says how a job has ended that is not listed any more; empty if there is no such command.
  ///
  /// `{job}` is its number; for an element of an array that of the array, and `{index}` its index.
  var report: [String] = []
  /// What parts of that, or of the reason in the list, mean.
  var causes: [String: LossCause] = [:]
  /// How equal jobs are submitted together; nil if they are not.
  ///
  /// If a line of the list has an index, each job is submitted as an array, if need be of one element: in
  /// such a list, both look the same.
  var array: BatchArray?
}

/// A scheduler whose commands are known.
enum BatchPreset: String, SettingChoice {
  case sge, pbs, lsf, htcondor, flux, oar, slurm

  /// The rules of the scheduler.
  var rules: BatchRules {
    switch self {
    case .sge: Self.sgeRules
    case .pbs: Self.pbsRules
    case .lsf: Self.lsfRules
    case .htcondor: Self.htcondorRules
    case .flux: Self.fluxRules
    case .oar: Self.oarRules
    case .slurm: Self.slurmRules
    }
  }

  /// Grid Engine and those that descend from it: sge_status(5) of version 8.
  private static var sgeRules: BatchRules {
    var states: [String: BatchState] = [:]
    for word in ["qw", "hqw", "hRqw", "hRwq", "Rqw", "Rq", "w", "q", "hrwq"] {
      states[word] = .queued
    }
    for word in ["r", "t", "Rr", "Rt", "hr", "s", "S", "T", "ts", "tS", "tT", "dr", "dt"] {
      states[word] = .running
    }
    for word in ["Eqw", "Ehqw", "EhRqw"] { states[word] = .refused }
    return BatchRules(
      name: "Grid Engine",
      submit: [
        "qsub", "-terse", "-N", "{name}", "-o", "{log}", "-j", "y", "-S", "/bin/sh", "-r", "n",
      ], job: "{job}", status: ["qstat", "-g", "d", "-u", "{user}"],
      line: "{job} {} {} {} {state} {index}", states: states, cancel: ["qdel"],
      limited: ["jobs are allowed per", "jobs are allowed in", "maximum number of"],
      unreachable: ["unable to contact", "unable to send message", "got no response", "commlib"],
      report: ["qacct", "-j", "{job}", "-t", "{index}"],
      // One message for the limits of time and memory: sge_status(5), 37.
      causes: ["qmaster enforced h_": .limit],
      array: BatchArray(
        submit: ["-t", "1-{count}"], job: "{job}.", element: "{job}.{index}",
        variable: "SGE_TASK_ID",
        others: ["SGE_TASK_FIRST", "SGE_TASK_LAST", "SGE_TASK_STEPSIZE"],
        limited: ["tried to submit a job with more than"]))
  }

  /// OpenPBS, PBS Professional and Torque: qstat(1B).
  private static var pbsRules: BatchRules {
    BatchRules(
      name: "PBS", submit: ["qsub", "-N", "{name}", "-j", "oe", "-o", "{log}", "-r", "n"],
      job: "{job}", status: ["qstat"], line: "{job} {} {} {} {state}",
      states: [
        "Q": .queued, "H": .queued, "W": .queued, "T": .queued, "M": .queued, "B": .running,
        "R": .running, "E": .running, "S": .running, "U": .running, "C": .ended, "F": .ended,
        "X": .ended,
      ], cancel: ["qdel"],
      limited: ["would exceed", "Maximum number of jobs already"],
      unreachable: ["cannot connect to server", "Connection refused", "Communication failure"])
  }

  /// LSF: bjobs(1).
  private static var lsfRules: BatchRules {
    BatchRules(
      name: "LSF", submit: ["bsub", "-J", "{name}", "-oo", "{log}", "-rn"], job: "Job <{job}>",
      status: ["bjobs", "-noheader", "-o", "jobid stat"], line: "{job} {state}",
      states: [
        "PEND": .queued, "PSUSP": .queued, "WAIT": .queued, "RUN": .running, "PROV": .running,
        "USUSP": .running, "SSUSP": .running, "UNKWN": .running, "DONE": .ended, "EXIT": .ended,
        "ZOMBI": .ended,
      ], cancel: ["bkill"], limited: ["ending job threshold", "job limit"],
      unreachable: ["LSF is down", "not responding", "daemon not responding", "lim is down"],
      // Otherwise it waits for room in the queue itself, and nothing says so.
      variables: ["LSB_NTRIES": "1"], none: ["No unfinished job found", "No job found"])
  }

  /// HTCondor: condor_q(1) of version 10; states are those of `JobStatus`.
  private static var htcondorRules: BatchRules {
    BatchRules(
      name: "HTCondor", submit: ["condor_submit", "-terse"],
      script: [
        "executable={script}", "output={log}", "error={log}", "log={folder}/condor.log", "-queue",
        "1",
      ], job: "{job}", status: ["condor_q", "-af", "ClusterId", "JobStatus"], line: "{job} {state}",
      states: [
        "1": .queued, "2": .running, "3": .ended, "4": .ended, "5": .refused, "6": .running,
        "7": .running,
      ], cancel: ["condor_rm"], limited: ["MAX_JOBS_PER_OWNER", "MAX_JOBS_SUBMITTED"],
      unreachable: [
        "Failed to connect", "Can't connect", "Failed to fetch ads", "Can't find address of",
      ])
  }

  /// Flux: flux-jobs(1).
  private static var fluxRules: BatchRules {
    BatchRules(
      name: "Flux", submit: ["flux", "submit", "--job-name={name}", "--output={log}", "-n1"],
      job: "{job}",
      status: ["flux", "jobs", "-a", "--count=0", "--no-header", "-o", "{id} {state}"],
      line: "{job} {state}",
      states: [
        "DEPEND": .queued, "PRIORITY": .queued, "SCHED": .queued, "RUN": .running,
        "CLEANUP": .running, "INACTIVE": .ended,
      ], cancel: ["flux", "cancel"],
      unreachable: ["Unable to connect to Flux", "connection refused"])
  }

  /// OAR 2.5: oarstat(1).
  private static var oarRules: BatchRules {
    BatchRules(
      name: "OAR", submit: ["oarsub", "-n", "{name}", "-O", "{log}", "-E", "{log}"],
      job: "OAR_JOB_ID={job}",
      status: ["oarstat", "-u", "--format", "1"], line: "{job} {} {} {} {} {state}",
      states: [
        "W": .queued, "H": .queued, "L": .running, "R": .running, "F": .running,
        "S": .running, "T": .ended, "E": .ended,
      ], cancel: ["oardel"], unreachable: ["Cannot connect", "Connection refused"])
  }

  /// Slurm by its three commands; the kind `slurm` knows more of it.
  private static var slurmRules: BatchRules {
    BatchRules(
      name: "Slurm",
      submit: [
        "sbatch", "--parsable", "--no-requeue", "--job-name={name}", "--output={log}",
        "--open-mode=append",
      ], job: "{job}",
      status: ["squeue", "--noheader", "--states=all", "--me", "--format=%A %T %r"],
      line: "{job} {state} {reason}",
      states: [
        "PENDING": .queued, "REQUEUED": .queued, "REQUEUE_HOLD": .queued, "SUSPENDED": .queued,
        "CONFIGURING": .queued, "RUNNING": .running, "COMPLETING": .running,
        "STAGE_OUT": .running, "SIGNALING": .running, "STOPPED": .running, "COMPLETED": .ended,
        "FAILED": .ended, "CANCELLED": .ended, "TIMEOUT": .timeLimit, "NODE_FAIL": .node,
        "OUT_OF_MEMORY": .outOfMemory, "PREEMPTED": .preempted, "BOOT_FAIL": .node,
        "DEADLINE": .limit,
      ], cancel: ["scancel"],
      limited: ["SubmitJob", "MaxSubmit", "MaxJobCount", "temporarily un"],
      unreachable: ["Unable to contact", "Socket timed out", "send/recv"])
  }
}
