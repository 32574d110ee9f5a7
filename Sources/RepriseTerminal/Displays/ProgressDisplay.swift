// The display of a run: selects an `EventDisplay` for a progress style and feeds it events.

package import CombineOperators
package import Reprise
import Synchronization

/// The style of the progress display.
package enum ProgressStyle: String, Sendable, CaseIterable {
  /// A tree on a terminal, plain lines elsewhere and on build servers, `github` under GitHub
  /// Actions.
  case auto
  /// A tree of steps, redrawn in place.
  case tree
  /// A line for each transition and each line of output.
  case plain
  /// Plain lines with the output of each step in a group, annotations and a summary, for GitHub
  /// Actions.
  case github
  /// One JSON event per line.
  case json
  /// Only a report of failures at the end.
  case none

  /// Whether human-readable messages may be written alongside.
  package var isHumanReadable: Bool { [.auto, .tree, .plain, .github].contains(self) }

  /// Returns the style that `auto` selects; other styles are unchanged.
  ///
  /// A build server may provide a terminal without a user, so nothing is animated there.
  ///
  /// - Parameters:
  ///   - output: The descriptor to write to.
  ///   - environment: The environment with `TERM`, `CI` and `GITHUB_ACTIONS`.
  /// - Returns: The style.
  package func resolved(output: Int32 = 1, environment: [String: String]) -> ProgressStyle {
    guard self == .auto else { return self }
    if environment.isOn("GITHUB_ACTIONS") { return .github }
    let isAnimated = TerminalDevice(descriptor: output).isTerminal && environment["TERM"] != "dumb"
    return isAnimated && !environment.isOn("CI") ? .tree : .plain
  }

  /// Whether steps should be asked for colours: the display has them on a terminal, and the environment
  /// says nothing about colours, which steps would inherit.
  ///
  /// - Parameters:
  ///   - output: The descriptor to write to.
  ///   - environment: The environment with `TERM`, `NO_COLOR` and so on.
  /// - Returns: Whether they should.
  package func asksForColours(output: Int32 = 1, environment: [String: String]) -> Bool {
    guard !ColourVariables.areSet(in: environment) else { return false }
    let isTerminal = TerminalDevice(descriptor: output).isTerminal
    switch resolved(output: output, environment: environment) {
    case .auto, .tree, .plain:
      return isTerminal && Style(environment: environment).hasColour
    case .github, .json, .none: return false
    }
  }
}

/// Shows a run from its events alone, independent of their source.
package final class ProgressDisplay: Sendable {
  // @unchecked: a subscription is not Sendable; this one is only stored and released.
  private struct Listening: @unchecked Sendable {
    var subscription: AnyCancellable?
    var ending: DisplayEnding?
    var waiting = Waiters()
  }

  private let display: any EventDisplay
  private let listening = Mutex(Listening())

  /// Creates a display, which shows nothing until it is attached.
  ///
  /// - Parameters:
  ///   - style: The style of the display.
  ///   - output: The descriptor to write to.
  ///   - input: The descriptor to read keys from, if it is a terminal.
  ///   - environment: The environment with `TERM`, `NO_COLOR` and so on, and the locale.
  ///   - joinedAt: The time of attaching to a run in progress: plain lines mark earlier events as a
  ///     replay. Nil if the display is attached from the start.
  ///   - controls: The actions of the keys.
  package init(
    style: ProgressStyle, output: Int32 = 1, input: Int32 = 0, environment: [String: String],
    joinedAt: Timestamp? = nil, controls: DisplayControls
  ) {
    display = makeDisplay(
      style, output: output, input: input, environment: environment, controls: controls,
      joinedAt: joinedAt)
  }

  /// Subscribes to the events of a run and shows them.
  ///
  /// Must be called at most once.
  ///
  /// - Parameter events: The events of one run.
  package func attach(to events: some Publisher<Event, Never>) {
    let subscription = events.sink { [self] _ in
      end()
    } receiveValue: { [display] event in
      display.show(event)
    }
    let held = Listening(subscription: subscription)
    listening.withLock { $0.subscription = held.subscription }
  }

  /// Shows a run that has ended from its last state.
  ///
  /// Must be called at most once, and instead of ``attach(to:)``.
  ///
  /// - Parameter state: The state of the run.
  package func report(_ state: RunState) {
    display.take(state)
    end()
  }

  private func end() {
    display.finish { [self] ending in
      let waiting = listening.withLock { listening in
        listening.ending = ending
        return listening.waiting.takeAll()
      }
      waiting.wake()
    }
  }

  /// Waits until the last event has been shown, the user has left, and the terminal is restored.
  ///
  /// - Returns: How the user has left.
  package func finish() async -> DisplayEnding {
    await listening.wait(until: { $0.ending != nil }, among: { $0.waiting.add($1) })
    return listening.withLock { $0.ending } ?? .quit
  }

  /// Ends a display that stays after the end of its run.
  package func leave() { display.leave() }
}

/// Returns the display for a style and an output.
func makeDisplay(
  _ style: ProgressStyle, output: Int32, input: Int32, environment: [String: String],
  controls: DisplayControls, prefix: String = "", joinedAt: Timestamp? = nil
) -> any EventDisplay {
  let device = TerminalDevice(descriptor: output)
  let look = Style(environment: environment, isTerminal: device.isTerminal)
  switch style.resolved(output: output, environment: environment) {
  case .tree:
    return TreeDisplay(
      device: device, keys: TerminalDevice(descriptor: input),
      style: Style(environment: environment), controls: controls)
  case .auto, .plain:
    return LineDisplay(
      device: device, controls: controls, content: .plain(look), prefix: prefix,
      joinedAt: joinedAt)
  case .github:
    return LineDisplay(
      device: device, controls: controls,
      content: .github(look, GitHubJob(environment: environment)), prefix: prefix,
      joinedAt: joinedAt)
  case .json: return LineDisplay(device: device, controls: controls, content: .json)
  case .none:
    let errors = TerminalDevice(descriptor: 2)
    return LineDisplay(
      device: errors, controls: controls,
      content: .report(Style(environment: environment, isTerminal: errors.isTerminal)))
  }
}
