# fish completion for holdfast

function __holdfast_verb_is
    set -l words (commandline -opc)
    test (count $words) -ge 2; and contains -- $words[2] $argv
end

function __holdfast_needs_verb
    test (count (commandline -opc)) -eq 1
end

function __holdfast_before_command
    __holdfast_verb_is run; and not contains -- -- (commandline -opc)
end

function __holdfast_in_command
    __holdfast_verb_is run; and contains -- -- (commandline -opc)
end

function __holdfast_command
    set -l words (commandline -opc)
    set -l from (math (contains -i -- -- $words) + 1)
    complete -C (string join ' ' -- (string escape -- $words[$from..]) (commandline -ct))
end

# "HF101 cgroup-oom ...": both names of a cause, each with the other as its description.
function __holdfast_causes
    holdfast explain --list 2>/dev/null | while read -l code slug rest
        printf '%s\t%s %s\n%s\t%s %s\n' $code $slug "$rest" $slug $code "$rest"
    end
end

complete -c holdfast -f
complete -c holdfast -n __holdfast_needs_verb -a run -d 'Run a command and watch it'
complete -c holdfast -n __holdfast_needs_verb -a why -d 'Say why a run ended as it did'
complete -c holdfast -n __holdfast_needs_verb -a runs -d 'List the recorded runs'
complete -c holdfast -n __holdfast_needs_verb -a explain -d 'Say what a cause means'
complete -c holdfast -n __holdfast_needs_verb -a kernel -d 'Let Jupyter kernels be watched'
complete -c holdfast -n __holdfast_needs_verb -a fit -d 'Say whether a training step fits a GPU'
complete -c holdfast -n __holdfast_needs_verb -a check -d 'Say what will go wrong with a training here'
complete -c holdfast -n __holdfast_needs_verb -l version -d 'Show the version'
complete -c holdfast -n 'not __holdfast_in_command' -l help -d 'Show help'

complete -c holdfast -n __holdfast_before_command -l verdict -rF -d 'Write the verdict as JSON'
complete -c holdfast -n __holdfast_before_command -l evidence -rF -d 'Write the evidence as JSON'
complete -c holdfast -n __holdfast_before_command -l quiet -d 'Print nothing'
complete -c holdfast -n __holdfast_before_command -l no-subreaper -d 'Leave orphans to init'
complete -c holdfast -n __holdfast_before_command -l detach -d 'Keep the command running if holdfast run is killed'
complete -c holdfast -n __holdfast_before_command -l name -x -d 'A name to find the run by'
complete -c holdfast -n __holdfast_before_command -l guard -xa 'on warn off' -d 'Near the memory limit'
complete -c holdfast -n __holdfast_before_command -l guard-grace -x -d 'Seconds until a program stuck after a refusal is ended'
complete -c holdfast -n __holdfast_before_command -l guard-reserve -x -d 'How much memory the guard keeps free'
complete -c holdfast -n __holdfast_before_command -l stall-after -x -d 'Seconds until a stuck program is reported'
complete -c holdfast -n __holdfast_before_command -l no-agent -d 'Put nothing into the program'
complete -c holdfast -n __holdfast_before_command -l kernel -rF -d 'The command is a Jupyter kernel'
complete -c holdfast -n __holdfast_in_command -a '(__holdfast_command)'

complete -c holdfast -n '__holdfast_verb_is check' -l json -d 'Print JSON'
complete -c holdfast -n '__holdfast_verb_is check' -l python -rF -d 'The Python to check'
complete -c holdfast -n '__holdfast_verb_is check' -l for -xa 'torch tensorflow jax' -d 'The framework that will run'
complete -c holdfast -n '__holdfast_verb_is check' -l import -d 'Also import it'
complete -c holdfast -n '__holdfast_verb_is check' -l import-limit -x -d 'Seconds it may take'
complete -c holdfast -n '__holdfast_verb_is check' -l record -rF -d 'Save what was read'
complete -c holdfast -n '__holdfast_verb_is check' -l root -rF -d 'Check what was saved'
complete -c holdfast -n '__holdfast_verb_is check' -l list -d 'List all checks'

