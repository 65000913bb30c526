package engine_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// strength is how binding the specification's word for a requirement is; states
// is a plain statement of what happens.
type strength string

const (
	must    strength = "MUST"
	mustNot strength = "MUST NOT"
	should  strength = "SHOULD"
	lower   strength = "should"
	states  strength = "states"
)

// requirement is one rule of a page of the specification, in our own words, and
// the scenarios that show it, by name.
type requirement struct {
	page      string // 001 is the runtime's, 004 the agents'
	section   string
	strength  strength
	what      string
	scenarios string
}

// named reports whether a scenario's name begins with the requirement's section
// or one above or below it.
func (r *requirement) named(scenario string) bool {
	page, rest, _ := strings.Cut(scenario, "-")
	section, _, _ := strings.Cut(rest, "-")
	return page == r.page && (section == r.section ||
		strings.HasPrefix(section, r.section+".") || strings.HasPrefix(r.section, section+"."))
}

// TestCoverage holds the table of requirements against the scenarios: each has
// some, each of them exists, and one is named after the section or belongs to the
// other page's section on the same matter. It prints which sections are covered.
func TestCoverage(t *testing.T) {
	covered := map[string]int{}
	for i := range requirements {
		r := &requirements[i]
		files := strings.Fields(r.scenarios)
		if len(files) == 0 {
			t.Errorf("%s §%s %s: no scenario: %s", r.page, r.section, r.strength, r.what)
			continue
		}
		for _, f := range files {
			if _, err := os.Stat(filepath.Join("../testdata/scenarios", f+".txt")); err != nil {
				t.Errorf("%s §%s names a scenario that isn't there: %v", r.page, r.section, err)
			}
		}
		covered[r.page+" §"+r.section]++
	}
	checkSections(t)
	names := make([]string, 0, len(covered))
	for name := range covered {
		names = append(names, name)
	}
	slices.SortFunc(names, compareSections)
	for i, name := range names {
		names[i] = fmt.Sprintf("%s (%d)", name, covered[name])
	}
	fmt.Printf("specification: %d requirements of %d sections have scenarios: %s\n",
		len(requirements), len(covered), strings.Join(names, ", "))
}

// checkSections checks that every section with requirements has a scenario that
// bears its name, and that every scenario that bears a section's name is used.
func checkSections(t *testing.T) {
	t.Helper()
	bears, used := map[string]bool{}, map[string]bool{}
	for i := range requirements {
		r := &requirements[i]
		key := r.page + " §" + r.section
		bears[key] = bears[key] || r.section == "15" || r.section == "1" // which sum up the other sections
		for _, f := range strings.Fields(r.scenarios) {
			used[f] = true
			bears[key] = bears[key] || r.named(f)
		}
	}
	for section, ok := range bears {
		if !ok {
			t.Errorf("%s: no scenario is named after it", section)
		}
	}
	files, err := filepath.Glob("../testdata/scenarios/00[14]-*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if name := strings.TrimSuffix(filepath.Base(f), ".txt"); !used[name] {
			t.Errorf("the scenario %s isn't in the table of requirements", name)
		}
	}
}

func compareSections(a, b string) int {
	pa, sa, _ := strings.Cut(a, " §")
	pb, sb, _ := strings.Cut(b, " §")
	if pa != pb {
		return cmp.Compare(pa, pb)
	}
	as, bs := strings.Split(sa, "."), strings.Split(sb, ".")
	return slices.CompareFunc(as, bs, func(x, y string) int {
		return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y))
	})
}
