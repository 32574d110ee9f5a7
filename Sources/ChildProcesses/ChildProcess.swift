// A process that was started here, as whoever started it holds it. All it does is ask the reactor.

import Platform
import Synchronization

/// A process with all of its descendants, its output, and its end.
///
/// Everything may be called from any thread. What happens to the process happens on the one thread
/// of the ``Reactor``.
package final class ChildProcess: Sendable {
  /// The process id; also the id of its session and of its process group.
  package let id: Int32
  private let roomForOutput: @Sendable () async -> Void
  private let ending = Mutex(Ending())

  private struct Ending {
    var status: ChildExit?
    var waiting: [CheckedContinuation<ChildExit, Never>] = []
  }

  fileprivate init(id: Int32, roomForOutput: @escaping @Sendable () async -> Void) {
    self.id = id
    self.roomForOutput = roomForOutput
  }

  /// Starts a command in a session of its own, with default signals, an empty standard input, and no
  /// descriptor of this process.
  ///
  /// - Parameters:
  ///   - command: What to start.
  ///   - filter: Makes what the bytes of a stream must pass before anything is made of them, once
  ///     for each stream; they are taken as they are when nil.
  ///   - roomForOutput: Waits until more output may come, where `onOutput` has returned false; the
  ///     process waits as well.
  ///   - onOutput: Called with each piece of output, in the order of its stream, on the thread that
  ///     serves all children: it must return soon and must not block. Returns whether more may come at
  ///     once.
  /// - Returns: The process. Its end has to be waited for with ``end()``.
  /// - Throws: ``SpawnError`` when it cannot be started. A command that starts and fails is no error.
  package static func spawn(
    _ command: Command, filter: (@Sendable () -> any OutputFilter)? = nil,
    roomForOutput: @escaping @Sendable () async -> Void = {},
    onOutput: @escaping @Sendable (OutputLines) -> Bool
  ) throws(SpawnError) -> ChildProcess {
    let path = try command.programPath()
    let ends = try OutputEnds(for: command)
    let environment = command.environment(reportingTo: ends.channel)
    let streams = ends.streams(filter)
    return try Reactor.shared.introduce { () throws(SpawnError) -> ChildState in
      let started = startProcess(
        path, arguments: [command.executable] + command.arguments,
        environment: environment,
        directory: command.directory, output: ends.output.writing, errors: ends.errors.writing)
      ends.closeWriting()
      switch started {
      case .success(let pid):
        let child = ChildProcess(id: pid, roomForOutput: roomForOutput)
        let tag = command.tag.compactMap { name in
          command.environment[name].map { "\(name)=\($0)" }
        }
        return ChildState(
          child: child, tag: Set(tag), streams: streams, channel: ends.channel,
          onOutput: onOutput)
      case .failure(let error):
        ends.discard()
        throw command.explanation(of: error, path: path)
      }
    }
  }

  /// The thread that serves all children, for tasks that start processes and wait for them.
  ///
  /// On it nothing changes threads between the end of one process and the start of the next. What runs
  /// there must not block: the output, the ends and the deadlines of all children wait for it.
  package static var executor: any TaskExecutor { Reactor.shared }

  /// Asks every process of the tree to end: SIGTERM, and SIGCONT so that stopped ones hear it.
  ///
  /// Returns at once. Further calls change nothing, but for a shorter grace.
  ///
  /// - Parameter grace: After this time what is left is killed.
  package func terminate(grace: Duration) {
    Reactor.shared.post { [id] in $0.terminate(id, grace: grace) }
  }

  /// Kills every process of the tree, and again until none is left.
  ///
  /// Returns at once.
  package func kill() {
    Reactor.shared.post { [id] in $0.terminate(id, grace: .zero) }
  }

  /// Waits until every process of the tree is gone and all output has been handed over.
  ///
  /// When the process itself has ended, what it leaves behind gets about half a second to end too,
  /// or else is ended. Cancelling the task that waits changes nothing: ask with `terminate`.
  ///
  /// - Returns: How the process itself ended.
  package func end() async -> ChildExit {
    await withCheckedContinuation { continuation in
      let status = ending.withLock { ending in
        if ending.status == nil { ending.waiting.append(continuation) }
        return ending.status
      }
      if let status { continuation.resume(returning: status) }
    }
  }

  /// Called by the reactor when it has paused the output.
  func resumeWhenThereIsRoom() {
    Task { [id, roomForOutput] in
      await roomForOutput()
      Reactor.shared.post { $0.resumeOutput(id) }
    }
  }

  /// Called by the reactor once the tree is gone.
  func finish(_ status: ChildExit) {
    let waiting = ending.withLock { ending in
      ending.status = status
      defer { ending.waiting = [] }
      return ending.waiting
    }
    for continuation in waiting { continuation.resume(returning: status) }
  }
}

/// Makes this process adopt the orphans among the descendants of its children, so that what has cut
/// all ties to its parents comes back here and can be ended.
///
/// For programs that start processes in no other way: their orphans would come here, too. Does
/// nothing where the system cannot do it.
package func adoptOrphans() {
  Reactor.shared.post { $0.adoptOrphans() }
}
