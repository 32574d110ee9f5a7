// The display of a run: chooses how it is shown and listens to its events. How it looks is the
// business of the displays that it chooses from.

package import CombineOperators
package import Reprise
import Synchronization

/// How progress is shown.
package enum ProgressStyle: String, Sendable, CaseIterable {
  /// A tree on a terminal, plain lines elsewhere.
  case auto
  /// A tree of steps, redrawn in place.
  case tree
  /// A line for each transition and each line of output.
  case plain
  /// An event as JSON on each line.
  case json
  /// Nothing but what went wrong.
  case none

  /// Whether sentences for people may be written beside it.
  package var isForPeople: Bool { [.auto, .tree, .plain].contains(self) }
}

/// What a display can be asked to do by its user, and has others do.
package struct DisplayControls: Sendable {
  /// Takes the run again from the top.
  package var restart: @Sendable () -> Void
  /// Cancels the run.
  package var cancel: @Sendable () -> Void
  /// Cancels the run without grace.
  package var kill: @Sendable () -> Void
  /// Approves a step that waits for that, or refuses it.
  package var approve: @Sendable (_ step: String, _ isApproved: Bool) -> Void
  /// Is told that nobody reads the output any more.
  package var outputClosed: @Sendable () -> Void
  /// Starts a run now, in a watch.
  package var fire: @Sendable () -> Void = {}
  /// Lets no run begin, in a watch, or lets them begin again.
  package var pause: @Sendable () -> Void = {}

  /// Puts controls together.
  ///
  /// - Parameters:
  ///   - restart: Takes the run again from the top.
  ///   - cancel: Cancels the run.
  ///   - kill: Cancels the run without grace.
  ///   - approve: Approves a step that waits for that, or refuses it.
  ///   - outputClosed: Is told that nobody reads the output any more.
  package init(
    restart: @escaping @Sendable () -> Void, cancel: @escaping @Sendable () -> Void,
    kill: @escaping @Sendable () -> Void,
    approve: @escaping @Sendable (_ step: String, _ isApproved: Bool) -> Void,
    outputClosed: @escaping @Sendable () -> Void
  ) {
    self.restart = restart
    self.cancel = cancel
    self.kill = kill
    self.approve = approve
    self.outputClosed = outputClosed
  }
}

/// One way to show events.
///
/// Called by one thread at a time.
protocol EventDisplay: Sendable {
  func show(_ event: Event)
  /// After the last event: leaves everything as it was found.
  func finish()
  /// After the last event of a run that is one of several: makes ready for the next one.
  func rest()
  /// Shows a line that belongs to no run.
  func say(_ text: String)
  /// Shows where the watch stands that the runs belong to.
  func show(_ status: WatchStatus)
}

/// Shows a run from its events alone, wherever they come from.
package final class ProgressDisplay: Sendable {
  // @unchecked: a subscription is not Sendable; this one is only stored and released.
  private struct Listening: @unchecked Sendable {
    var subscription: AnyCancellable?
    var isFinished = false
    var waiting = Waiters()
  }

  private let display: any EventDisplay
  private let listening = Mutex(Listening())

  /// Makes a display; nothing is shown before it is attached.
  ///
  /// - Parameters:
  ///   - style: How progress is shown.
  ///   - output: The descriptor to write to.
  ///   - input: The descriptor from which keys are read, where it is a terminal.
  ///   - environment: Where `TERM`, `NO_COLOR` and the locale are read.
  ///   - joinedAt: The moment from which on events are news: lines mark those before it as a recap. Nil when
  ///     the display is there from the beginning.
  ///   - controls: What keys do.
  package init(
    style: ProgressStyle, output: Int32 = 1, input: Int32 = 0, environment: [String: String],
    joinedAt: Timestamp? = nil, controls: DisplayControls
  ) {
    display = makeDisplay(
      style, output: output, input: input, environment: environment, controls: controls,
      joinedAt: joinedAt)
  }

  /// Shows events as they come.
  ///
  /// Called once.
  ///
  /// - Parameter events: The events of one run.
  package func attach(to events: some Publisher<Event, Never>) {
    let subscription = events.sink { [self] _ in
      display.finish()
      let waiting = listening.withLock { listening in
        listening.isFinished = true
        return listening.waiting.takeAll()
      }
      waiting.wake()
    } receiveValue: { [display] event in
      display.show(event)
    }
    let held = Listening(subscription: subscription)
    listening.withLock { $0.subscription = held.subscription }
  }

  /// Waits until the last event has been shown and the terminal is as it was found.
  package func finish() async {
    await listening.wait(until: { $0.isFinished }, among: { $0.waiting.add($1) })
  }
}

/// Chooses how a run is shown.
func makeDisplay(
  _ style: ProgressStyle, output: Int32, input: Int32, environment: [String: String],
  controls: DisplayControls, prefix: String = "", joinedAt: Timestamp? = nil
) -> any EventDisplay {
  let look = Style(environment: environment)
  let device = TerminalDevice(descriptor: output)
  let plainLook = Style(hasColour: false, hasUnicode: look.hasUnicode)
  switch style {
  case .auto, .tree, .plain:
    guard isTree(style, output: output, environment: environment) else {
      return LineDisplay(
        device: device, controls: controls, content: .plain(plainLook), prefix: prefix,
        joinedAt: joinedAt)
    }
    return TreeDisplay(
      device: device, keys: TerminalDevice(descriptor: input), style: look, controls: controls)
  case .json: return LineDisplay(device: device, controls: controls, content: .json)
  case .none:
    return LineDisplay(
      device: TerminalDevice(descriptor: 2), controls: controls, content: .report(plainLook))
  }
}

/// Whether a run is shown as a tree.
func isTree(_ style: ProgressStyle, output: Int32, environment: [String: String]) -> Bool {
  let isTerminal = TerminalDevice(descriptor: output).isTerminal
  return style == .tree || style == .auto && isTerminal && environment["TERM"] != "dumb"
}
