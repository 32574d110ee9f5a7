// The notification at the end of a run, which terminals show on the desktop.

/// A bell and a message at the end of a run.
///
/// There are two sequences for messages, OSC 9 and OSC 777, and most terminals know only one of them
/// (https://iterm2.com/documentation-escape-codes.html). Unknown ones have no effect.
package struct EndNotification: Sendable {
  /// The maximum width of the title and of the message.
  private static let widthMax = 120

  private let title: TerminalSafe
  private let message: TerminalSafe

  /// Creates the notification of a run that has ended.
  ///
  /// - Parameters:
  ///   - workflow: The name of the workflow.
  ///   - ending: How the run has ended.
  package init(workflow: String, ending: String) {
    // A semicolon separates the fields of a sequence.
    func field(_ text: String) -> TerminalSafe {
      TerminalSafe(text.replacing(";", with: ",")).cut(to: Self.widthMax)
    }
    // Without a word before it, a number at the start of the message would be a command in OSC 9.
    title = "reprise: " + field(workflow)
    message = field(ending)
  }

  /// The sequences.
  var text: TerminalSafe {
    "\u{1B}]9;\(title): \(message)\u{07}\u{1B}]777;notify;\(title);\(message)\u{07}\u{07}"
  }

  /// Writes the notification to the first descriptor that is a terminal; without one, does nothing.
  ///
  /// - Parameter descriptors: The descriptors, by default standard output and standard error.
  package func send(to descriptors: [Int32] = [1, 2]) {
    let devices = descriptors.map { TerminalDevice(descriptor: $0) }
    _ = devices.first { $0.isTerminal }?.write(text)
  }
}
