# The commands for development. `make run` and `make test` work on a fresh machine with Swift: they
# install the other requirements.

WORKFLOW ?= coordinator
SWIFT ?= swift
# Tests also cover the optional libraries, which the command does not use.
TRAITS = --enable-all-traits
# SwiftPM passes the traits on in the order of a Set, which differs between processes: in another order each
# file of the package would be compiled again.
BUILD = SWIFT_DETERMINISTIC_HASHING=1 $(SWIFT) build

.PHONY: run build build-tests test terminal-test export-test import-test mcp-test web-test web-load runners package check-package mutants nightly campaigns trace-campaign simulate simulate-faults soak fuzz api api-changes errors docs picture lint format tsan release bench guard install-needs test-needs clean embedding examples

run: build
	@.build/debug/reprise run $(WORKFLOW)

build: install-needs
	$(BUILD) --product reprise

build-tests: test-needs
	$(BUILD) $(TRAITS) --build-tests

# Small stacks, so that recursion along a graph of 100,000 steps is detected. Scripts/test says what runs
# in parallel.
test: build-tests
	Scripts/default-signals Scripts/test $(TRAITS) --skip-build

# The display in an emulated terminal (Linux), about ten minutes; TERMINAL passes arguments to
# Tests/Terminal/campaign.py, such as `--only film`.
terminal-test: test-needs build
	Scripts/default-signals Scripts/terminal-test .build/debug/reprise $(TERMINAL)

# Exports for other workflow engines: Argo's schema, and Airflow, which is installed in a temporary folder;
# about five minutes. EXPORT passes arguments to Tests/Export/campaign.py, such as `--only argo`.
export-test: build
	Scripts/export-test .build/debug/reprise $(EXPORT)

# Imports beside make, go-task and just, which are installed in a temporary folder; about half a minute. IMPORT
# passes arguments to Tests/Import/campaign.py, such as `make`.
import-test: build
	Scripts/import-test .build/debug/reprise $(IMPORT)

# The server for agents, used by the official client, which is installed in a temporary folder; about half a
# minute. MCP passes arguments to Tests/MCP/campaign.py, such as `--only resumed`.
mcp-test: build
	Scripts/mcp-test .build/debug/reprise $(MCP)

# The live page in a browser (Linux), about five minutes; WEB passes arguments to Tests/Web/campaign.py.
web-test: build-tests
	Scripts/default-signals Scripts/web-test .build/debug/reprise .build/debug/reprise-web $(WEB)

# Runners with what they run on: a cluster, containers, another machine by ssh, as root on Debian. RUNNERS
# selects kinds; REPRISE_KILLS is the number of engines that are killed for each.
REPRISE_KILLS ?= 10
runners: build-tests
	REPRISE_KILLS=$(REPRISE_KILLS) Scripts/default-signals Scripts/runners-test $(RUNNERS)

# The live page with 10,000 steps and 10,000 events a second, with release builds.
web-load: release
	Scripts/default-signals Scripts/web-test .build/release/reprise .build/release/reprise-web --only load:

# The campaigns of Documentation/campaigns.md at full length: about an hour. SOAK selects others.
SOAK ?= CoreSubjectTests|SchemaTests|BrokenFileTests|CancelTests|ChangedFileTests|ClockTests|CollectByTimeTests|CombineLatestTests|ConcatMapTests|ConcurrencyTests|ControlCommandTests|ControlServerTests|ConvergenceTests|CriticalPathPropertyTests|CountingBufferModelTests|CountingBufferRaceTests|DatabaseTests|DeclarationDocumentTests|DigitReaderTests|EngineEndTests|FlatMapFirstTests|FoldingDebounceModelTests|FoldingDebounceRaceTests|GitignoreRulesTests|GroupPropertyTests|JournalTests|KillTests|LargeFileTests|LimitTests|LinkTests|MaskerTests|MeasureTests|MergeTests|OracleTests|OrderTests|OutcomeTests|ParsingTests|PlanTests|PowerLossTests|ProcessRestartTests|ReportChannelTests|RandomEventTests|ServiceGroupTests|ServicePropertyTests|RestartTests|ReloadTests|ReloadPlanTests|ReloadCommandTests|RunCommandTests|RunMachineTests|RunPublisherTests|RunStatesTests|RunsTests|ScheduleCampaignTests|SecretFormsTests|SecretTests|SimulationTests|SlotsTests|SoakTests|StartOrderTests|StepFutureTests|TreeTests|TriggerTests|UpgradeTests|WatchCampaignTests|WatchedFilesTests|WithLatestFromTests|YearTests|ZippedTests|DiskErrorTests|EmbeddingServerTests|JobQueueTests|FanOracleTests|FileFindingsTests|RestorePropertyTests|TraceTests
soak: install-needs
	$(BUILD) $(TRAITS) --build-tests
	REPRISE_SOAK=1 Scripts/default-signals Scripts/test $(TRAITS) --skip-build --filter '$(SOAK)'

