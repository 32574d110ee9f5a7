// Simulates runs of workflows from seeds, and shrinks failures. See Documentation/campaigns.md.

import Foundation
import Simulator

let usage = """
  usage: simulate [options]
    --seconds N     run fresh seeds for N seconds (default: 20)
    --hours N       run fresh seeds for N hours
    --from N        the first seed (default: random)
    --count N       the maximum number of seeds
    --seed N        run this seed alone, and shrink it if it fails
    --replay FILE   run a scenario in JSON, as printed for a failure
    --verbose       print every event of the seed
    --fault NAME    plant a fault: \(Fault.allCases.map(\.rawValue).joined(separator: ", "))
    --faults N      plant each fault, and count how many of N seeds detect it
    --computed-items  compare each scenario with itself and computed items in it
    --groups        simulate trees of groups with all of their settings
    --clusters      simulate steps that are jobs of a cluster
    --traces        print a hash of everything that happened, for each seed
    --no-shrink     do not shrink a failing scenario
    --workers N     the number of concurrent processes (default: 2)
    --failures N    stop after N failures (default: 1)
    --sizes A-B     the number of steps in the file
  """

// Sets and dictionaries must have the same order in each process.
if getenv("SWIFT_DETERMINISTIC_HASHING") == nil {
  setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
  setenv("SWIFT_BACKTRACE", "enable=no", 1)
  var arguments = CommandLine.arguments.map { strdup($0) }
  arguments.append(nil)
  execv("/proc/self/exe", arguments)
  perror("simulate cannot re-execute itself")
  exit(2)
}

var options = Options()
do {
  options = try Options(CommandLine.arguments.dropFirst())
} catch {
  print(error, usage, separator: "\n")
  exit(2)
}
exit(options.run())
