// Reports when files in a folder have changed.

import Foundation

/// Returns the saves below a folder, starting with one for its initial state.
///
/// Polls the modification times of the files.
///
/// - Parameters:
///   - folder: The path of the folder.
///   - interval: The time between two polls.
/// - Returns: The number of files after each save; saves between two reads are coalesced.
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
