// Starts a command that owns the terminal: with its standard streams, in its foreground.

import Dispatch
import Platform

/// A child process that owns the terminal.
package struct TerminalProcess: Sendable {
  /// The process, with all of its descendants.
  package let child: ChildProcess
  private let foreground: Task<Void, Never>

  /// Starts a command in a process group of its own, in the foreground of a terminal, with the
  /// standard streams of this process.
  ///
  /// Ctrl-C reaches the command and not this process. Ctrl-Z has no effect: there is no shell to
  /// return to.
  ///
  /// - Parameters:
  ///   - command: The command to start.
  ///   - terminal: A descriptor of the terminal.
  ///   - onReport: Called with the lines that it writes to its report channel, as in
  ///     ``ChildProcess/spawn(_:filter:roomForOutput:onOutput:)``.
  /// - Throws: ``SpawnError`` if the command cannot be started.
  package init(
    _ command: Command, on terminal: Int32,
    onReport: @escaping @Sendable (OutputLines) -> Bool
  ) async throws(SpawnError) {
    let path = try command.programPath()
    let channel = command.reportVariable == nil ? nil : try ReportChannel(for: command)
    let environment = command.environment(reportingTo: channel)
    child = try await Reactor.shared.introduce { () throws(SpawnError) -> ChildState in
      let started = startProcessInGroup(
        path, arguments: [command.executable] + command.arguments, environment: environment,
        directory: command.directory)
      switch started {
      case .success(let pid):
        let streams = channel.map {
          ChildState.Stream(
            kind: .report, descriptor: $0.descriptor, filter: ReportLines(after: nil))
        }
        return ChildState(
          child: ChildProcess(id: pid, roomForOutput: {}), of: command,
          streams: [streams].compactMap(\.self), channel: channel, onOutput: onReport)
      case .failure(let error):
        if let channel {
          closeDescriptors([channel.descriptor])
          channel.remove()
        }
        throw command.explanation(of: error, path: path)
      }
    }
    foreground = Task { [process = child.id] in
      await withCheckedContinuation { continuation in
        // A thread of its own, because it waits for the end of the process.
        DispatchQueue(label: "reprise.foreground").async {
          keepInForeground(process, ofTerminal: terminal)
          continuation.resume()
        }
      }
    }
  }

  /// Waits until nothing of the command is left and this process is in the foreground again.
  ///
  /// Cancelling the waiting task has no effect.
  ///
  /// - Returns: The exit status of the process.
  package func end() async -> ChildExit {
    let status = await child.end()
    await foreground.value
    return status
  }
}
