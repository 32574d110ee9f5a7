// The display of the list of runs: reads keys and draws. `RunsList` decides what keys mean, `RunsView`
// draws.

import Dispatch
import Platform
package import Reprise

/// Shows the list of runs in the alternate screen of a terminal.
package struct RunsDisplay: Sendable {
  /// What the keys can ask for.
  package struct Controls: Sendable {
    /// Asks a live run for something; returns what it does now, or why it does not.
    package var request: @Sendable (_ run: String, Intervention) async -> KeyAnswer
    /// Resumes a run that has ended, or starts it again from the first step; returns once it is live.
    package var resume: @Sendable (_ run: String, _ isAgain: Bool) async -> KeyAnswer

    /// Creates controls.
    package init(
      request: @escaping @Sendable (_ run: String, Intervention) async -> KeyAnswer,
      resume: @escaping @Sendable (_ run: String, _ isAgain: Bool) async -> KeyAnswer
    ) {
      self.request = request
      self.resume = resume
    }
  }

  /// How the list ends.
  package enum Ending: Sendable, Equatable {
    case quit
    /// The user has opened a run.
    case opened(String)
  }

  /// What happens to the display, in order.
  private enum Input: Sendable {
    case key(Key)
    case runs([RunEntry])
    case answer(TerminalSafe)
    case redraw
  }

  private let style: Style
  private let controls: Controls
  private let device = TerminalDevice(descriptor: 1)

  /// Creates a display on standard input and standard output.
  ///
  /// - Parameters:
  ///   - environment: The environment with `TERM`, `NO_COLOR` and so on, and the locale.
  ///   - controls: The actions of the keys.
  package init(environment: [String: String], controls: Controls) {
    style = Style(environment: environment)
    self.controls = controls
  }

  /// Whether standard input and standard output are a terminal that this process may use.
  package static var isPossible: Bool {
    Keyboard(device: TerminalDevice(descriptor: 0)).isUsable
      && TerminalDevice(descriptor: 1).isTerminal
  }

  /// Shows the list until the user leaves it; the terminal is then as it was.
  ///
  /// Ends as well when the task is cancelled or standard output is closed.
  ///
  /// - Parameters:
  ///   - list: The list, which keeps what was chosen.
  ///   - updates: The runs, newest first, each time that they have changed.
  /// - Returns: How the user has left.
  package func show(
    _ list: inout RunsList, _ updates: AsyncStream<[RunEntry]>
  ) async -> Ending {
    let (inputs, input) = AsyncStream.makeStream(of: Input.self)
    let keyboard = Keyboard(device: TerminalDevice(descriptor: 0))
    var screen = FullScreen()
    keyboard.start(
      onKey: { input.yield(.key($0)) },
      beforeStop: { [device] in _ = device.write(Self.leaving) },
      afterStop: { input.yield(.redraw) })
    catchSignal(SignalNumber.windowChange)
    let resizes = EventSource(
      DispatchSource.makeSignalSource(
        signal: SignalNumber.windowChange, queue: DispatchQueue(label: "reprise.runs"))
    ) { input.yield(.redraw) }
    let feed = Task { for await runs in updates { input.yield(.runs(runs)) } }
    defer {
      feed.cancel()
      resizes.cancel()
      keyboard.stop()
      _ = device.write(Self.leaving)
    }
    var frame = RunsView.Frame(rows: [])
    for await next in inputs {
      var effect: RunsList.Effect?
      var redraws = false
      switch next {
      case .key(let key):
        effect = list.press(key, pageRows: frame.pageRows, helpPages: frame.helpPages)
      case .runs(let runs): list.update(runs)
      case .answer(let text): list.notice = text
      case .redraw: redraws = true
      }
      if effect == .leave { return .quit }
      if case .open(let run)? = effect { return .opened(run) }
      if let effect { perform(effect) { input.yield(.answer($0)) } }
      frame = RunsView(list: list, style: style).frame(device.size)
      if redraws { screen = FullScreen() }
      let text = screen.update(to: frame.rows, redraws: redraws)
      guard device.write("\u{1B}[?2026h" + text + "\u{1B}[?2026l") else { return .quit }
    }
    return .quit
  }

  /// The codes that leave the alternate screen and show the cursor.
  private static let leaving: TerminalSafe = "\u{1B}[?1007l\u{1B}[?1049l\u{1B}[?25h"

  private func perform(_ effect: RunsList.Effect, _ say: @escaping @Sendable (TerminalSafe) -> Void)
  {
    Task { [controls] in
      switch effect {
      case .request(let run, let intervention):
        let answer = await controls.request(run, intervention)
        // What it does is seen in its row.
        if !answer.isAccepted { say(TerminalSafe(lines: answer.text)) }
      case .resume(let run, let isAgain):
        say("resuming run \(run)…")
        say(TerminalSafe(lines: await controls.resume(run, isAgain).text))
      case .open, .leave: break
      }
    }
  }
}
