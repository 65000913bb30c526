// Command sideb runs Standard Agents in a terminal.
package main

import (
	"os"

	"github.com/sideb-dev/sideb/cmd"
	"github.com/sideb-dev/sideb/sandbox/worker"
)

func main() {
	worker.MainIfAsked()
	os.Exit(cmd.Main())
}
