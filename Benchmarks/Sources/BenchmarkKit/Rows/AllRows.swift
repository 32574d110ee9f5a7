// The list of all rows, in the order of the table.

/// All rows; the other files of this folder define them by subject.
public let allRows: [Row] = [
  shellSteps, plainSteps, chainSteps, fanSteps,
  smallGraphs, growth, shapes,
  validation, version, completion, oneStep, binary,
  restart, largeRestart, cancel,
  watchedCompile, watchedImport, watchedSmall, watchedNames, restoredLarge, restoredSame,
  display, quietDisplay, output, masking,
  operatorRow("zip", "zip of 3 against Zip3"),
  operatorRow("task", "task, 16 at a time, against flatMap of Deferred, Future and Task"),
  operatorRow("share", "share(replay: 1) against multicast by CurrentValueSubject, 4 subscribers"),
  operatorRow("buffer", "buffer(limit: 16) against buffer(size: 16), nothing dropped"),
]
