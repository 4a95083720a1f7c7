"""Programs in other languages, each with threads, children and ends of its own."""

from __future__ import annotations

from transparency.case import argv

_PERL = r"""
$| = 1; print "perl\n"; print STDERR "err\n";
my $pid = fork; exit 3 unless $pid; waitpid $pid, 0; print $? >> 8, "\n";
local $SIG{USR1} = sub { print "usr1\n" }; kill USR1 => $$;
print `echo child`; system "exit 4"; print $? >> 8, "\n"; exit 5;
"""
_NODE = r"""
const { spawnSync, execFile } = require('child_process');
console.log('node'); console.error('err');
console.log(spawnSync('sh', ['-c', 'exit 4']).status);
process.on('SIGUSR2', () => { console.log('usr2'); setTimeout(() => process.exit(5), 10); });
execFile('echo', ['child'], (e, out) => { process.stdout.write(out); process.kill(process.pid, 'SIGUSR2'); });
"""
_NODE_WORKERS = r"""
const { Worker } = require('worker_threads');
const all = [1, 2, 3].map(n => new Promise(done => {
  const w = new Worker('require("worker_threads").parentPort.postMessage(' + n * n + ')', { eval: true });
  w.on('message', done);
}));
Promise.all(all).then(seen => { console.log(seen); process.exitCode = 6; });
"""
_RUBY = r"""
$stdout.sync = true; puts "ruby"; warn "err"; pid = fork { exit 3 }; Process.wait pid
puts $?.exitstatus; trap("USR1") { puts "usr1" }; Process.kill "USR1", $$; sleep 0.05
puts `echo child`; t = Thread.new { 6 * 7 }; puts t.value; exit 5
"""
_PHP = r"""
echo "php\n"; fwrite(STDERR, "err\n"); echo shell_exec("echo child"); system("exit 4", $c); echo "$c\n";
echo strlen(str_repeat("x", 10000000)), "\n"; exit(5);
"""
_LUA = r"""
print("lua"); io.stderr:write("err\n"); local p = io.popen("echo child"); print(p:read("a"));
print(select(3, os.execute("exit 4"))); os.exit(5)
"""
_TCL = 'puts tcl; puts stderr err; puts [exec echo child]; catch {exec sh -c "exit 4"} m; puts $m; exit 5\n'
_R = 'cat("r\\n"); message("err"); cat(system("exit 4"), "\\n"); x <- sort(runif(1e6)); quit(status=5)'
_GO = ("plain", "panic", "signal", "children", "segv", "goexit")
_RUST = ("plain", "panic", "abort", "threads", "overflow", "children", "thread-panic")
_JAVA = ("plain", "exception", "exit", "threads", "null", "heap", "hook")
_JVM = ("-Xshare:auto", "-Xmx64m", "-Xss512k", "-XX:+UseSerialGC", "-XX:-UsePerfData")

CASES = [
    argv("languages.perl", "perl", "-e", _PERL, needs=("perl",)),
    argv("languages.perl.die", "perl", "-e", "die 'dead'", needs=("perl",)),
    argv(
        "languages.perl.environment",
        "perl",
        "-e",
        "print map {qq($_=$ENV{$_}\\n)} grep {!/TR_STAGE/} sort keys %ENV",
        needs=("perl",),
    ),
    argv("languages.perl.segv", "perl", "-e", "kill SEGV => $$", needs=("perl",)),
    argv(
        "languages.perl.fork-many",
        "perl",
        "-e",
        "for (1..50) { if (!fork) { exit } } $n++ while wait > 0; print qq($n\\n)",
        needs=("perl",),
    ),
    argv("languages.node", "node", "-e", _NODE, needs=("node",)),
    argv("languages.node.throws", "node", "-e", "throw new Error('told')", needs=("node",)),
    argv("languages.node.workers", "node", "-e", _NODE_WORKERS, needs=("node",)),
    argv("languages.node.abort", "node", "-e", "process.abort()", needs=("node",)),
    argv(
        "languages.node.exit",
        "node",
        "-e",
        "process.on('exit', c => console.log('end', c)); process.exit(7)",
        needs=("node",),
    ),
    argv(
        "languages.node.rejection", "node", "-e", "Promise.reject(new Error('r'))", needs=("node",)
    ),
    argv(
        "languages.node.stdin",
        "node",
        "-e",
        "process.stdin.pipe(process.stdout)",
        stdin=b"in" * 9999,
        needs=("node",),
    ),
    argv(
        "languages.node.pty",
        "node",
        "-p",
        "process.stdout.isTTY + ' ' + process.stdout.columns",
        out="pty",
        needs=("node",),
    ),
    argv(
        "languages.node.environment",
        "node",
        "-p",
        "Object.keys(process.env).sort().filter(k => k != 'TR_STAGE').map(k => k + process.env[k]).join('\\n')",
        needs=("node",),
    ),
    argv("languages.ruby", "ruby", "-e", _RUBY, needs=("ruby",)),
    argv("languages.ruby.raises", "ruby", "-e", "raise 'told'", needs=("ruby",)),
    argv("languages.ruby.abort", "ruby", "-e", "Process.kill(:ABRT, $$); sleep 1", needs=("ruby",)),
    argv("languages.php", "php", "-r", _PHP, needs=("php",)),
    argv("languages.php.fatal", "php", "-r", "no_such();", needs=("php",)),
    argv(
        "languages.php.memory",
        "php",
        "-d",
        "memory_limit=8M",
        "-r",
        "str_repeat('x', 1 << 28);",
        needs=("php",),
    ),
    argv("languages.lua", "lua5.4", "-e", _LUA, needs=("lua5.4",)),
    argv("languages.tcl", "tclsh", stdin=_TCL.encode(), needs=("tclsh",)),
    argv(
        "languages.expect",
        "expect",
        "-c",
        "log_user 0; spawn sh -c {read x; echo got-$x};"
        " send hello\\r; expect got-hello; puts seen; expect eof; exit [lindex [wait] 3]",
        needs=("expect",),
    ),
    argv("languages.r", "Rscript", "-e", _R, needs=("Rscript",)),
    argv("languages.r.error", "Rscript", "-e", "stop('told')", needs=("Rscript",)),
    argv(
        "languages.r.fork",
        "Rscript",
        "-e",
        "print(unlist(parallel::mclapply(1:4, function(n) n*n)))",
        needs=("Rscript",),
    ),
    argv(
        "languages.awk",
        "awk",
        'BEGIN { print 1; print 2 >"/dev/stderr"; system("exit 3"); exit 4 }',
    ),
    argv("languages.bc", "sh", "-c", "echo 2^99 | bc", needs=("bc",)),
    *(argv(f"languages.go.{how}", "{go:golang}", how) for how in _GO),
    *(argv(f"languages.cgo.{how}", "{cgo:cgolang}", how) for how in ("plain", "segv", "panic")),
    argv("languages.go.run", "go", "version", needs=("go",)),
    *(
        argv(f"languages.rust.{how}", "{rust:rustic}", how, mask=r"\(\d+\)|0x[0-9a-f]+")
        for how in _RUST
    ),
    *(
        argv(
            f"languages.java.{how}",
            "java",
            *_JVM,
            "-cp",
            "{java:Brew}",
            "Brew",
            how,
            needs=("java", "javac"),
            seconds=60,
        )
        for how in _JAVA
    ),
    argv("languages.musl", "{musl:lines}", "20", "both", out="one"),
    argv("languages.musl.facts", "{musl:children}", "wait-any"),
    argv("languages.static.children", "{static:children}", "many"),
]
