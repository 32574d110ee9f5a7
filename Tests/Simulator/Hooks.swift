// The hooks of the Swift runtime, which send every job for the thread pool to the scheduler.

import Foundation

@_silgen_name("swift_job_run")
private func swiftJobRun(_ job: UnownedJob, _ executor: UnownedSerialExecutor)

private typealias Original = @convention(thin) (UnownedJob) -> Void
private typealias EnqueueHook = @convention(thin) (UnownedJob, Original) -> Void
private typealias DelayHook = @convention(thin) (UInt64, UnownedJob, Original) -> Void

/// The scheduler of the current simulation.
// unsafe: set and read by the one thread of a simulation.
nonisolated(unsafe) var activeScheduler: Scheduler?

/// Runs a job on the calling thread.
func runJob(_ job: UnownedJob) {
  // The generic executor, which has no identity.
  swiftJobRun(job, unsafeBitCast((0, 0), to: UnownedSerialExecutor.self))
}

/// Sends all jobs of this process to ``activeScheduler`` from now on.
///
/// - Returns: Whether the runtime has these hooks.
func installHooks() -> Bool {
  guard let process = dlopen(nil, RTLD_NOW),
    let enqueue = dlsym(process, "swift_task_enqueueGlobal_hook"),
    let delay = dlsym(process, "swift_task_enqueueGlobalWithDelay_hook")
  else { return false }
  enqueue.assumingMemoryBound(to: EnqueueHook?.self).pointee = { job, _ in
    activeScheduler?.enqueue(.job(job))
  }
  delay.assumingMemoryBound(to: DelayHook?.self).pointee = { nanoseconds, job, _ in
    _ = activeScheduler?.enqueue(after: Int64(nanoseconds / 1000), .job(job))
  }
  return true
}
