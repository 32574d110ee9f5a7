# The commands of a developer's day. `make run` and `make test` work on a fresh machine that has
# Swift: they install what else is needed.

WORKFLOW ?= coordinator
SWIFT ?= swift
# Tests cover the optional libraries, too. The command does not use them.
TRAITS = --enable-all-traits

.PHONY: run build build-tests test package check-package mutants nightly campaigns simulate simulate-faults soak fuzz api errors docs picture lint format tsan release bench guard install-needs test-needs clean embedding examples

run: build
	@.build/debug/reprise run $(WORKFLOW)

build: install-needs
	$(SWIFT) build --product reprise

build-tests: test-needs
	$(SWIFT) build $(TRAITS) --build-tests

# One test after the other: some start storms of processes, others measure none. With small stacks, so
# that nothing that recurses along a graph of 100,000 steps goes unnoticed.
test: build-tests
	Scripts/test $(TRAITS) --skip-build

# The campaigns of Documentation/reliability.md at their full length: about an hour. SOAK names others.
SOAK ?= BrokenFileTests|CancelTests|ClockTests|CombineLatestTests|ConcatMapTests|ConcurrencyTests|ControlCommandTests|ControlServerTests|ConvergenceTests|CountingBufferModelTests|CountingBufferRaceTests|DatabaseTests|DeclarationDocumentTests|EngineEndTests|FoldingDebounceModelTests|FoldingDebounceRaceTests|GitignoreRulesTests|JournalTests|KillTests|LargeFileTests|LimitTests|LinkTests|MaskerTests|MeasureTests|MergeTests|OracleTests|OrderTests|OutcomeTests|PowerLossTests|ProcessRestartTests|ReportChannelTests|RestartTests|RunCommandTests|RunMachineTests|RunPublisherTests|RunStatesTests|RunsTests|SecretFormsTests|SecretTests|SimulationTests|SlotsTests|SoakTests|StartOrderTests|StepFutureTests|TreeTests|TriggerTests|UpgradeTests|WatchCampaignTests|WatchedFilesTests|WithLatestFromTests|YearTests|ZippedTests|DiskErrorTests
soak: install-needs
	$(SWIFT) build $(TRAITS) --build-tests
	REPRISE_SOAK=1 Scripts/test $(TRAITS) --skip-build --filter '$(SOAK)'

# Changes one line of a copy of the sources at a time, and looks whether the tests that must fail do; MUTANTS names some
# of Tests/mutants.
mutants: test-needs
	Scripts/mutants $(MUTANTS)

# Checks that take longer than a change can wait for, one after the other, also when one of them fails. Run before an
# issue is called resolved; each accepts the variables that it accepts alone.
nightly: HOURS = 0.1
nightly: FUZZ = 200000
nightly: test-needs
	TIMEOUT=20 $(MAKE) --keep-going --jobs=1 guard embedding examples check-package fuzz simulate mutants \
	  HOURS=$(HOURS) FUZZ=$(FUZZ)

# Every campaign at its full length, and the sanitizer: most of a day.
campaigns: test-needs
	$(MAKE) --keep-going --jobs=1 tsan simulate simulate-faults fuzz soak

# Simulated runs with fresh seeds, for so many hours: see Documentation/reliability.md.
HOURS ?= 8
simulate: install-needs
	$(SWIFT) build -c release --product simulate
	.build/release/simulate --hours $(HOURS) --failures 20

# The same with faults planted in copies of the engine: in how many seeds each is found.
FAULT_SEEDS ?= 2000
simulate-faults: install-needs
	Scripts/simulate-faults $(FAULT_SEEDS)

# Ten million mutations of the examples through the loader under AddressSanitizer; FUZZ names another number.
FUZZ ?= 10000000
fuzz: install-needs
	Scripts/fuzz $(FUZZ)

# Writes down the public surface of the libraries in Documentation/api. A change of it that was not written down
# fails `make test`.
api: install-needs
	$(SWIFT) build $(TRAITS) --build-tests
	REPRISE_WRITE_API=1 $(SWIFT) test $(TRAITS) --skip-build --filter 'InterfaceTests.*checked in'

# Writes down what each code of an error means in Documentation/errors, and what the broken files of tests are told.
errors: install-needs
	$(SWIFT) build $(TRAITS) --build-tests
	REPRISE_WRITE_ERRORS=1 $(SWIFT) test $(TRAITS) --skip-build --filter 'ErrorPagesTests.*pages are those|MessageTests'

# The documentation of the library as a site in .build/docs; a warning fails it.
docs: install-needs
	$(SWIFT) build $(TRAITS)
	Scripts/docs .build/debug .build/docs

# The picture at the head of the README, from a real run; needs tmux.
picture: build
	Scripts/picture .build/debug/reprise Documentation/display.svg

# The suite under ThreadSanitizer, after a planted race and a lock have been judged rightly.
tsan: test-needs
	Scripts/thread-sanitizer/run

# The command as it is to be installed: it needs the C library and nothing else, so that there is little to be
# found and bound at each start. A static Foundation names libcurl and libxml2 to the linker, though nothing of
# them is used.
ifeq ($(shell uname), Linux)
LEAN = --static-swift-stdlib -Xswiftc -Xclang-linker -Xswiftc -Wl,--as-needed \
  $$(Scripts/static-libraries .build/static-libraries)
endif
release: install-needs
	@[ "$$(uname)" != Linux ] || pkg-config --exists libcurl libxml-2.0 2>/dev/null \
	  || ./Scripts/install-needs libcurl4-openssl-dev libxml2-dev
	$(SWIFT) build -c release $(LEAN) --product reprise

# A Debian package and a tarball in .build/packages: the command, manual pages, completions, a systemd unit.
package: release
	Scripts/package .build/release/reprise .build/packages

# Installs the package in an overlay over this system, uses it and removes it again. Needs root and Linux.
check-package: package
	Scripts/check-package .build/packages

# Reprise beside its peers, and the bars: see Benchmarks/README.md. BENCH names rows and options.
bench: install-needs
	Benchmarks/install-peers
	$(MAKE) release
	$(SWIFT) run -c release --package-path Benchmarks bench $(BENCH)

# Instructions and allocations of steps that do nothing, against Benchmarks/thresholds.
guard: install-needs
	Benchmarks/guard

# Whether the engine can be embedded: builds and runs a package that depends on what is committed here, and the code
# of the documentation, with two sets of compiler settings.
embedding: install-needs
	Examples/check-embedding
	Examples/check-snippets

# Builds the examples, runs them, and looks whether they do what they say.
examples: install-needs
	Examples/check

SOURCES = Package.swift Plugins Sources Tests Fuzzing/Package.swift Fuzzing/Sources \
  Benchmarks/Package.swift Benchmarks/Sources Benchmarks/Tests \
  $(wildcard Examples/*/Package.swift Examples/*/Sources)
lint:
	$(SWIFT) format lint --strict --recursive $(SOURCES)

format:
	$(SWIFT) format --in-place --recursive $(SOURCES)

# libyaml, SQLite and the time zones: the only things that the package manager of Swift does not bring.
install-needs:
	@pkg-config --exists yaml-0.1 sqlite3 2>/dev/null \
	  && [ -e "$${TZDIR:-/usr/share/zoneinfo}/Europe/Berlin" ] || ./Scripts/install-needs

# What only the tests need: Python, for the client in Examples/python.
test-needs: install-needs
	@command -v python3 >/dev/null || ./Scripts/install-needs python3

clean:
	rm -rf .build
