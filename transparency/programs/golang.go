// The Go runtime: its own threads, signals and children.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"sync"
	"syscall"
)

func main() {
	fmt.Println("go")
	fmt.Fprintln(os.Stderr, "err")
	switch os.Args[1] {
	case "plain":
		var group sync.WaitGroup
		var lock sync.Mutex
		sum := 0
		for n := 0; n < 200; n++ {
			group.Add(1)
			go func(n int) {
				defer group.Done()
				data := make([]byte, 1<<16)
				lock.Lock()
				sum += n + len(data)
				lock.Unlock()
			}(n)
		}
		group.Wait()
		runtime.GC()
		fmt.Println(sum)
		os.Exit(5)
	case "panic":
		fmt.Fprintln(os.Stderr, "before")
		defer fmt.Println("deferred")
		os.Stderr.Close()
		panic("told")
	case "signal":
		seen := make(chan os.Signal, 1)
		signal.Notify(seen, syscall.SIGUSR1, syscall.SIGTERM)
		syscall.Kill(os.Getpid(), syscall.SIGTERM)
		fmt.Println(<-seen)
	case "children":
		out, err := exec.Command("sh", "-c", "echo child; exit 4").Output()
		fmt.Print(string(out), err, "\n")
	case "segv":
		defer func() { fmt.Println("recovered:", recover() != nil) }()
		var nowhere *int
		*nowhere = 1
	case "goexit":
		go func() { os.Exit(6) }()
		select {}
	}
}
