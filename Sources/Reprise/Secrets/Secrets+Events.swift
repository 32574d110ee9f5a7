// Secrets in what a run is given: events and parameters lose them before they are shown or kept.

import Masking
package import WorkflowLanguage

extension Trigger {
  /// The event as it may be shown and kept: each secret in its texts is replaced by `***`.
  ///
  /// - Parameter secrets: The secrets.
  /// - Returns: The same event where there is none in it.
  package func hiding(_ secrets: Secrets) -> Trigger {
    let masker = secrets.masker
    guard !masker.isEmpty else { return self }
    return mappingTexts(masker.masked) { $0.masked(by: masker) }
  }
}

extension Value {
  /// The value with each secret replaced by `***`, also where a number is one.
  fileprivate func masked(by masker: Masker) -> Value {
    switch self {
    case .null, .boolean: return self
    case .number:
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
