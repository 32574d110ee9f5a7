// The table of keys for the page in a browser.

/// A row of the table of keys, with the names that a browser gives to keys.
package struct BrowserKey: Encodable, Sendable {
  /// Where the keys apply: `steps`, `log` or `watch`.
  package let place: String
  /// What the keys do.
  package let action: String
  /// The values of `KeyboardEvent.key` (https://www.w3.org/TR/uievents-key/).
  package let keys: [String]
  /// The keys in words.
  package let label: String
  /// What the keys do, in words.
  package let help: String

  /// The rows of the table that make sense in a browser, in the order of the help.
  package static let table: [BrowserKey] = KeyBinding.table.compactMap { row in
    guard row.place != .runs, !terminalActions.contains(row.action) else { return nil }
    let keys = row.keys.compactMap(\.nameInBrowser)
    guard !keys.isEmpty else { return nil }
    return BrowserKey(
      place: row.place.rawValue, action: row.action.rawValue, keys: keys, label: row.label,
      help: row.help)
  }

  /// What a page in a browser does not do: it has no terminal to return to, and no programs.
  private static let terminalActions: Set<KeyAction> = [
    .edit, .page, .stream, .output, .runs, .mouse, .quit, .pauseWatch,
  ]
}

extension Key {
  /// The name of the key in a browser; nil if it is not a key there.
  fileprivate var nameInBrowser: String? {
    switch self {
    case .character(let character): String(character)
    case .up: "ArrowUp"
    case .down: "ArrowDown"
    case .left: "ArrowLeft"
    case .right: "ArrowRight"
    case .pageUp: "PageUp"
    case .pageDown: "PageDown"
    case .home: "Home"
    case .end: "End"
    case .enter: "Enter"
    case .escape: "Escape"
    case .tab: "Tab"
    case .backspace: "Backspace"
    case .wheelUp, .wheelDown, .click, .cursor, .pasted: nil
    }
  }
}
