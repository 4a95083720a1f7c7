# bash completion for holdfast
# shellcheck shell=bash

_holdfast_candidates() {
    local IFS=$'\n'
    mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2")
}

# "watched  NAME  ..." or "-  NAME  ...": the names, of all or of those under watch.
_holdfast_kernels() {
    "$1" kernel list 2>/dev/null | awk -v only="$2" 'only == "" || $1 == only { print $2 }'
}

_holdfast() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local program=${COMP_WORDS[0]} verb=${COMP_WORDS[1]-}
    COMPREPLY=()

    if ((COMP_CWORD == 1)); then
        _holdfast_candidates $'run\nwhy\nruns\nexplain\nkernel\nfit\ncheck\n--help\n--version' "$current"
        return
    fi
    case $verb in
        run)
            local index
            for ((index = 2; index < COMP_CWORD; index++)); do
                if [[ ${COMP_WORDS[index]} == -- ]]; then
                    _holdfast_command $((index + 1))
                    return
                fi
            done
            case $previous in
                --verdict | --evidence | --kernel) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
                --name | --stall-after | --guard-reserve | --guard-grace) ;;
                *)
                    _holdfast_candidates \
                        $'--\n--verdict\n--evidence\n--quiet\n--no-subreaper\n--detach\n--name\n--guard=on\n--guard=warn\n--guard=off\n--guard-reserve\n--guard-grace\n--stall-after\n--no-agent\n--kernel\n--help' "$current"
                    ;;
            esac
            ;;
        why)
            if [[ $current == -* ]]; then
                _holdfast_candidates $'--json\n--brief\n--html\n--evidence\n--sites\n--again\n--help' "$current"
            else
                _holdfast_candidates "$("$program" runs --ids 2>/dev/null)" "$current"
            fi
            ;;
        runs)
            if [[ $current == -* ]]; then
                _holdfast_candidates $'--json\n--ids\n--help' "$current"
            elif ((COMP_CWORD == 2)); then
                _holdfast_candidates prune "$current"
            fi
            ;;
        kernel)
            case $previous in
                --from) _holdfast_candidates "$(_holdfast_kernels "$program" '')" "$current" ;;
                remove) _holdfast_candidates "$(_holdfast_kernels "$program" watched)" "$current" ;;
                --python) mapfile -t COMPREPLY < <(compgen -c -f -- "$current") ;;
                --name | --display-name) ;;
                --guard) _holdfast_candidates $'warn\non\noff' "$current" ;;
                kernel) _holdfast_candidates $'install\nlist\nremove\n--help' "$current" ;;
                *)
                    _holdfast_candidates \
                        $'--from\n--python\n--name\n--display-name\n--guard\n--user\n--sys-prefix\n--json\n--help' "$current"
                    ;;
            esac
            ;;
        fit)
            local place
            for ((place = 2; place < COMP_CWORD; place++)); do
                if [[ ${COMP_WORDS[place]} == -- ]]; then
                    _holdfast_command $((place + 1))
                    return
                fi
            done
            case $previous in
                --python | --table | --replay | --picture) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
                --batch | --gpu | --device-profile | --alloc-conf | --context) ;;
                *)
                    if [[ $current == -* ]]; then
                        _holdfast_candidates \
                            $'--\n--batch\n--gpu\n--device-profile\n--alloc-conf\n--context\n--ways\n--no-ways\n--no-largest\n--fail-if-over\n--json\n--picture\n--python\n--table\n--replay\n--speed\n--verify\n--calibrate\n--help' "$current"
                    else
                        mapfile -t COMPREPLY < <(compgen -f -- "$current")
                    fi
                    ;;
            esac
            ;;
        check)
            case $previous in
                --python | --record | --root) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
                --import-limit) ;;
                --for) _holdfast_candidates $'torch\ntensorflow\njax' "$current" ;;
                *)
                    _holdfast_candidates \
                        $'--json\n--python\n--for\n--import\n--import-limit\n--record\n--root\n--list\n--help' "$current"
                    ;;
            esac
            ;;
        explain)
            if [[ $current == -* ]]; then
                _holdfast_candidates $'--list\n--help' "$current"
            else
                # "HF101 cgroup-oom ...": both names of a cause will do.
                _holdfast_candidates \
                    "$("$program" explain --list 2>/dev/null | awk '{ print $1; print $2 }')" \
                    "$current"
            fi
            ;;
    esac
}

# What follows `--` is a command line of its own: complete it as the shell would without us.
_holdfast_command() {
    local first=$1
    if declare -F _command_offset >/dev/null; then
        _command_offset "$first"
    elif ((COMP_CWORD == first)); then
        mapfile -t COMPREPLY < <(compgen -c -- "${COMP_WORDS[COMP_CWORD]}")
    else
        mapfile -t COMPREPLY < <(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")
    fi
}

complete -o bashdefault -o default -F _holdfast holdfast
