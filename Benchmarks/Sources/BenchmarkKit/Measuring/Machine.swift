// The header of the results: the machine, and the versions of all programs.

import Foundation

/// Returns Markdown lines about the machine and the versions.
///
/// - Parameters:
///   - programs: The programs whose versions are listed.
///   - package: The path of this package, in a clone of the repository.
/// - Returns: A Markdown list.
public func surroundings(_ programs: Programs, package: String) -> String {
  let processor = field("model name", in: "/proc/cpuinfo") ?? "unknown"
  let memory =
    field("MemTotal", in: "/proc/meminfo")?.split(separator: " ").first
    .flatMap { Double($0) }.map { fixed($0 / 1_048_576, 1) + " GiB" } ?? "unknown"
  let date = Date.now.formatted(.iso8601.year().month().day())
  let commit = firstLine(["git", "-C", package, "rev-parse", "--short", "HEAD"]) ?? "unknown"
  let isChanged = firstLine(["git", "-C", package, "status", "--porcelain"]) != nil
  let peers = ["ninja", "make", "task", "just", "snakemake", "doit"].map { name in
    let path = (try? programs.peer(name)) ?? name
    let text = firstLine([path, "--version"]) ?? "missing"
    // make prints its name first.
    return "\(name) \(text.split(separator: " ").last ?? "")"
  }
  let size = (try? Data(contentsOf: URL(filePath: programs.reprise)).count) ?? 0
  return """
    - \(date), commit \(commit)\(isChanged ? " with changes" : "")
    - \(processor), \(ProcessInfo.processInfo.processorCount) cores, \(memory), \
    Linux \(firstLine(["uname", "-r"]) ?? "")
    - \(firstLine(["swift", "--version"]) ?? "swift: unknown")
    - reprise \(firstLine([programs.reprise, "--version"]) ?? "") (\(fixed(Double(size) / 1e6, 1)) MB)
    - \(peers.joined(separator: ", "))

    """
}

private func field(_ name: String, in path: String) -> String? {
  let text = try? String(contentsOfFile: path, encoding: .utf8)
  let line = text?.split(separator: "\n").first { $0.hasPrefix(name) }
  return line?.split(separator: ":", maxSplits: 1).last
    .map { $0.trimmingCharacters(in: .whitespaces) }
}

/// Returns the first line of a command's output; nil if it prints nothing or cannot be started.
private func firstLine(_ command: [String]) -> String? {
  let process = Process()
  let output = Pipe()
  process.executableURL = URL(filePath: "/usr/bin/env")
  process.arguments = command
  process.standardOutput = output
  process.standardError = FileHandle.nullDevice
  guard (try? process.run()) != nil else { return nil }
  let data = output.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  return String(decoding: data, as: UTF8.self).split(separator: "\n").first.map(String.init)
}
