// The tools of `reprise mcp`: what a model reads about them.

extension AgentTool {
  /// The tools of a server, in the order in which a model needs them.
  package static let all: [AgentTool] = [
    AgentTool(
      "list_workflows", title: "List workflows",
      """
      Lists the workflows of the project with their descriptions and parameters. Their names are \
      what validate and run take.
      """, isReadOnly: true),
    AgentTool(
      "validate", title: "Validate a workflow",
      """
      Checks a workflow file and returns every error and warning with file, line, column, code \
      and hint. Runs nothing. Call it after each edit of a workflow file.
      """, isReadOnly: true, [workflow]),
    AgentTool(
      "run", title: "Run a workflow",
      """
      Starts a run of a workflow, which goes on when this server ends. Returns its id when it \
      has ended, needs an approval, or "wait" is over; with the steps that have failed and the \
      last lines of their logs. Cancelling this call does not cancel the run: use cancel.
      """,
      [
        workflow,
        Field("params", "Values of the parameters of the workflow, by name.", .texts),
        wait(default: waitDefault),
      ]),
    AgentTool(
      "status", title: "Show a run",
      """
      Returns a run as "reprise show --json" prints it (its generations, steps, results and \
      critical path), and what it waits for. With "wait", it first waits until the run has ended \
      or needs an approval.
      """, isReadOnly: true, [run, wait(default: 0)]),
    AgentTool(
      "logs", title: "Read logs",
      """
      Returns a part of the output of a step: the last attempt, or another one. Without "from", \
      the last lines; without "step", the output of all steps in order of time. At most 64 KiB: \
      the result says which lines it has and how many there are.
      """, isReadOnly: true,
      [
        run, Field("step", "The id of the step."),
        Field("from", "The number of the first line, from 1.", .whole(1...Int(Int32.max))),
        Field("lines", "The number of lines. Default: \(linesDefault).", .whole(1...linesMax)),
        Field("generation", "The generation of the run.", .whole(1...Int(Int32.max))),
        Field("attempt", "The attempt of the step.", .whole(1...Int(Int32.max))),
      ]),
    AgentTool(
      "restart", title: "Restart a live run",
      """
      Restarts a run that is in progress, from the top or from a step and what depends on it. \
      With "reload", it reads its workflow file again first; use that after an edit. A run that \
      has ended is continued with resume.
      """,
      [
        run, from, Field("reload", "Read the workflow file again first.", .flag),
        wait(default: waitDefault),
      ]),
    AgentTool(
      "resume", title: "Resume a run",
      """
      Continues a run that failed, was cancelled or was interrupted, with the workflow file as \
      it is now: this is what follows an edit. Steps that have succeeded are not run again, \
      unless "from" names them or a step before them.
      """,
      [
        run, from,
        Field("force", "Resume although steps that have succeeded were changed.", .flag),
        wait(default: waitDefault),
      ]),
    AgentTool(
      "cancel", title: "Cancel a run",
      """
      Stops a run in progress, or one of its steps: asks its processes to end, and kills them \
      after their grace period. It can be resumed.
      """,
      [run, Field("step", "Cancel only this step, and what depends on it.")]),
    AgentTool(
      "approve", title: "Approve a step",
      """
      Approves or rejects a step that waits for approval. Refused unless the person who started \
      this server has allowed it with --allow-approve: then ask that person.
      """,
      [
        run, Field("step", "The id of the step; not needed if only one waits."),
        Field("approved", "Whether it is approved; false rejects it. Default: true.", .flag),
        Field("values", "The values that the approval asks for, by name.", .texts),
        Field("comment", "A comment for the record."),
      ]),
    AgentTool(
      "explain_error", title: "Explain an error code",
      "Returns what an error code of validate means, with an example and how to fix it.",
      isReadOnly: true,
      [Field("code", "The code, such as R0304.", isRequired: true)]),
  ]

  /// How many seconds a call waits for a run if it does not say so, and at most.
  static let (waitDefault, waitMax) = (30, 600)
  /// How many lines of a log a call gets if it does not say so, and at most.
  static let (linesDefault, linesMax) = (100, 10_000)

  private static let workflow = Field(
    "workflow",
    """
    The name of a workflow in workflows/, or the path of a file in the project; with #NAME, a \
    workflow in it.
    """, isRequired: true)
  private static let run = Field(
    "run",
    """
    The run: its id, @last, @failed (the last that failed), or @NAME (the last of the workflow \
    NAME).
    """, isRequired: true)
  private static let from = Field(
    "from", "The id of a step: run it and what depends on it again.")

  private static func wait(default seconds: Int) -> Field {
    Field("wait", "How many seconds to wait. Default: \(seconds).", .whole(0...waitMax))
  }
}
