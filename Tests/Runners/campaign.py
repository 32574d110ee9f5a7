#!/usr/bin/env python3
"""Failures of runners, made on purpose: engines, hosts and daemons are killed while steps run.

    campaign.py PROGRAM KIND [KIND ...]

Scripts/runners-test starts what the kinds need. REPRISE_CASES names the cases to run, as patterns of
KIND:CASE, by default all. REPRISE_KILLS is the number of engines that are killed for each kind (default
10; 50 in full); REPRISE_SEED makes a campaign repeatable.
"""

import fnmatch
import os
import sys
import time
import traceback

# In the order in which they run.
import cases_any
import cases_ssh
import cases_rsync
import cases_declared
import cases_container
import cases_slurm
import cases_sge
import cases_sge_arrays
import cases_aws
import cases_slurm_commands
import cases_slurm_engine
import cases_slurm_resources
import cases_scenario
import cases_keep
import cases_job_container
from support import CASES, FAILURES, check

KINDS = sys.argv[2:]
PATTERNS = os.environ.get("REPRISE_CASES", "*").split()


def main():
    done = 0
    for kind in KINDS:
        for kinds, function in CASES:
            name = f"{kind}:{function.__name__}"
            if kind not in kinds or not any(fnmatch.fnmatch(name, text) for text in PATTERNS):
                continue
            done += 1
            begin = time.monotonic()
            print(name, flush=True)
            try:
                function(kind)
            except Exception:
                check(False, f"{name} ends")
                traceback.print_exc(file=sys.stdout)
            print(f"          {time.monotonic() - begin:.1f} s", flush=True)
    print(f"{done} cases, {len(FAILURES)} failures", flush=True)
    sys.exit(1 if FAILURES or not done else 0)


main()
