# Everything starts here: `make help`. The work is done by CMake presets and the scripts in tools/.

# tools/setup puts CMake, Ninja and compilers into .venv/bin if the machine lacks them.
export PATH := $(CURDIR)/.venv/bin:$(PATH)
# The program that the end-to-end tests and the demo run.
export HOLDFAST_BIN := $(CURDIR)/build/release/cli/holdfast

.PHONY: help start setup setup-test build demo test check lint format unit names alone tidy asan tsan tsan-agent packages
.PHONY: end-to-end end-to-end-check transparency peers faults bench bench-build bench-check overhead frameworks old-pythons
.PHONY: deb release site guard-table fit-accuracy wheels wheels-twice chroots aarch64 jupyter-table jupyter-peers zoo zoo-recorded lab lab-build lab-check clean
.NOTPARALLEL:

help:  ## show this
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-14s%s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: setup build  ## a real training program, killed by a real memory limit; then saved by the guard
	@tools/timed demo demo/demo.sh

test: start setup-test lint build unit zoo-recorded end-to-end  ## what a change must pass: a quarter of an hour from nothing
	@tools/timed --sum "make test"
	@tools/skipped
	@echo "make test: everything passed; make check runs the rest"

# The rest: other compilers, sanitizers, packages, the Lab extension, every interpreter.
check: start setup-test build demo names alone tidy asan tsan-agent packages lab-check end-to-end-check transparency  ## the slower checks
	@tools/timed --sum "make check"
	@tools/skipped
	@echo "make check: everything passed"

build: setup  ## the program, optimised, in build/release
	@tools/timed build tools/build release

lint: setup-test  ## formatting, linters, include direction
	@tools/timed lint tools/lint

format: setup-test  ## put all files into the house format
	@tools/lint --fix

unit: setup-test  ## the C++ unit tests and the corpora of the fuzz targets
	@tools/timed unit tools/build release --test

names: setup-test build  ## names that clash when the sources of a library are compiled together
	@tools/timed names tools/check-names build/release

alone: setup-test  ## every source compiled alone, as in the dev preset
	@tools/timed alone tools/build dev

tidy: setup-test build  ## clang-tidy on what changed since it last passed
	@tools/timed tidy tools/tidy build/release

asan: setup-test  ## the same under AddressSanitizer and UndefinedBehaviorSanitizer
	@tools/timed asan tools/build asan --test

tsan: setup-test  ## the same under ThreadSanitizer
	@tools/build tsan --test

tsan-agent: setup-test  ## the agent's accounts of memory, many threads at once, under ThreadSanitizer
	@tools/timed tsan-agent tools/build tsan --only agent_heap_test

packages: setup-test build  ## what is installed: wheel, man page, completions; and the recipes' lint
	@tools/timed packages tools/check-packages
	@tools/check-recipes

end-to-end: setup-test build  ## tests that cross processes, with real deaths
	@tools/timed end-to-end tools/end-to-end core

end-to-end-check: setup-test build  ## the same on every interpreter of this machine, in notebooks and frameworks
	@tools/timed end-to-end-check tools/end-to-end check

transparency: setup-test build  ## programs run plain and watched, every difference printed
	@tools/timed transparency tools/transparency
	@tools/timed "peers, quick" tools/transparency --peers --quick

peers: setup-test build  ## CPython's, pytest's, joblib's and other projects' own suites, plain and watched: hours
	@tools/transparency --peers

jupyter-peers: setup-test build  ## nbclient's and ipykernel's own suites on plain and on watched kernels (REPEAT=10)
	@tools/transparency --peers --kernels --repeat $(or $(REPEAT),1)

faults: setup-test build  ## 1,000 kills and stops of our own processes at random moments
	@tools/transparency --faults 1000

zoo-recorded: setup-test build  ## every recorded death, judged again
	@tools/timed zoo-recorded .venv/bin/python zoo/run --recorded --bad

zoo: setup-test build  ## every program of the zoo, for real (PYTHON=one that has torch)
	@.venv/bin/python zoo/run $(if $(PYTHON),--python $(PYTHON))

