// `ContainerSite`: hosts on this machine whose containers may outlive them.

import Reprise

/// Hosts on this machine that run containers.
///
/// The containers of podman end with their host, since they are in its process tree. Those of docker
/// belong to its daemon: when a host is killed, nothing but their name leads to them.
struct ContainerSite: AttemptSite {
  let hosts: ThisMachineSite
  let program: String
  let environment: [String: String]

  var name: String { hosts.name }
  var isThisMachine: Bool { true }

  func submit(
    _ spec: AttemptSpec, _ token: AttemptToken, _ folder: AttemptFolder
  ) async throws(RunnerFailure) -> String {
    try await hosts.submit(spec, token, folder)
  }

  func sight(of token: AttemptToken) async throws(RunnerFailure) -> SiteSight {
    try await hosts.sight(of: token)
  }

  func endRest(of token: AttemptToken) async throws(RunnerFailure) {
    let answer = try await answer(of: [program, "rm", "--force", token.text], in: environment)
    guard answer.status == 0 || answer.errors.lowercased().contains("no such container") else {
      throw .cannotAsk("cannot remove the container \(token): \(answer.complaint)")
    }
    try await hosts.endRest(of: token)
  }

  func forget(_ token: AttemptToken) { hosts.forget(token) }
}
