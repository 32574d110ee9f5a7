// The actions of the keys of a display that is attached to a run of another process.

import Reprise
package import RepriseControl
package import RepriseTerminal

extension DisplayControls {
  /// Creates controls that send requests to a run of another process.
  ///
  /// - Parameters:
  ///   - client: The attached client.
  ///   - outputClosed: Called when the output has been closed.
  package init(of client: ControlClient, outputClosed: @escaping @Sendable () -> Void) {
    self.init(
      restart: { client.post(.run(.restart(from: []))) },
      cancel: { client.post(.run(.cancel(steps: [], now: false))) },
      kill: { client.post(.run(.cancel(steps: [], now: true))) },
      approve: { client.post(.run(.approve(step: $0, isApproved: $1))) },
      outputClosed: outputClosed)
    restartFrom = { client.post(.run(.restart(from: [$0]))) }
    cancelStep = { client.post(.run(.cancel(steps: [$0], now: false))) }
  }
}
