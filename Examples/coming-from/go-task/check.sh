#!/bin/sh
# Checks that reprise.yaml does what Taskfile.yml says.
. "$(dirname "$0")/../checking.sh"

"$reprise" run "$here/reprise.yaml" --progress plain > output 2>&1
test "$(grep -cF 'sources started' output)" -eq 1       # a diamond: once
has "compiling version 1.4.2 for debug"
has "typesetting"
has "install │ installed"
test "$(cat build/go-task/installed/program)" = "this is core
this is tool"
test "$(head -1 build/go-task/installed/manual.txt)" = "THIS IS CORE"

"$reprise" run "$here/reprise.yaml" --progress plain > output 2>&1
has "install skipped"
has_not "compiling"
has_not "typesetting"

echo "this is new" > build/go-task/src/core.txt
"$reprise" run "$here/reprise.yaml" --progress plain > output 2>&1
has "compiling"
has "install │ installed"
test "$(head -1 build/go-task/installed/program)" = "this is new"

status=0
"$reprise" run "$here/reprise.yaml" -p mode=fast --progress plain > output 2>&1 || status=$?
test "$status" -eq 2
has "debug"
has_not "started"
echo "go-task: ok"
