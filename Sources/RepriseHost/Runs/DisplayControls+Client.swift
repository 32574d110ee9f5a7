// The actions of the keys of a display that is attached to a run of another process.

import Reprise
package import RepriseControl
package import RepriseTerminal

extension DisplayControls {
  /// Creates controls that send requests to a run of another process.
  ///
  /// - Parameters:
  ///   - client: The attached client.
  ///   - socket: The path of the control socket of the run.
  ///   - file: The path of the workflow file.
  ///   - outputClosed: Called when the output has been closed.
  package init(
    of client: ControlClient, socket: String, file: String,
    outputClosed: @escaping @Sendable () -> Void
  ) {
    self.init(
      restart: { client.post(.run(.restart(from: []))) },
      cancel: { client.post(.run(.cancel(steps: [], now: false))) },
      kill: { client.post(.run(.cancel(steps: [], now: true))) },
      approve: { client.post(.run(.approve(step: $0, isApproved: $1))) },
      outputClosed: outputClosed)
    reload = { isDryRun in
      // The attached connection only carries events.
      do throws(ControlError) {
        let reply = try await ControlClient(socket).ask(
          .reload(ReloadOptions(changedOnly: true, isDryRun: isDryRun)))
        return (reply.text, reply.isAccepted)
      } catch {
        return ("error: \(error)", false)
      }
    }
    place = { workflowPlace(ofStep: $0, in: file) }
    restartFrom = { client.post(.run(.restart(from: [$0]))) }
    cancelStep = { client.post(.run(.cancel(steps: [$0], now: false))) }
  }
}
