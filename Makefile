# The commands of a developer's day. `make run` and `make test` work on a fresh machine that has
# Swift: they install what else is needed.

WORKFLOW ?= coordinator
SWIFT ?= swift

.PHONY: run build test soak fuzz lint format tsan release bench guard install-needs clean

run: build
	@.build/debug/reprise run $(WORKFLOW)

build: install-needs
	$(SWIFT) build --product reprise

# One test after the other: some start storms of processes, others measure none. With small stacks, so
# that nothing that recurses along a graph of 100,000 steps goes unnoticed.
test: install-needs
	$(SWIFT) build --build-tests
	Scripts/test --skip-build --no-parallel

# The campaigns of Documentation/reliability.md at their full length: about an hour. SOAK names others.
SOAK ?= KillTests|RunCommandTests|TriggerTests|ControlCommandTests|ConcurrencyTests|PowerLossTests|JournalTests|ControlServerTests|SoakTests|ProcessRestartTests|ZipTests|OrderTests|JoinTests|DatabaseTests|OracleTests|CancelTests|RunOrderTests
soak: install-needs
	$(SWIFT) build --build-tests
	REPRISE_SOAK=1 Scripts/test --skip-build --no-parallel --filter '$(SOAK)'

# Ten million mutations of the examples through the loader under AddressSanitizer; FUZZ names another number.
FUZZ ?= 10000000
fuzz: install-needs
	Scripts/fuzz $(FUZZ)

# The suite under ThreadSanitizer, after a planted race and a lock have been judged rightly.
tsan: install-needs
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

# Reprise beside its peers, and the bars: see Benchmarks/README.md. BENCH names rows and options.
bench: install-needs
	Benchmarks/install-peers
	$(MAKE) release
	$(SWIFT) run -c release --package-path Benchmarks bench $(BENCH)

# Instructions and allocations of steps that do nothing, against Benchmarks/thresholds.
guard: install-needs
	Benchmarks/guard

SOURCES = Package.swift Sources Tests Fuzzing/Package.swift Fuzzing/Sources \
  Benchmarks/Package.swift Benchmarks/Sources Benchmarks/Tests
lint:
	$(SWIFT) format lint --strict --recursive $(SOURCES)

format:
	$(SWIFT) format --in-place --recursive $(SOURCES)

# libyaml, SQLite and the time zones: the only things that the package manager of Swift does not bring.
install-needs:
	@pkg-config --exists yaml-0.1 sqlite3 2>/dev/null \
	  && [ -e "$${TZDIR:-/usr/share/zoneinfo}/Europe/Berlin" ] || ./Scripts/install-needs

clean:
	rm -rf .build
