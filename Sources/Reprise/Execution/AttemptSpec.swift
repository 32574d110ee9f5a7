// `AttemptSpec`: what one attempt of a step runs, as a value that can be sent to another machine.

/// The program of one attempt of a step, with its environment, its directory and its limits.
///
/// A plain value, which does not refer to its run: it can be encoded, sent elsewhere and started
/// there. It contains secrets, both in its variables and in ``secrets``: send it through a channel
/// that no one else can read, never as an argument or an environment variable.
public struct AttemptSpec: Sendable, Equatable, Codable {
  /// The folder of the run on this machine, which steps elsewhere may not see; nil if there is none.
  package var runDirectory: String? { environment[RunFolder.variable] }

  /// The names of the variables that identify an attempt, in ``environment``.
  static let identityNames = [
    "REPRISE_RUN_ID", "REPRISE_STEP_ID", "REPRISE_GENERATION", "REPRISE_ATTEMPT",
  ]

  /// The names of the variables that say of which step a process is, or where it reports.
  package static let variablesOfSteps = Set(
    identityNames + [
      CallingSteps.variable, RunFolder.variable, VariablesFile.variable, "REPRISE_OUTPUT",
      "REPRISE_PROGRESS",
    ])

  /// The program with its arguments; at least one word.
  public var command: [String]
  /// A script, written to a private file where the attempt runs, whose path is appended to the
  /// command; nil for most steps.
  public var script: String?
  /// The variables that the workflow and the step set, and those that identify the attempt.
  ///
  /// They take precedence over inherited ones.
  public var environment: [String: String]
  /// The variables of `dotenv` files, which apply only where none of the name is inherited.
  public var weakEnvironment: [String: String]
  /// The names of variables that are not inherited, because they contain secrets.
  public var hiddenVariables: Set<String>
  /// The directory, relative to that of the executor unless it is absolute; nil for that directory.
  public var directory: String?
  /// The time from the request to stop until everything is killed.
  public var grace: Duration
  /// The maximum duration, from the start of the program; unlimited if nil.
  public var timeLimit: Duration?
  /// The folder for its temporary files, which its host creates and removes; nil for the usual one.
  ///
  /// All users of the place where it runs can write there, such as the one of an image.
  public var temporaryFolder: String?
  /// The names of variables with secrets, which the host writes to a file in ``temporaryFolder``
  /// instead of the environment of the command.
  package var variablesInFile: [String]?
  /// A program that ends what the command has started outside of its own process tree; nil for none.
  ///
  /// For example a container. It runs if the command was stopped, or did not end by itself.
  public var cleanup: [String]?
  /// The name of the program that starts the command within something else, such as `podman`; nil
  /// for none.
  ///
  /// If it says that it could not start the command, by a status of 125 to 127 and a message, the
  /// attempt has not started.
  public var starter: String?
  /// The secrets that are masked in the output, wherever it is written.
  public var secrets: [String]
  /// Lock files that its host holds, together with others, until it has ended.
  ///
  /// So the places of its pool and the concurrency group of its run stay taken when its engine dies.
  package var heldLocks: [String]?
  /// Whether both output streams share one pipe, so that their lines keep their order; nil for no,
  /// and in a specification of an earlier version.
  package var mergesStreams: Bool?
  /// Whether its output goes to a pseudo-terminal; nil for no, and in a specification of an earlier
  /// version.
  package var writesToTerminal: Bool?

  /// Whether the program stops what it has started itself, as an engine does; nil for no, and in a
  /// specification of an earlier version.
  package var stopsOthers: Bool?

  /// Creates a specification.
  ///
  /// - Parameters:
  ///   - command: The program with its arguments; at least one word.
  ///   - environment: The variables that the workflow and the step set.
  ///   - directory: The directory, relative to that of the executor.
  ///   - grace: The time from the request to stop until everything is killed.
  ///   - timeLimit: The maximum duration; unlimited if nil.
  public init(
    command: [String], environment: [String: String] = [:], directory: String? = nil,
    grace: Duration = StepContext.defaultGracePeriod, timeLimit: Duration? = nil
  ) {
    precondition(!command.isEmpty, "an attempt needs a program")
    self.command = command
    self.environment = environment
    weakEnvironment = [:]
    hiddenVariables = []
    self.directory = directory
    self.grace = grace
    self.timeLimit = timeLimit
    temporaryFolder = nil
    cleanup = nil
    starter = nil
    secrets = []
    script = nil
  }

  /// Creates the specification of an attempt of a step.
  ///
  /// - Parameter context: The attempt, of a step that starts a program.
  public init(_ context: StepContext) {
    let resolved = context.resolved
    self.init(
      command: context.commandLine, environment: resolved.environment,
      directory: resolved.directories.reduce(nil, resolvedDirectory), grace: context.gracePeriod,
      timeLimit: context.step.timeout)
    weakEnvironment = resolved.weakEnvironment
    hiddenVariables = context.hiddenVariables
    secrets = context.secretTexts
    mergesStreams = context.mergesStreams
    if context.step.extrasIfAny?.writesToTerminal == true { writesToTerminal = true }
    script = context.script
    let identity = [
      context.run.description, context.step.id, String(context.generation),
      String(context.attempt),
    ]
    environment.reserveCapacity(environment.count + identity.count + 1)
    for (name, value) in zip(Self.identityNames, identity) { environment[name] = value }
    environment[RunFolder.variable] = context.runDirectory
  }
}

extension AttemptSpec: CustomStringConvertible {
  /// The words of the command, without the environment, which may contain secrets.
  public var description: String { command.joined(separator: " ") }
}
