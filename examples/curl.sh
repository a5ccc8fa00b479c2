#!/bin/sh
# Adds a repository, finds the library and asks a question.
#   CARREL_KEY=carrel_op_… examples/curl.sh [REPOSITORY] [NAME] [QUESTION]
# CARREL_URL is the address of the server. Without CARREL_KEY nothing is added: searching and asking need no key by default.
set -eu

url=${CARREL_URL:-http://127.0.0.1:3000}
key=${CARREL_KEY:-}
repository=${1:-https://github.com/honojs/website}
name=${2:-hono}
question=${3:-how do I read a cookie}

# The key reaches curl on its standard input, so that other users of the machine do not see it in the list of processes.
ask() {
  { [ -z "$key" ] || printf 'header = "Authorization: Bearer %s"\n' "$key"; } |
    curl --silent --show-error --fail-with-body --config - "$@"
}

fail() {
  printf '%s\n' "$1" >&2
  exit 1
}

if [ -n "$key" ]; then
  queued=$(ask --header 'Content-Type: application/json' --data "{\"repoUrl\": \"$repository\"}" "$url/api/parse") || fail "$queued"
  job=$(printf '%s' "$queued" | sed -n 's/.*"queueId":\([0-9]*\).*/\1/p')
  while :; do
    status=$(ask "$url/api/jobs/$job") || fail "$status"
    case $status in
      *'"state":"done"'*) break ;;
      *'"state":"failed"'* | *'"state":"cancelled"'*) fail "$status" ;;
    esac
    sleep 1
  done
  echo "Job $job is done."
fi

found=$(ask --get "$url/api/v2/libs/search" --data-urlencode "libraryName=$name") || fail "$found"
library=$(printf '%s' "$found" | sed -n 's/^{"results":\[{"id":"\([^"]*\)".*/\1/p')
echo "Library: $library"

answer=$(ask --get "$url/api/v2/context" --data-urlencode "libraryId=$library" --data-urlencode "query=$question") || fail "$answer"
printf '%s\n' "$answer"
