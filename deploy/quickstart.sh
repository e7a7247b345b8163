#!/usr/bin/env bash
# Installs what is missing, builds, and starts the server on this machine's loopback address.
# Every SANDSTORM_* variable of the server may be set; --help tells those that matter here.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
    cat <<'END'
deploy/quickstart.sh installs the Debian packages that are missing, builds the server and starts it.

  SANDSTORM_MCP_HOST        address to listen on     127.0.0.1
  SANDSTORM_MCP_PORT        port                     8080
  SANDSTORM_WORKSPACE_ROOT  folder for the agents    ~/sandstorm-workspace
  SANDSTORM_MCP_TOKEN       bearer token             made once, kept in ~/.config/sandstorm-mcp/token

More variables: build/sandstorm-mcp --help
END
}

build() {
    deploy/install-packages.sh build
    cmake -S . -B build >/dev/null
    cmake --build build --parallel "$(nproc)" >build/quickstart.log 2>&1 || {
        cat build/quickstart.log >&2
        echo "The build failed, see above." >&2
        return 1
    }
}

# Prints the token in file $1, which is made on the first start, readable by its owner only.
kept_token() {
    local file=$1
    if [ ! -e "$file" ]; then
        (
            umask 077
            mkdir -p "$(dirname "$file")"
            new=$(mktemp "$file.XXXXXX")
            od -An -N32 -tx1 /dev/urandom | tr -d ' \n' >"$new"
            mv -n "$new" "$file"
        )
    fi
    [ -s "$file" ] || { echo "$file is empty; remove it to get a new token" >&2; return 1; }
    cat "$file"
}

announce() {
    local host=$SANDSTORM_MCP_HOST
    case $host in
    *:*) host="[$host]" ;;
    esac
    local url="http://$host:$SANDSTORM_MCP_PORT/mcp" bearer="Authorization: Bearer $SANDSTORM_MCP_TOKEN"
    cat <<END

Sandstorm MCP: $url
Workspace:     $SANDSTORM_WORKSPACE_ROOT
Token:         $1

Connect Claude Code:

  claude mcp add --transport http sandstorm $url --header "$bearer"

Call a tool by hand:

  curl -sS $url -H "$bearer" -H "Content-Type: application/json" -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"terminal_exec","arguments":{"command":"uname -a"}}}'

Stop with Ctrl-C. The log follows.

END
}

case ${1-} in
"") ;;
-h | --help) usage; exit 0 ;;
*) usage >&2; exit 2 ;;
esac

build

export SANDSTORM_MCP_HOST=${SANDSTORM_MCP_HOST:-127.0.0.1}
export SANDSTORM_MCP_PORT=${SANDSTORM_MCP_PORT:-8080}
export SANDSTORM_WORKSPACE_ROOT=${SANDSTORM_WORKSPACE_ROOT:-$HOME/sandstorm-workspace}
mkdir -p "$SANDSTORM_WORKSPACE_ROOT"

if [ -n "${SANDSTORM_MCP_TOKEN-}" ]; then
    origin="SANDSTORM_MCP_TOKEN"
else
    origin="${XDG_CONFIG_HOME:-$HOME/.config}/sandstorm-mcp/token"
    SANDSTORM_MCP_TOKEN=$(kept_token "$origin")
    export SANDSTORM_MCP_TOKEN
    origin="$origin (kept for the next start)"
fi

announce "$origin"
exec build/sandstorm-mcp serve