complete -c holdfast -n '__holdfast_verb_is fit' -l batch -x -d 'The batch size'
complete -c holdfast -n '__holdfast_verb_is fit' -l gpu -x -d 'A GPU or its memory'
complete -c holdfast -n '__holdfast_verb_is fit' -l device-profile -x -d 'The GPU whose kernels to assume'
complete -c holdfast -n '__holdfast_verb_is fit' -l alloc-conf -x -d 'Allocator options'
complete -c holdfast -n '__holdfast_verb_is fit' -l context -x -d 'Size of the CUDA context'
complete -c holdfast -n '__holdfast_verb_is fit' -l ways -d 'Always look for savings'
complete -c holdfast -n '__holdfast_verb_is fit' -l no-ways -d 'Never look for savings'
complete -c holdfast -n '__holdfast_verb_is fit' -l no-largest -d 'Do not search for the largest batch'
complete -c holdfast -n '__holdfast_verb_is fit' -l fail-if-over -d 'Exit with 1 when it does not fit'
complete -c holdfast -n '__holdfast_verb_is fit' -l json -d 'Print JSON'
complete -c holdfast -n '__holdfast_verb_is fit' -l picture -rF -d 'Draw where the memory goes: .svg or .html'
complete -c holdfast -n '__holdfast_verb_is fit' -l speed -d 'Time the replay'
complete -c holdfast -n '__holdfast_verb_is fit' -l python -rF -d 'The Python that has torch'
complete -c holdfast -n '__holdfast_verb_is fit' -l table -rF -d 'Measured workspaces'
complete -c holdfast -n '__holdfast_verb_is fit' -l replay -rF -d 'Captures saved before'
complete -c holdfast -n '__holdfast_verb_is fit' -l verify -d 'Compare with a real GPU'
complete -c holdfast -n '__holdfast_verb_is fit' -l calibrate -d 'Measure workspaces on a GPU'
complete -c holdfast -n '__holdfast_verb_is fit' -F

complete -c holdfast -n '__holdfast_verb_is why runs' -l json -d 'Print JSON'
complete -c holdfast -n '__holdfast_verb_is why' -l brief -d 'Print one line'
complete -c holdfast -n '__holdfast_verb_is why' -l html -d 'Print an HTML panel'
complete -c holdfast -n '__holdfast_verb_is why' -l evidence -d 'Print the evidence behind the verdict'
complete -c holdfast -n '__holdfast_verb_is why' -l sites -d 'Print every line that held memory'
complete -c holdfast -n '__holdfast_verb_is why' -l again -d 'Judge the record again'
complete -c holdfast -n '__holdfast_verb_is why' -ka '(holdfast runs --ids 2>/dev/null)'
complete -c holdfast -n '__holdfast_verb_is runs' -l ids -d 'Print only the ids'
complete -c holdfast -n '__holdfast_verb_is runs' -a prune -d 'Delete old runs'
complete -c holdfast -n '__holdfast_verb_is explain' -l list -d 'List all causes'
complete -c holdfast -n '__holdfast_verb_is explain' -a '(__holdfast_causes)'

function __holdfast_kernels
    holdfast kernel list 2>/dev/null | string replace -r '^\S+\s+(\S+).*' '$1'
end

complete -c holdfast -n '__holdfast_verb_is kernel' -a 'install list remove'
complete -c holdfast -n '__holdfast_verb_is kernel' -l from -xa '(__holdfast_kernels)' -d 'The kernel to watch'
complete -c holdfast -n '__holdfast_verb_is kernel' -l python -rF -d 'The Python whose ipykernel to watch'
complete -c holdfast -n '__holdfast_verb_is kernel' -l name -x -d 'Name of the new kernel'
complete -c holdfast -n '__holdfast_verb_is kernel' -l display-name -x -d 'What Jupyter shows'
complete -c holdfast -n '__holdfast_verb_is kernel' -l guard -xa 'warn on off' -d 'Near the memory limit'
complete -c holdfast -n '__holdfast_verb_is kernel' -l user -d 'Install for this user'
complete -c holdfast -n '__holdfast_verb_is kernel' -l sys-prefix -d 'Install into the active environment'
complete -c holdfast -n '__holdfast_verb_is kernel' -l json -d 'Print JSON'
