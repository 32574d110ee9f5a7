// `FileTrace`: which files one process tree uses, as the kernel tells while it runs.

import ChildProcessesShim
import FileTraceShim
import Platform
import Synchronization

/// A process that holds duplicates of descriptors of this one, in case that this one is killed.
package protocol DescriptorHolder: Sendable {
  /// Makes it hold a descriptor; returns the duplicate by which it is released, or nil.
  func keep(_ descriptor: Int32) -> Int32?

  /// Releases a descriptor.
  func release(_ copy: Int32)
}

/// Watches which files one process tree uses.
///
/// The kernel asks a thread of this process before each system call that names a file; the call then
/// goes on. Processes keep their parent, group, terminal and status, and other tracers such as gdb
/// work inside. No call fails as long as this process or its guardian lives: when this process is
/// killed, calls wait until the guardian has killed their processes.
///
/// Linux 5.5 or newer on x86-64 and arm64. Thread-safe.
@safe package final class FileTrace: Sendable {
  /// The reason why processes cannot be watched here, as a clause; nil if they can.
  ///
  /// Found out once, by watching a small process, for a second at most.
  package static let problem: String? = unsafe reprise_trace_problem().map {
    unsafe String(cString: $0)
  }

  /// The listener of a trace, in the hands of the guardian.
  private final class Kept: Sendable {
    private let guardian: any DescriptorHolder
    private let copy = Mutex<Int32?>(nil)

    init(by guardian: any DescriptorHolder) { self.guardian = guardian }

    deinit {
      if let copy = copy.withLock({ $0 }) { guardian.release(copy) }
    }

    func keep(_ listener: Int32) { copy.withLock { $0 = guardian.keep(listener) } }
  }

  // unsafe: what it points to has a lock of its own, and lives until `deinit` releases it.
  private nonisolated(unsafe) let trace: OpaquePointer
  private let kept: Kept?

  /// Starts watching; the next process that is started with this trace is the first one.
  ///
  /// - Parameters:
  ///   - folder: The folder whose files are reported.
  ///   - guardian: What holds the listener if this process is killed, from before the program
  ///     starts; nil if nothing does.
  /// - Throws: ``SpawnError`` if there are no descriptors, memory or threads for it.
  package init(of folder: String, guardian: (any DescriptorHolder)?) throws(SpawnError) {
    kept = guardian.map(Kept.init)
    // The trace does not call this any more when it is released, and that is before `kept` is.
    let context = unsafe kept.map { unsafe Unmanaged.passUnretained($0).toOpaque() }
    let begun = unsafe reprise_trace_begin(
      folder,
      { context, listener in
        guard let context = unsafe context else { return }
        unsafe Unmanaged<Kept>.fromOpaque(context).takeUnretainedValue().keep(listener)
      }, context)
    guard let trace = unsafe begun else { throw .outOfDescriptors }
    unsafe self.trace = unsafe trace
  }

  deinit { unsafe reprise_trace_release(trace) }

  var watch: reprise_watch {
    unsafe reprise_watch(program: reprise_trace_filter(), socket: reprise_trace_socket(trace))
  }

  /// Says that the first process has started, or that it never will.
  func hasStarted() { unsafe reprise_trace_started(trace) }

  /// Returns whether the processes have made, changed or removed a file until now.
  ///
  /// - Parameter path: The absolute path, without links.
  /// - Returns: Whether they have.
  package func changes(_ path: String) -> Bool { unsafe reprise_trace_changes(trace, path) != 0 }

  /// Ends the watch and returns what was seen.
  ///
  /// - Returns: A line for each file; nil if the processes were not watched.
  package func report() -> [UInt8]? {
    var length = 0
    guard let text = unsafe reprise_trace_report(trace, &length) else { return nil }
    defer { unsafe reprise_trace_free(text) }
    return unsafe Array(UnsafeRawBufferPointer(start: text, count: length))
  }
}

extension FileTrace: Equatable {
  package static func == (one: FileTrace, other: FileTrace) -> Bool { one === other }
}
