#!/bin/sh
# Checks that reprise.yaml does what github-actions.yaml says.
. "$(dirname "$0")/../checking.sh"

unset PUBLISH_TOKEN
"$reprise" run "$here/reprise.yaml" --progress plain > output 2>&1      # status 0: the experimental step may fail
has "8 steps"
has "testing 1.4.2 in north: linux 5.10 coverage=false"
has "testing 1.4.2 in north: linux 6.0 coverage=true"
has "testing 1.4.2 in north: mac 6.0 coverage=false"
has "testing 1.4.2 in north: linux next coverage=false"
has_not "mac 5.10"
has "test[3] failed"
has "publish skipped"
has "test failure, publish skipped"       # on GitHub it is "test success": see Documentation/import.md

PUBLISH_TOKEN=abcdefgh "$reprise" run "$here/reprise.yaml" -p publish=true --progress plain > output 2>&1
has "publishing 1.4.2 with ***"
has_not "abcdefgh"
has "publish success"

"$reprise" run "$here/reprise.yaml" -p publish=true -p branch=other --progress plain > output 2>&1
has "publish skipped"

"$reprise" run "$here/reprise.yaml" --progress plain --max-parallel 1 > output 2>&1
test "$(grep -nE 'lint +succeeded' output | cut -d: -f1)" -lt "$(grep -nE 'notify +started' output | cut -d: -f1)"
echo "github-actions: ok"
