// Masks secrets in events and parameters before they are shown or stored.

import Masking
package import Workflows

extension Trigger {
  /// Returns the event with each secret in its strings replaced by `***`.
  ///
  /// - Parameter secrets: The secrets.
  /// - Returns: The event, unchanged if it contains no secret.
  package func hiding(_ secrets: Secrets) -> Trigger {
    let masker = secrets.masker
    guard !masker.isEmpty else { return self }
    return mappingTexts(masker.masked) { $0.masked(by: masker) }
  }
}

extension Value {
  /// Returns the value with each secret replaced by `***`, including numbers that are secrets.
  fileprivate func masked(by masker: Masker) -> Value {
    switch self {
    case .null, .boolean: return self
    case .number, .digits:
      let masked = masker.masked(asText)
      return masked == asText ? self : .text(masked)
    case .text(let text): return .text(masker.masked(text))
    case .list(let values): return .list(values.map { $0.masked(by: masker) })
    case .map(let values):
      let pairs = values.map { (masker.masked($0.key), $0.value.masked(by: masker)) }
      return .map(Dictionary(pairs) { $1 })
    }
  }
}
