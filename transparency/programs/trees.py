"""Processes below processes, in the ways Python has: trees.py HOW"""

import asyncio
import concurrent.futures
import multiprocessing
import os
import subprocess
import sys
import threading


def square(n):
    return n * n


def die(n):
    os._exit(n)


def see_oneself():
    own = multiprocessing.current_process()
    print(sorted(vars(own)), type(own.run).__name__, flush=True)


def say(queue, n):
    queue.put((n, multiprocessing.current_process().name))


class Watchful(multiprocessing.Process):
    def __setattr__(self, name, value):
        if name == "run":
            print("somebody sets run")
        super().__setattr__(name, value)

    def run(self):
        print(sorted(vars(self)), type(self.run).__name__, flush=True)


async def many():
    async def one(n):
        child = await asyncio.create_subprocess_exec(
            "sh", "-c", f"echo {n}; exit {n}", stdout=asyncio.subprocess.PIPE
        )
        out, _ = await child.communicate()
        return out, child.returncode

    return await asyncio.gather(*(one(n) for n in range(8)))


def main(how):
    if how.startswith("pool-"):
        context = multiprocessing.get_context(how.partition("-")[2])
        with context.Pool(3) as pool:
            print(pool.map(square, range(20)))
    elif how.startswith("process-"):
        context = multiprocessing.get_context(how.partition("-")[2])
        queue = context.Queue()
        workers = [context.Process(target=say, args=(queue, n), name=f"w{n}") for n in range(3)]
        for worker in workers:
            worker.start()
        print(sorted(queue.get() for _ in workers))
        for worker in workers:
            worker.join()
        print([worker.exitcode for worker in workers])
        worker = context.Process(target=die, args=(9,))
        worker.start()
        worker.join()
        print(worker.exitcode)
    elif how == "executor":
        with concurrent.futures.ProcessPoolExecutor(2) as pool:
            print(list(pool.map(square, range(10))))
    elif how == "broken-pool":
        with concurrent.futures.ProcessPoolExecutor(1) as pool:
            try:
                pool.submit(die, 7).result()
            except concurrent.futures.process.BrokenProcessPool as error:
                print(type(error).__name__)
    elif how == "threads":
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            print(list(pool.map(square, range(50))))
    elif how == "attributes":
        for way in "fork", "spawn", "forkserver":
            multiprocessing.set_start_method(way, force=True)
            for worker in Watchful(), multiprocessing.Process(target=see_oneself):
                worker.start()
                worker.join()
    elif how == "many-threads":
        done = []
        threads = [threading.Thread(target=lambda n=n: done.append(n)) for n in range(300)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print(len(done))
    elif how == "asyncio":
        print(asyncio.run(many()))
    elif how == "subprocess":
        for n in range(20):
            line = [sys.executable, "-S", "-c", f"print({n})"] if n % 7 == 0 else ["echo", str(n)]
            print(subprocess.run(line, capture_output=True).stdout)
        print(subprocess.run("exit 5", shell=True).returncode)
        print(subprocess.run(["env"], env={"ONLY": "this"}, capture_output=True).stdout)
        print(subprocess.run(["sh", "-c", "kill -9 $$"]).returncode)
        print(subprocess.run(["ls", "/proc/self/fd"], capture_output=True).stdout)
        print(subprocess.run(["cat"], input=b"through").returncode)
        try:
            subprocess.run(["sleep", "9"], timeout=0.1)
        except subprocess.TimeoutExpired as error:
            print(type(error).__name__)
        print(subprocess.run(["true"], start_new_session=True, close_fds=False).returncode)
    elif how == "fork":
        for n in range(30):
            pid = os.fork()
            if pid == 0:
                os._exit(n)
            print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    elif how == "fork-in-thread":

        def work():
            pid = os.fork()
            if pid == 0:
                os._exit(4)
            print(os.waitpid(pid, 0)[1])

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    elif how == "deep":
        depth = int(sys.argv[2]) if len(sys.argv) > 2 else 6
        print(depth, flush=True)
        if depth:
            sys.exit(
                subprocess.run([sys.executable, __file__, "deep", str(depth - 1)]).returncode + 1
            )
    elif how == "exec-chain":
        depth = int(sys.argv[2]) if len(sys.argv) > 2 else 5
        print(depth, flush=True)
        if depth:
            os.execv(sys.executable, [sys.executable, __file__, "exec-chain", str(depth - 1)])
        sys.exit(8)
    elif how == "daemon":
        if os.fork():
            os._exit(0)
        os.setsid()
        if os.fork():
            os._exit(0)
        null = os.open(os.devnull, os.O_RDWR)
        for fd in range(3):
            os.dup2(null, fd)
        import time

        time.sleep(20)
    elif how == "shared-memory":
        from multiprocessing import shared_memory

        block = shared_memory.SharedMemory(create=True, size=1000)
        print(len(block.buf) >= 1000)
        block.close()
        block.unlink()
    elif how == "spawn-posix":
        pid = os.posix_spawn("/bin/sh", ["sh", "-c", "exit 3"], os.environ)
        print(os.waitpid(pid, 0)[1])
        print(os.spawnlp(os.P_WAIT, "sh", "sh", "-c", "exit 4"), os.system("exit 5"))
        print(os.popen("echo popen").read())


if __name__ == "__main__":
    main(sys.argv[1])
