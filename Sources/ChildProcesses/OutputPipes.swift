// The pipes of a child.

import Platform

/// The output pipes of a child, one or two, and its report channel if it has one.
struct OutputPipes {
  let channel: ReportChannel?
  let output: PipeEnds
  /// The pipe of standard error; that of standard output if the streams are merged.
  let errors: PipeEnds

  /// Creates the pipes.
  ///
  /// - Parameter command: The command to start.
  /// - Throws: ``SpawnError`` if a pipe cannot be created; all others are closed then.
  init(for command: Command) throws(SpawnError) {
    let output =
      if let size = command.terminal { try PipeEnds(size) } else { try PipeEnds() }
    let hasOneStream = command.mergesStreams || command.terminal != nil
    var ends = [output]
    do throws(SpawnError) {
      let errors = hasOneStream ? output : try PipeEnds()
      if !hasOneStream { ends.append(errors) }
      channel =
        command.reportVariable == nil
        ? nil : try ReportChannel(for: command)
      (self.output, self.errors) = (output, errors)
    } catch {
      closeDescriptors(ends.flatMap { [$0.reading, $0.writing] })
      throw error
    }
  }

  /// Returns the streams to read, each with its own filter.
  func streams(_ filter: (@Sendable () -> any OutputFilter)?) -> [ChildState.Stream] {
    var streams = [
      ChildState.Stream(kind: .standardOutput, descriptor: output.reading, filter: filter?())
    ]
    if errors.reading != output.reading {
      streams.append(
        ChildState.Stream(kind: .standardError, descriptor: errors.reading, filter: filter?()))
    }
    if let channel {
      streams.append(
        ChildState.Stream(
          kind: .report, descriptor: channel.descriptor, filter: ReportLines(after: filter?())))
    }
    return streams
  }

  /// One pipe if the streams are merged, else two.
  private var pipes: [PipeEnds] { errors.reading == output.reading ? [output] : [output, errors] }

  /// Closes the writing ends, after the child has inherited them.
  func closeWriting() {
    closeDescriptors(pipes.map(\.writing))
  }

  /// Closes the reading ends of a child that could not be started, and removes its channel.
  func discard() {
    closeDescriptors(pipes.map(\.reading))
    guard let channel else { return }
    closeDescriptors([channel.descriptor])
    channel.remove()
  }
}
