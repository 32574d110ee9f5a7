// `AttemptSite`: where the hosts of attempts run, as far as the engine must know.

package import Reprise

/// How a host is brought to life for a folder, and what is known of it apart from the folder.
package protocol AttemptSite: Sendable {
  /// The name of the site in messages, such as `Slurm`.
  var name: String { get }
  /// Whether the hosts run on this machine, so that the lock of a claim tells whether one is alive.
  var isThisMachine: Bool { get }

  /// Has a host started for an attempt; must be harmless if one was started before.
  ///
  /// - Returns: A note for the folder, such as the number of the job, unless it has one by now.
  func submit(
    _ spec: AttemptSpec, _ token: AttemptToken, _ folder: AttemptFolder
  ) async throws(RunnerFailure) -> String

  /// Says what is known of an attempt.
  func sight(of token: AttemptToken) async throws(RunnerFailure) -> SiteSight

  /// Withdraws an attempt that the engine has claimed, so that no host runs it; returns at once.
  ///
  /// A courtesy: a host that is still started finds the claim taken.
  ///
  /// - Parameter token: The token of the attempt.
  func withdraw(_ token: AttemptToken)

  /// Waits until what was withdrawn of a run is gone, but not for ever.
  ///
  /// - Parameters:
  ///   - run: The run.
  ///   - claimed: Returns its attempts that an engine has claimed, perhaps one before this.
  /// - Returns: What is left, in a sentence; nil if nothing is.
  func finishWithdrawals(of run: RunID, _ claimed: () -> [AttemptToken]) async -> String?

  /// Ends what an attempt has left outside of the process tree of its host, which has died.
  ///
  /// Called on this machine before the attempt is said to be gone; may be called again.
  func endRest(of token: AttemptToken) async throws(RunnerFailure)

  /// Says how an attempt that is gone ended, as the site knows it; nil if it knows nothing.
  func end(of token: AttemptToken) async -> AttemptEnd?

  /// Says what ended an attempt whose host has ended, if the site did; nil if it knows nothing.
  func intervention(in token: AttemptToken) async -> AttemptEnd?

  /// The number by which the site knows an attempt, from what it has noted in the folder.
  func job(_ note: String) -> String?

  /// Called when an attempt is over, at least once.
  func forget(_ token: AttemptToken)
}

/// What a site knows of an attempt, apart from its folder.
package enum SiteSight: Sendable, Equatable {
  /// It waits for this reason, which may be empty.
  case queued(String)
  /// Its host runs, or is about to.
  case present
  /// No host of it runs, and none will.
  case absent
}

extension AttemptSite {
  package func endRest(of token: AttemptToken) async throws(RunnerFailure) {}

  package func end(of token: AttemptToken) async -> AttemptEnd? { nil }

  package func intervention(in token: AttemptToken) async -> AttemptEnd? { nil }

  package func job(_ note: String) -> String? { nil }

  package func withdraw(_ token: AttemptToken) {}

  package func finishWithdrawals(
    of run: RunID, _ claimed: () -> [AttemptToken]
  ) async -> String? { nil }

  package func forget(_ token: AttemptToken) {}
}
