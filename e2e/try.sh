#!/usr/bin/env bash
# An agent without a cluster, of use at once, on a memo and a folder. Without a model it posts each change.
# usage: try.sh        BASE_URL=URL MODEL=NAME [API_KEY=KEY]  a model reads the changes, answers, and runs Python
#                      DIR=FOLDER                             where manifests, state and the watched folder are kept
. "$(dirname "${BASH_SOURCE[0]}")/cluster/env.sh"
cd "$HERE/../.."

dir=${DIR:-${ASYNCAI_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/asyncai}/try}
mkdir -p "$dir/folder"
dir=$(cd "$dir" && pwd)

quoted() { # TEXT: as a YAML string
    local text=${1//\'/\'\'}
    echo "'$text'"
}

model() {
    if [[ ! ${BASE_URL:-} ]]; then
        [[ ! ${MODEL:-} ]] || die "MODEL=$MODEL is set without BASE_URL, such as http://localhost:11434/v1"
        echo "{provider: Relay}"
        return
    fi
    [[ ${MODEL:-} ]] || die "set MODEL as well: the name by which $BASE_URL knows the model"
    local key=""
    [[ ! ${API_KEY:-} ]] || key=", apiKeySecretRef: {name: model, key: token}"
    echo "{provider: OpenAI, baseURL: $(quoted "$BASE_URL"), name: $(quoted "$MODEL")$key}"
}

secret() {
    [[ ! ${API_KEY:-} ]] || cat <<YAML
---
apiVersion: v1
kind: Secret
metadata: {name: model}
stringData: {token: $(quoted "$API_KEY")}
YAML
}

manifests() {
    cat <<YAML
# Written by make try, which writes it anew each time; edited while the agent runs, it applies at once.
apiVersion: asyncai.dev/v1alpha1
kind: Agent
metadata: {name: try}
spec:
  description: Tells what changes in a memo and in a folder.
  model: $model
  mcpServers:
  - {name: memo, simple: {}}
  - {name: files, file: {paths: [$(quoted "$dir/folder")]}}
YAML
    # A model sets up its own.
    if [[ ${BASE_URL:-} ]]; then secret; else watches; fi
}

watches() {
    cat <<YAML
---
apiVersion: asyncai.dev/v1alpha1
kind: Watch
metadata: {name: notes}
spec: {agentRef: {name: try}, uri: 'memo://notes', debounceSeconds: 1}
---
apiVersion: asyncai.dev/v1alpha1
kind: Watch
metadata: {name: folder}
spec: {agentRef: {name: try}, uri: $(quoted "file://$dir/folder"), debounceSeconds: 1}
YAML
}

next() {
    if [[ ${BASE_URL:-} ]]; then
        cat <<TEXT
An agent that asks $MODEL. It can watch a memo and a folder, and runs Python to look further. Type, for example:
  What can you watch?
  Watch the folder and tell me when a file with an error in its name appears.
And in another terminal:
  touch $dir/folder/error-1
TEXT
    else
        cat <<TEXT
An agent without a model: it posts each change as one line. Type:
  /call memo memo_set {"key": "todo", "value": "milk"}
And in another terminal:
  echo hello >$dir/folder/note.txt
With a model: make try BASE_URL=http://localhost:11434/v1 MODEL=NAME [API_KEY=KEY]
TEXT
    fi
    cat <<TEXT
/help tells more, Ctrl-D ends. Its manifests are in $dir/agent.yaml: an edit applies at once.

TEXT
}

model=$(model)
written=$(manifests)
(umask 077 && printf '%s\n' "$written" >"$dir/agent.yaml")
e2e/cluster/install.sh build
say "building asyncai: some minutes the first time"
cargo build --quiet --bin asyncai
next
exec cargo run --quiet --bin asyncai -- run -f "$dir/agent.yaml" --state-dir "$dir/state"