# Changes one line of a copy of the sources at a time, and checks whether the expected tests fail.
# MUTANTS selects some mutants of Tests/mutants.
mutants: test-needs
	Scripts/mutants $(MUTANTS)

# Checks that take too long for every change, one after another, even if one fails. Run them before an issue
# is called resolved; each accepts its usual variables.
nightly: HOURS = 0.1
nightly: FUZZ = 200000
nightly: test-needs
	TIMEOUT=20 $(MAKE) --keep-going --jobs=1 guard embedding examples api-changes docs terminal-test web-load runners check-package fuzz simulate mutants \
	  HOURS=$(HOURS) FUZZ=$(FUZZ)

# Every campaign at its full length, and the sanitizer: most of a day.
campaigns: test-needs
	$(MAKE) --keep-going --jobs=1 tsan simulate simulate-faults trace-campaign fuzz soak

# The watch of files, compared with an independent model of random projects and programs. TRACES is their
# number.
TRACES ?= 2000
trace-campaign: test-needs
	$(BUILD) --product TraceDriver
	python3 Tests/TraceCampaign/campaign.py --driver .build/debug/TraceDriver --count $(TRACES)

# Simulated runs with fresh seeds, for HOURS hours: see Documentation/campaigns.md.
HOURS ?= 8
simulate: install-needs
	$(BUILD) -c release --product simulate
	.build/release/simulate --hours $$(awk "BEGIN { print $(HOURS) / 3 }") --failures 20
	.build/release/simulate --hours $$(awk "BEGIN { print $(HOURS) / 3 }") --failures 20 --groups
	.build/release/simulate --hours $$(awk "BEGIN { print $(HOURS) / 3 }") --failures 20 --clusters

# The same with faults planted in copies of the engine; prints how many seeds find each fault.
FAULT_SEEDS ?= 2000
simulate-faults: install-needs
	Scripts/simulate-faults $(FAULT_SEEDS)

# Ten million mutations of the examples through the loader under AddressSanitizer; FUZZ sets another
# number.
FUZZ ?= 10000000
fuzz: install-needs
	Scripts/fuzz $(FUZZ)

# Writes the public API of the libraries to Documentation/api. `make test` fails if the API differs
# from it.
api: install-needs
	$(BUILD) $(TRAITS) --build-tests
	REPRISE_WRITE_API=1 $(SWIFT) test $(TRAITS) --skip-build --filter 'InterfaceTests.*checked in'

# Reports what has changed in the public API since a version, by default the last release, in a way that
# breaks programs. Before 1.0.0 such changes are allowed, and listed in CHANGELOG.md.
BASELINE ?= $(shell git describe --tags --abbrev=0 2> /dev/null)
api-changes: install-needs
	@if [ -z "$(BASELINE)" ]; then echo "api-changes: there is no release to compare with; set BASELINE"; \
	else $(SWIFT) package diagnose-api-breaking-changes $(BASELINE) $(LIBRARIES:%=--products %) \
	  || echo "api-changes: see the changes above"; fi
LIBRARIES = Reprise CombineOperators RepriseTesting RepriseRunners RepriseJournal RepriseHost

# Writes what Reprise reports into the pages of the error codes in Documentation/errors, their list,
# and the snapshot of the error messages.
errors: install-needs
	$(BUILD) $(TRAITS) --build-tests
	REPRISE_WRITE_ERRORS=1 $(SWIFT) test $(TRAITS) --skip-build --filter 'ErrorPageTests|MessageTests'

