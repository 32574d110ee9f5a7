// The handle of a child process; the reactor does the work.

import Platform
import Synchronization

/// A child process with all of its descendants, its output and its exit status.
///
/// Thread-safe. The thread of the ``Reactor`` reads the output, sends signals and reaps the
/// process.
package final class ChildProcess: Sendable {
  /// The process id; also the id of its session and of its process group.
  package let id: Int32
  private let roomForOutput: @Sendable () async -> Void
  private let ending = Mutex(Ending())

  private struct Ending {
    var status: ChildExit?
    var waiting: [CheckedContinuation<ChildExit, Never>] = []
  }

  init(id: Int32, roomForOutput: @escaping @Sendable () async -> Void) {
    self.id = id
    self.roomForOutput = roomForOutput
  }

  /// Starts a command in a new session, with default signals, an empty standard input, and no
  /// descriptors of this process.
  ///
  /// - Parameters:
  ///   - command: The command to start.
  ///   - filter: Creates the filter that the bytes of a stream pass first, once for each stream;
  ///     nil for no filter.
  ///   - roomForOutput: Waits until more output may be delivered, after `onOutput` has returned
  ///     false. In the meantime the process blocks when its pipe is full.
  ///   - onOutput: Called with each piece of output, in the order of its stream, on the thread that
  ///     serves all children; it must return soon and must not block. Returns whether more may
  ///     follow immediately.
  /// - Returns: The process. The caller must wait for it with ``end()``.
  /// - Throws: ``SpawnError`` if the command cannot be started. A command that starts and then
  ///   fails is not an error.
  package static func spawn(
    _ command: Command, filter: (@Sendable () -> any OutputFilter)? = nil,
    roomForOutput: @escaping @Sendable () async -> Void = {},
    onOutput: @escaping @Sendable (OutputLines) -> Bool
  ) async throws(SpawnError) -> ChildProcess {
    let path = try command.programPath()
    let ends = try OutputPipes(for: command)
    let environment = command.environment(reportingTo: ends.channel)
    return try await Reactor.shared.introduce { () throws(SpawnError) -> ChildState in
      let started = startProcess(
        path, arguments: [command.executable] + command.arguments,
        environment: environment,
        directory: command.directory, output: ends.output.writing, errors: ends.errors.writing,
        watchedBy: command.trace)
      ends.closeWriting()
      command.trace?.hasStarted()
      switch started {
      case .success(let pid):
        let child = ChildProcess(id: pid, roomForOutput: roomForOutput)
        let state = ChildState(
          child: child, of: command, streams: ends.streams(filter), channel: ends.channel,
          onOutput: onOutput)
        state.stopsOthers = command.stopsOthers
        return state
      case .failure(let error):
        ends.discard()
        throw command.explanation(of: error, path: path)
      }
    }
  }

  /// The thread that serves all children, for tasks that start processes and wait for them.
  ///
  /// On this executor, a task continues without a thread switch between the end of one process and
  /// the start of the next. Tasks on it must not block, because they would delay the output, exit
  /// statuses and deadlines of all children.
  package static var executor: any TaskExecutor { Reactor.shared }

  /// Sends SIGTERM to every process of the tree, then SIGCONT, so that stopped processes handle it.
  ///
  /// Returns immediately. Further calls have no effect, except that they can shorten the grace
  /// period.
  ///
  /// - Parameters:
  ///   - grace: The time after which remaining processes are killed.
  ///   - signal: The signal to send instead of SIGTERM.
  package func terminate(grace: Duration, signal: Int32 = SignalNumber.terminate) {
    Reactor.shared.post { [id] in $0.terminate(id, grace: grace, signal: signal) }
  }

  /// Kills every process of the tree, repeatedly until none is left.
  ///
  /// Returns immediately.
  package func kill() {
    Reactor.shared.post { [id] in $0.terminate(id, grace: .zero) }
  }

  /// Waits until every process of the tree is gone and all output has been delivered.
  ///
  /// After the process itself has ended, its remaining descendants get about half a second to end
  /// before they are killed. Cancelling the waiting task has no effect; call ``terminate(grace:)``
  /// instead.
  ///
  /// - Returns: The exit status of the process itself.
  package func end() async -> ChildExit {
    await withCheckedContinuation { continuation in
      let status = ending.withLock { ending in
        if ending.status == nil { ending.waiting.append(continuation) }
        return ending.status
      }
      if let status { continuation.resume(returning: status) }
    }
  }

  /// Resumes the output when there is room; called by the reactor after it has paused the output.
  func resumeWhenThereIsRoom() {
    Task { [id, roomForOutput] in
      await roomForOutput()
      Reactor.shared.post { $0.resumeOutput(id) }
    }
  }

  /// Resumes the waiting callers; called by the reactor when the tree is gone.
  func finish(_ status: ChildExit) {
    let waiting = ending.withLock { ending in
      ending.status = status
      defer { ending.waiting = [] }
      return ending.waiting
    }
    for continuation in waiting { continuation.resume(returning: status) }
  }
}

/// Makes this process adopt the orphans among its descendants, so that it can find and kill
/// detached processes.
///
/// Only for programs that start all of their processes with this library, because they adopt other
/// orphans, too. Has no effect if the system does not support it.
package func adoptOrphans() {
  Reactor.shared.post { $0.adoptOrphans() }
}
