// `SchedulerCommands`: runs the commands of a scheduler, with the environment that they need.

public import Reprise

/// The commands of a scheduler, as a runner on this machine runs them.
///
/// They get `PATH`, `HOME`, the user, the language and the time zone, what is known to name a
/// scheduler (`SGE_ROOT`, `PBS_SERVER` and the like), and the variables that a runner asks for. More of the
/// engine's environment may contain secrets, which many schedulers show to others; and what describes a
/// job that the engine itself runs in would be taken for the settings of new ones.
public struct SchedulerCommands: Sendable {
  /// The variables of all commands.
  private(set) var environment: [String: String]

  /// Creates the value.
  ///
  /// - Parameters:
  ///   - surroundings: What the runner may use of its engine.
  ///   - variables: The names of further variables of the engine that the commands need.
  public init(in surroundings: RunnerSurroundings, variables: [String] = []) {
    let further = Set(variables)
    environment = surroundings.environment.filter { name, _ in
      JobVariables.isPlain(name) || further.contains(name) || JobVariables.isSetting(name)
    }
  }

  /// Runs a command, and waits for its end; at the end of its task, or of the limit, it is killed.
  ///
  /// - Parameters:
  ///   - command: The program, in `PATH` or with its path, and its arguments.
  ///   - job: The job that it submits, if it submits one: what it leaves running, such as the job itself
  ///     on this machine, goes on then.
  ///   - limit: The time after which it is killed.
  /// - Returns: What it has printed, up to 8 MiB, and its exit status.
  /// - Throws: `RunnerFailure.refused` if it cannot be started, and `.neverBegun` if this machine is only out
  ///   of processes or descriptors now.
  public func answer(
    of command: [String], submitting job: NewJob? = nil, within limit: Duration = .seconds(30)
  ) async throws(RunnerFailure) -> ProgramAnswer {
    let variables = environment.merging(job?.marks ?? [:]) { $1 }
    return try await RepriseRunners.answer(of: command, in: variables, within: limit)
  }

  /// Returns what is wrong if a program is missing, for `RunnerKind.problems(in:)`.
  ///
  /// - Parameters:
  ///   - programs: Names of programs, or paths.
  ///   - scheduler: The name of the scheduler.
  /// - Returns: A sentence about the first one that is not in `PATH`; nil if all are there.
  public func missing(_ programs: [String], of scheduler: String) -> String? {
    programs.first { findProgram($0, in: environment["PATH"]) == nil }.map {
      "\($0) of \(scheduler) is not in PATH; run on a machine that submits jobs"
    }
  }

  /// Returns the same commands with further variables.
  func adding(_ variables: [String: String]) -> SchedulerCommands {
    var commands = self
    commands.environment.merge(variables) { $1 }
    return commands
  }
}
