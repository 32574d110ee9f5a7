// Runs commands and reads their figures from `measured`.

import Foundation

extension Place {
  /// Runs a command in the folder of the row and measures its time and memory.
  ///
  /// Standard output goes to `/dev/null` by default, for all contestants.
  ///
  /// - Parameters:
  ///   - command: The path of the program, and its arguments.
  ///   - output: The file for standard output.
  /// - Returns: Wall time, processor time and resident memory.
  /// - Throws: ``Broken`` with the standard error if the exit status is not 0, ``Missing``.
  func measure(_ command: [String], output: String = "/dev/null") throws -> Sample {
    let report = folder + "/report"
    let errors = folder + "/errors"
    try run([programs.own("measured"), report, output, errors] + command)
    let numbers = try readNumbers(report)
    guard numbers.count == 4, numbers[3] == 0 else {
      let text = (try? String(contentsOfFile: errors, encoding: .utf8)) ?? ""
      throw Broken("\(command.joined(separator: " ")): status \(numbers.last ?? -1)\n\(text)")
    }
    return [
      .wall: numbers[0] / 1e6, .processor: numbers[1] / 1e3, .resident: numbers[2] / 1024,
    ]
  }

  /// Runs `in-process` and reads its figures.
  ///
  /// - Parameters:
  ///   - arguments: The kind of measurement and its arguments.
  ///   - figures: The figures to read, by their printed names.
  /// - Returns: The figures, and those of the process.
  /// - Throws: ``Broken``, ``Missing``.
  func measureInProcess(_ arguments: [String], _ figures: [String: Figure]) throws -> Sample {
    let output = folder + "/figures"
    var sample = try measure([programs.own("in-process")] + arguments, output: output)
    let text = try String(contentsOfFile: output, encoding: .utf8)
    for field in text.split(whereSeparator: \.isWhitespace) {
      let parts = field.split(separator: "=")
      guard parts.count == 2, let figure = figures[String(parts[0])] else { continue }
      sample[figure] = Double(parts[1])
    }
    return sample
  }

  /// Runs a command in the folder of the row and waits for it to end.
  ///
  /// - Throws: ``Broken`` if the exit status is not 0.
  func run(_ command: [String]) throws {
    let process = Process()
    process.executableURL = URL(filePath: command[0])
    process.arguments = Array(command.dropFirst())
    process.currentDirectoryURL = URL(filePath: folder)
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Broken("\(command.joined(separator: " ")): status \(process.terminationStatus)")
    }
  }

  /// Reads the numbers in a file.
  func readNumbers(_ path: String) throws -> [Double] {
    try String(contentsOfFile: path, encoding: .utf8).split(whereSeparator: \.isWhitespace)
      .compactMap { Double($0) }
  }
}
