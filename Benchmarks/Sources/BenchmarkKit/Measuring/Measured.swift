// Runs a command to its end and takes its figures, by way of `measured`, which says what they are.

import Foundation

extension Place {
  /// Runs a command in the folder of the row and takes its time and memory.
  ///
  /// Its standard output goes to `/dev/null`, for everybody alike, unless it is said where to.
  ///
  /// - Parameters:
  ///   - command: The path of the program, and its arguments.
  ///   - output: The file for its standard output.
  /// - Returns: Wall time, processor time and resident memory.
  /// - Throws: ``Broken`` with its standard error when it does not end with 0, ``Missing``.
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
  ///   - arguments: What it is to measure.
  ///   - figures: The figures to take, by the names that it prints.
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

  /// Runs a command in the folder of the row and waits for it.
  ///
  /// - Throws: ``Broken`` when it does not end with 0.
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

  /// Reads the numbers of a file.
  func readNumbers(_ path: String) throws -> [Double] {
    try String(contentsOfFile: path, encoding: .utf8).split(whereSeparator: \.isWhitespace)
      .compactMap { Double($0) }
  }
}
