// Go with C in it: dynamically linked, so the agent is in it.
package main

/*
#include <stdlib.h>
#include <string.h>
static int crash(void) { return *(volatile int *)8; }
static int work(void) { char *m = malloc(1000); memset(m, 1, 1000); int n = m[5]; free(m); return n; }
*/
import "C"

import (
	"fmt"
	"os"
)

func main() {
	fmt.Println("cgo", C.work())
	switch os.Args[1] {
	case "segv":
		os.Stderr.Close()
		C.crash()
	case "panic":
		defer func() { fmt.Println("recovered:", recover() != nil) }()
		var nowhere *int
		*nowhere = 1
	}
	os.Exit(5)
}
