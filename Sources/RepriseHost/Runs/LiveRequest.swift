// Requests of a command to a live run of another process: the answer, and the wait for what follows.

import ChildProcesses
import Platform
package import Reprise
package import RepriseControl
package import RepriseJournal
import RepriseTerminal
import Synchronization

/// A request of a command to a live run of another process.
package struct LiveRequest: Sendable {
  private let request: ControlRequest
  private let record: RunRecord
  private let journal: Journal

  /// Creates a request.
  ///
  /// - Parameters:
  ///   - request: What is asked, and by whom.
  ///   - record: The record of the run.
  ///   - journal: The journal with the run.
  package init(_ request: ControlRequest, of record: RunRecord, in journal: Journal) {
    self.request = request
    self.record = record
    self.journal = journal
  }

  /// Sends the request.
  ///
  /// - Returns: What the run does now.
  /// - Throws: ``Problem`` if the run cannot be reached, or refuses.
  package func answer() async throws(Problem) -> InterventionAnswer {
    let reply = try await reply(of: try journal.client(of: record), to: request)
    guard case .accepted(let answer) = reply else {
      return InterventionAnswer("the run \(record.id) has accepted the request")
    }
    return answer
  }

  /// Waits for what follows from the request: the end of its steps, or of the run.
  ///
  /// - Parameter answer: The answer of the run.
  /// - Returns: The state of the run by then.
  /// - Throws: ``Problem`` if the connection is lost while the run continues.
  package func consequence(of answer: InterventionAnswer) async throws(Problem) -> RunState {
    let followed = Mutex(RunState())
    if let client = try? journal.client(of: record),
      (try? await client.ask(.attach, within: .seconds(10))) == .ok
    {
      for await event in client.events.values {
        let state = followed.withLock { state -> RunState in
          try? state.apply(event)
          return state
        }
        if request.isSettled(in: state, answer) { return state }
      }
    }
    // The connection ends with the run, whose end may be recorded a moment later.
    let status = await journal.statusAfterEnd(of: record.id)
    do throws(JournalError) {
      let state = try journal.state(of: try journal.run(named: record.id.description))
      if request.isSettled(in: state, answer) { return state }
    } catch {
      throw Problem(error)
    }
    throw Problem(
      "error: the connection was lost: run \(record.id) is \(status.rawValue)",
      cause: .internalFailure)
  }
}

/// Sends a request to a live run or a watch.
///
/// - Parameters:
///   - client: The connection to it.
///   - request: The request.
/// - Returns: The reply, which is not a refusal.
/// - Throws: ``Problem`` if there is no reply, or the request is refused.
@discardableResult
package func reply(
  of client: ControlClient, to request: ControlRequest
) async throws(Problem) -> ControlReply {
  let reply: ControlReply
  do throws(ControlError) {
    reply = try await client.ask(request, within: request.patience)
  } catch {
    throw Problem(error)
  }
  // The diagnostics of a workflow file have several lines.
  if case .refused(let text) = reply { throw Problem("error: " + TerminalSafe(lines: text)) }
  return reply
}

extension ControlRequest {
  /// The maximum time to wait for a reply; nil to wait forever.
  fileprivate var patience: Duration? {
    switch self {
    // Secrets may be fetched by programs that take their time.
    case .reload: .seconds(120)
    case .trigger(_, waits: true, _): nil
    default: .seconds(10)
    }
  }

  /// Whether what was asked for has happened completely.
  fileprivate func isSettled(in state: RunState, _ answer: InterventionAnswer) -> Bool {
    if case .ended = state.phase { return true }
    switch self {
    case .run(.pause, _), .run(.unpause, _): return true
    case .run(.cancel(let steps, _), _) where !steps.isEmpty: break
    case .run(.approve, _), .run(.set, _): break
    default: return false
    }
    return (answer.steps ?? []).allSatisfy { state[$0]?.phase.isFinal != false }
      && state.generation >= answer.generation ?? 0
  }
}

extension Requester {
  /// A command of this user.
  ///
  /// - Parameters:
  ///   - name: The name of the command, without the program.
  ///   - comment: What the user says about the request.
  /// - Returns: The requester.
  package static func command(_ name: String, comment: String? = nil) -> Requester {
    Requester(.command, name: "reprise \(name)", user: currentUserName(), comment: comment)
  }
}

/// Returns the name of the user who runs this process, if the environment has it.
func currentUserName() -> String? {
  let environment = inheritedEnvironment()
  return environment["LOGNAME"] ?? environment["USER"]
}
