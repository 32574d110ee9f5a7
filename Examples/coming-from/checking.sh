# Common parts of the checks: a temporary folder, and assertions on the file `output` in it.
# The program is $REPRISE, or reprise in the PATH.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
reprise=${REPRISE:-reprise}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

has() { grep -qF -- "$1" output || { echo "missing: $1"; cat output; exit 1; }; }
has_not() { ! grep -qF -- "$1" output || { echo "unexpected: $1"; cat output; exit 1; }; }
