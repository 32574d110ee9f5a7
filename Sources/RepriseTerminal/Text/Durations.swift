// Durations in the short forms of the display. Pure.

/// Returns the duration of what still goes on: `4.2s`, `12s`, `1:05`, `2:03:10`.
///
/// Tenths show that something moves; from 10 s on, they would only distract.
func tickingText(_ duration: Duration) -> String {
  let isWhole = duration >= .seconds(10) && duration < .seconds(60)
  return isWhole ? "\(duration.components.seconds)s" : elapsedText(duration)
}

/// Returns the rest of a countdown in whole seconds, rounded up.
func countdownText(_ duration: Duration) -> String {
  elapsedText(.seconds(Int64((max(.zero, duration) / .seconds(1)).rounded(.up)))).replacing(
    ".0s", with: "s")
}

/// Returns a duration in a short form: `0.4s`, `59.9s`, `1:05`, `2:03:10`.
func elapsedText(_ duration: Duration) -> String {
  let tenths = max(
    0, duration.components.seconds * 10 + duration.components.attoseconds / 100_000_000_000_000_000)
  let seconds = tenths / 10
  func twoDigits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
  return switch seconds {
  case ..<60: "\(seconds).\(tenths % 10)s"
  case ..<3600: "\(seconds / 60):\(twoDigits(seconds % 60))"
  default: "\(seconds / 3600):\(twoDigits(seconds / 60 % 60)):\(twoDigits(seconds % 60))"
  }
}