lab: setup-test build  ## everything Jupyter: the Lab extension, browsers, VS Code's way, JupyterHub, old and new versions
	@tools/lab build
	@tools/lab check
	@tools/lab listed
	@tools/lab kernels
	@tools/lab browser

wheels: setup-test  ## the wheels for everybody, x86_64 and aarch64, in build/wheels (zig; 20 minutes), and their tests
	@tools/wheels
	@tools/check-wheel --oom --install-bar 5 $$(echo build/wheels/holdfast-*_$$(uname -m).whl)
	@tools/check-unfit $$(echo build/wheels/holdfast-*_$$(uname -m).whl) \
	    $$(ls build/wheels/holdfast-*.whl | grep -v "_$$(uname -m).whl" | head -n 1)

wheels-twice: setup  ## the same, built again in another folder and compared byte by byte
	@tools/wheels --twice

chroots: setup-test  ## the wheel in bare Debian 11, 12, 13 and sid: install, real deaths, verdicts (root, debootstrap; after `make wheels`)
	@tools/check-chroots

aarch64: setup-test  ## on x86_64: unit tests under qemu-user, the aarch64 wheel under two arm64 kernels (qemu; after `make wheels`)
	@tools/check-aarch64

release: setup-test  ## VERSION=1.2.3: version, changelog, wheels, sdist, .deb, checksums, tag; sends nothing
	@.venv/bin/python tools/release $(VERSION)

site: setup  ## the documents and every cause page as a site, in build/site/html (MkDocs)
	@.venv/bin/python tools/site

deb: setup build  ## build/deb/holdfast_*.deb, checked by lintian
	@tools/deb

lab-build:  ## the JupyterLab extension alone, for a wheel (npm; `pip install .` does it by itself)
	@tools/lab bundle

lab-check: setup-test  ## its types, lint and unit tests; says so if npm is missing
	@tools/timed lab-check tools/lab check --if-possible

bench-build: setup  ## what a build costs: processor seconds, and the time to the first verdict
	@bench/build

bench-check: setup build  ## the time of `holdfast check`, and of its part before a run; fails above the limits
	@.venv/bin/python bench/check

bench: setup build  ## what watching costs, as ratios within one run
	@.venv/bin/python bench/spine.py

frameworks: setup-test build  ## the tests that need torch, Keras, Lightning and others (6 GB, in build/frameworks)
	@tools/setup-frameworks
	@HOLDFAST_TORCH_PYTHON=$(CURDIR)/build/frameworks/bin/python \
	    HOLDFAST_KERAS2_PYTHON=$(CURDIR)/build/keras2/bin/python .venv/bin/pytest -q \
	    tests/test_frameworks.py tests/test_leaks.py tests/test_hooks.py tests/test_memory_by_line.py \
	    tests/test_stalls.py tests/test_fit.py tests/test_fit_host.py tests/test_fit_keras.py

old-pythons: setup-test build  ## the same on Python 3.8 and 3.9, with the last versions that they have (8 GB)
	@tools/old-pythons

guard-table: setup build  ## the guard on dying and on healthy programs (root; PYTHON=one that has torch)
	@.venv/bin/python bench/guard $(if $(PYTHON),--python $(PYTHON))

fit-accuracy: setup build  ## how accurate `holdfast fit` is on measured steps (PYTHON=one with torch 2.11, TRUTH=folder)
	@$(or $(PYTHON),.venv/bin/python) bench/fit $(if $(TRUTH),--truth $(TRUTH))

overhead: setup build  ## what the agent costs, beside other memory tools (PYTHON=one that has torch)
	@.venv/bin/python bench/overhead $(if $(PYTHON),--python $(PYTHON))

jupyter-table: setup build  ## verdicts in each front end, browsers among them, and their cost (root, Chromium)
	@tools/lab build
	@build/venv-lab/bin/python bench/jupyter

# Times and skipped tests of parts that ran by themselves do not belong to these runs.
start:
	@rm -f build/times.txt build/skipped.txt build/*/skipped.txt

setup:
	@tools/timed setup tools/setup

setup-test:
	@tools/timed setup-test tools/setup --test

clean:  ## remove what was built; .venv stays
	rm -rf build
