// Which environment variables describe a job, and which ones jobs need.

/// The environment variables of jobs.
///
/// When the engine itself runs in a job, its variables describe that job: with them, commands of the
/// scheduler would take its settings, or even start steps there.
enum JobVariables {
  private static let plain: Set<String> = [
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TZ", "KRB5CCNAME",
  ]

  /// What the names of variables begin with that schedulers, or what they start, set for a job.
  private static let prefixes = [
    "SLURM_", "SLURMD_", "SLURMSTEPD_", "SBATCH_", "SRUN_", "SALLOC_", "PMI", "OMPI_COMM_",
    "OMPI_UNIVERSE_", "HYDRA_", "PALS_", "PBS_", "LSB_", "LS_", "SGE_TASK_", "SGE_O_", "SGE_CWD_",
    "SGE_STDERR_", "SGE_STDIN_", "SGE_STDOUT_", "SGE_JOB_", "OAR_", "FLUX_JOB_", "_CONDOR_",
  ]

  private static let names: Set<String> = [
    "TMPDIR", "CUDA_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL", "ROCR_VISIBLE_DEVICES",
    "ZE_AFFINITY_MASK", "MPI_LOCALNRANKS", "MPI_LOCALRANKID", "JOB_ID", "JOB_NAME", "JOB_SCRIPT",
    "NSLOTS", "NHOSTS", "NQUEUES", "PE_HOSTFILE", "REQUEST", "REQNAME", "QUEUE", "RESTARTED",
  ]

  /// Variables by which a user, and not a job, chooses a cluster and defaults of sbatch.
  static let settingsOfSlurm: Set<String> = [
    "SLURM_CONF", "SLURM_JWT", "SLURM_CLUSTERS", "SBATCH_CLUSTERS", "SBATCH_ACCOUNT",
    "SBATCH_PARTITION", "SBATCH_QOS", "SBATCH_RESERVATION", "SBATCH_CONSTRAINT", "SBATCH_TIMELIMIT",
  ]

  /// Variables with such names by which a user, and not a job, chooses a scheduler.
  private static let settings = settingsOfSlurm.union([
    "PBS_CONF_FILE", "PBS_SERVER", "PBS_EXEC", "PBS_DEFAULT", "LSB_DEFAULTQUEUE",
    "LSB_DEFAULTPROJECT",
  ])

  /// Returns an environment without what describes the job that this process runs in, if any.
  static func without(_ environment: [String: String]) -> [String: String] {
    environment.filter { name, _ in !isOfJob(name) }
  }

  /// Whether a variable describes a job.
  static func isOfJob(_ name: String) -> Bool {
    guard !settings.contains(name) else { return false }
    return names.contains(name) || prefixes.contains(where: name.hasPrefix)
  }

  /// Whether a variable says which scheduler is meant.
  static func isSetting(_ name: String) -> Bool {
    if isOfJob(name) { return false }
    return settings.contains(name)
      || ["SGE_", "LSF_", "CONDOR_", "FLUX_"].contains(where: name.hasPrefix)
  }

  /// Whether a variable is one that every job may know; more than these may contain secrets.
  static func isPlain(_ name: String) -> Bool { plain.contains(name) || name.hasPrefix("LC_") }
}
