// What a child is given to write to, and what is kept here to read it from.

import Platform

/// The two pipes of a child, and its report channel when it has asked for one.
struct OutputEnds {
  let channel: ReportChannel?
  let output: PipeEnds
  let errors: PipeEnds

  /// Makes them.
  ///
  /// - Parameter command: What to start.
  /// - Throws: ``SpawnError`` when one cannot be made. Nothing is left then.
  init(for command: Command) throws(SpawnError) {
    let output = try PipeEnds()
    var ends = [output]
    do throws(SpawnError) {
      let errors = try PipeEnds()
      ends.append(errors)
      channel =
        command.reportVariable == nil
        ? nil : try ReportChannel(environment: command.environment)
      (self.output, self.errors) = (output, errors)
    } catch {
      closeDescriptors(ends.flatMap { [$0.reading, $0.writing] })
      throw error
    }
  }

  /// The streams to read, each with a filter of its own.
  func streams(_ filter: (@Sendable () -> any OutputFilter)?) -> [ChildState.Stream] {
    var streams = [
      ChildState.Stream(kind: .standardOutput, descriptor: output.reading, filter: filter?()),
      ChildState.Stream(kind: .standardError, descriptor: errors.reading, filter: filter?()),
    ]
    if let channel {
      streams.append(
        ChildState.Stream(
          kind: .report, descriptor: channel.descriptor, filter: ReportLines(after: filter?())))
    }
    return streams
  }

  /// Closes what the child has got by now.
  func closeWriting() {
    closeDescriptors([output.writing, errors.writing])
  }

  /// Closes what is kept here, of a child that could not be started.
  func discard() {
    closeDescriptors([output.reading, errors.reading])
    guard let channel else { return }
    closeDescriptors([channel.descriptor])
    channel.remove()
  }
}
