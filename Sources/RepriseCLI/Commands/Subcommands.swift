// The subcommands of `reprise`, in the order of its help.

import ArgumentParser

/// The subcommands of `reprise`.
var subcommands: [any ParsableCommand.Type] {
  [
    RunCommand.self, WatchCommand.self, EngineCommand.self, MCPCommand.self, ResumeCommand.self,
    ValidateCommand.self, GraphCommand.self, InitCommand.self, ListCommand.self, RunsCommand.self,
    ShowCommand.self, CompareCommand.self, TopCommand.self, LogsCommand.self, AttachCommand.self,
    RestartCommand.self,
    CancelCommand.self, ApproveCommand.self, SetCommand.self, SkipCommand.self,
    PauseCommand.self, UnpauseCommand.self, ExplainCommand.self, TraceCommand.self,
    TriggerCommand.self,
    TriggersCommand.self, WebCommand.self, SchemaCommand.self, ImportCommand.self,
    RunnersCommand.self, PruneCommand.self, HostCommand.self,
  ]
}

/// The names of the subcommands, and `up`, which is `run --up`.
var subcommandNames: [String] {
  subcommands.compactMap { $0.configuration.commandName } + ["up"]
}
