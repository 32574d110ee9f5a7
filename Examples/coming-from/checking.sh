# Common parts of the checks: a temporary folder, and assertions on the file `output` in it.
# The program is $REPRISE, or reprise in the PATH.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
reprise=${REPRISE:-reprise}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# Names of steps are padded to a column.
squeezed() { tr -s ' ' < output; }
has() { squeezed | grep -qF -- "$1" || { echo "missing: $1"; cat output; exit 1; }; }
has_not() { ! squeezed | grep -qF -- "$1" || { echo "unexpected: $1"; cat output; exit 1; }; }
