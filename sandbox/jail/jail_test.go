package jail

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// confinedArg makes this program a child that confines itself and tries to leave.
const confinedArg = "confined-child"

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == confinedArg {
		child(os.Args[2] == "namespaces", os.Args[3])
		return
	}
	os.Exit(m.Run())
}

type attempts struct {
	Report  Report            `json:"report"`
	Reached map[string]string `json:"reached"` // what worked
}

func child(namespaces bool, file string) {
	j := Confine(namespaces)
	out := attempts{Report: j.Report, Reached: map[string]string{}}
	try := func(name string, f func() error) {
		if err := f(); err == nil {
			out.Reached[name] = "worked"
		}
	}
	try("read", func() error { _, err := os.ReadFile(file); return err })
	try("write", func() error { return os.WriteFile("here", []byte("x"), 0o600) })
	try("list", func() error { _, err := os.ReadDir("/"); return err })
	try("execute", func() error { return exec.Command(os.Args[0], "-test.list", "x").Run() })
	try("tcp", func() error { _, err := net.Dial("tcp", "127.0.0.1:1"); return refusedIsReached(err) })
	try("udp", func() error {
		c, err := net.Dial("udp", "192.0.2.1:53")
		if err == nil {
			_, err = c.Write([]byte("x"))
		}
		return err
	})
	if err := j.LimitData(64 << 20); err != nil {
		out.Reached["limit"] = err.Error()
	}
	line, err := json.Marshal(out)
	if err != nil {
		os.Exit(1)
	}
	fmt.Println(string(line))
	if runtime.GOOS == "linux" {
		b := make([]byte, 1<<30) // more than the limit
		b[len(b)/2] = byte(len(line))
		fmt.Println("allocated", b[len(b)/2])
	}
}

// refusedIsReached takes an answer of the network, even a refusal, for reaching it.
func refusedIsReached(err error) error {
	if err != nil && strings.Contains(err.Error(), "refused") {
		return nil
	}
	return err
}

func start(t *testing.T, namespaces bool) (string, error) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	arg := map[bool]string{true: "namespaces", false: "none"}[namespaces]
	cmd := exec.Command(exe, confinedArg, arg, exe)
	cmd.Dir, cmd.Env, cmd.SysProcAttr = t.TempDir(), []string{}, Attributes(namespaces)
	if runtime.GOOS == "windows" {
		cmd.Env = []string{"SYSTEMROOT=" + os.Getenv("SYSTEMROOT")}
	}
	out, err := cmd.Output()
	return string(out), err
}

// What the report says is enforced can't be done.
func TestConfineHoldsWhatItReports(t *testing.T) {
	out, err := start(t, true)
	if out == "" && err != nil { // namespaces aren't permitted
		out, _ = start(t, false)
	}
	var a attempts
	line, rest, _ := strings.Cut(out, "\n")
	if err := json.Unmarshal([]byte(line), &a); err != nil {
		t.Fatalf("%q: %v", out, err)
	}
	t.Log(a.Report.Lines())
	forbidden := map[bool][]string{a.Report.Filesystem.Enforced: {"read", "write", "list"}}[true]
	if a.Report.Network.Enforced {
		forbidden = append(forbidden, "tcp", "udp")
	}
	if a.Report.Processes.Enforced && a.Report.Filesystem.Enforced {
		forbidden = append(forbidden, "execute")
	}
	for _, name := range append(forbidden, "limit") {
		if what, reached := a.Reached[name]; reached {
			t.Errorf("%s: %s", name, what)
		}
	}
	if !a.Report.Environment.Enforced {
		t.Error("the environment was inherited")
	}
	if a.Report.Memory.Enforced && strings.Contains(rest, "allocated") {
		t.Error("more memory than the limit was allocated")
	}
}

func TestReportIsForPeople(t *testing.T) {
	r := Report{Filesystem: Measure{Enforced: true, By: "X"}, Network: Measure{By: "Y", Note: "TCP only"}, Memory: Measure{Note: "no"}}
	want := "environment: not enforced\nfilesystem: X\nnetwork: partly (Y); TCP only\nmemory: not enforced; no\nprocesses: not enforced"
	if got := r.Lines(); got != want {
		t.Fatal(got)
	}
}
