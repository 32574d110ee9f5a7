// Tells when files of a folder have changed. Knows nothing of what is done about it.

import Foundation

/// The saves below a folder, of which the first comes at once.
///
/// It looks at the times of the files again and again.
///
/// - Parameters:
///   - folder: The path of the folder.
///   - interval: How long to wait between two looks.
/// - Returns: How many files there are after each save; what comes while nobody asks is one.
func saves(
  below folder: String, every interval: Duration = .milliseconds(200)
) -> AsyncStream<Int> {
  AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
    let looking = Task {
      var known: [String: Date]?
      while !Task.isCancelled {
        let now = modificationTimes(below: folder)
        if now != known { continuation.yield(now.count) }
        known = now
        try? await Task.sleep(for: interval)
      }
    }
    continuation.onTermination = { _ in looking.cancel() }
  }
}

private func modificationTimes(below folder: String) -> [String: Date] {
  let paths = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
  var times: [String: Date] = [:]
  for path in paths where !path.split(separator: "/").contains(where: { $0.hasPrefix(".") }) {
    let attributes = try? FileManager.default.attributesOfItem(atPath: folder + "/" + path)
    guard attributes?[.type] as? FileAttributeType == .typeRegular else { continue }
    times[path] = attributes?[.modificationDate] as? Date
  }
  return times
}
