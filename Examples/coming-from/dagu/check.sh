#!/bin/sh
# Checks that reprise.yaml does what dagu.yaml says.
. "$(dirname "$0")/../checking.sh"

"$reprise" run "$here/reprise.yaml" --progress plain > output 2>&1
test "$(grep -cF 'is the data there?' output)" -eq 3
has "wait-for-data started, attempt 3"
has "fetch started, attempt 2"
has "clean failed"
has "the run continues"
has "load-everything skipped"
has "loading 1200 rows from north"
has "all went well"
has_not "something went wrong"
has "the end"

"$reprise" run "$here/reprise.yaml" -p day=7 --progress plain > output 2>&1
has "loading everything"
has "loading 1200 rows from north"

status=0
"$reprise" run "$here/reprise.yaml" -p broken=true --progress plain > output 2>&1 || status=$?
test "$status" -eq 1
has "something went wrong"
has_not "all went well"
has "the end"
echo "dagu: ok"
