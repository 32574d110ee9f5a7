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
  ///   - file: The path of the workflow file, if there is one.
  ///   - outputClosed: Called when the output has been closed.
  package init(
    of client: ControlClient, socket: String, file: String?,
    outputClosed: @escaping @Sendable () -> Void
  ) {
    let user = currentUserName()
    // The attached connection only carries events.
    @Sendable func ask(_ make: (Requester) -> ControlRequest, _ key: String) async -> KeyAnswer {
      do throws(ControlError) {
        let request = make(Requester(.attach, name: key, user: user))
        let reply = try await ControlClient(socket).ask(request)
        return (reply.text, key == "u" ? reply.concernsSteps : reply.isAccepted)
      } catch {
        return ("error: \(error)", false)
      }
    }
    self.init(outputClosed: outputClosed)
    request = { intervention, key in await ask({ .run(intervention, by: $0) }, key) }
    reload = { isDryRun in
      await ask(
        { .reload(ReloadOptions(changedOnly: true, isDryRun: isDryRun), by: $0) }, "u")
    }
    if let file { place = { workflowPlace(ofStep: $0, in: file) } }
  }
}