# Builds the documentation of the library as a site in .build/docs; a warning is an error.
docs: install-needs
	$(BUILD) $(TRAITS)
	Scripts/docs .build/debug .build/docs

# The picture at the top of the README, from a real run; needs tmux.
picture: build
	Scripts/picture .build/debug/reprise Documentation/display.svg

# The tests under ThreadSanitizer, after a check with a planted race and a lock.
tsan: test-needs
	Scripts/thread-sanitizer/run

# The command for installation. It links only the C library dynamically, so that little has to be
# loaded at each start. A static Foundation passes libcurl and libxml2 to the linker, although they
# are not used.
ifeq ($(shell uname), Linux)
LEAN = --static-swift-stdlib -Xswiftc -Xclang-linker -Xswiftc -Wl,--as-needed \
  $$(Scripts/static-libraries .build/static-libraries)
endif

# A build with a cached plan does not run the plug-in that reads the commit, if only other files have changed.
release: install-needs
	@[ "$$(uname)" != Linux ] || pkg-config --exists libcurl libxml-2.0 2>/dev/null \
	  || ./Scripts/install-needs libcurl4-openssl-dev libxml2-dev
	$(BUILD) -c release --traits Web --disable-build-manifest-caching $(LEAN) --product reprise
	$(BUILD) -c release --traits Web $(LEAN) --product reprise-web

# A Debian package and a tarball in .build/packages, with checksums: command, page, manual pages, completions,
# systemd unit.
package: release
	Scripts/package .build/release/reprise .build/packages

# Unpacks the tarball below PREFIX. Makes it first if it is older than the sources, so that `make package` and
# then `sudo make install` builds nothing as root. DESTDIR is a folder that stands for the root, for packagers.
PREFIX ?= /usr/local
install: .build/packages/SHA256SUMS
	@Scripts/install .build/packages/reprise-*.tar.gz "$(DESTDIR)$(PREFIX)"

.build/packages/SHA256SUMS: $(shell find Sources Packaging Package.swift Scripts/package -type f)
	$(MAKE) package

# Removes what `make install` with the same PREFIX and DESTDIR has installed.
uninstall:
	@Scripts/install --remove "$(DESTDIR)$(PREFIX)"

# Installs the package in an overlay over this system, uses it and removes it again; then uses the tarball in
# a bare Debian 12. Needs root and Linux.
check-package: package
	Scripts/check-package .build/packages
	Scripts/check-tarball .build/packages

# Reprise compared with its peers, and the limits: see Benchmarks/README.md. BENCH passes rows and
# options.
bench: install-needs
	Benchmarks/install-peers
	$(MAKE) release
	$(SWIFT) run -c release --package-path Benchmarks bench $(BENCH)

# Instructions and allocations of steps that do nothing, compared with Benchmarks/thresholds.
guard: install-needs
	Benchmarks/guard

# Checks that the engine can be embedded: builds and runs a package that depends on the committed
# version, and the code in the documentation, with two sets of compiler settings.
embedding: install-needs
	Examples/check-embedding
	Examples/check-snippets

# Builds and runs the examples, and checks their results.
examples: build
	Examples/check

SOURCES = Package.swift Plugins Sources Tests Fuzzing/Package.swift Fuzzing/Sources \
  Benchmarks/Package.swift Benchmarks/Sources Benchmarks/Tests \
  $(wildcard Examples/*/Package.swift Examples/*/Sources)
# Checks the layout of the sources, and that the mutants still match them.
lint: test-needs
	$(SWIFT) format lint --strict --recursive $(SOURCES)
	./Scripts/mutants --check

format:
	$(SWIFT) format --in-place --recursive $(SOURCES)

# libyaml, SQLite and the time zones: the only requirements that the Swift package manager does not
# install.
install-needs:
	@pkg-config --exists yaml-0.1 sqlite3 2>/dev/null \
	  && [ -e "$${TZDIR:-/usr/share/zoneinfo}/Europe/Berlin" ] || ./Scripts/install-needs

# Additional requirements of the tests: Python, for the client in Examples/python.
test-needs: install-needs
	@command -v python3 >/dev/null || ./Scripts/install-needs python3

clean:
	rm -rf .build
