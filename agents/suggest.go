package agents

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// nearest is the candidate that word is most likely a slip of, "" where none is
// near.
func nearest(word string, candidates []string) string {
	best, bestDistance := "", len(word)/3+2
	for _, c := range candidates {
		d := distance(strings.ToLower(word), strings.ToLower(c))
		if len(word) > 2 && strings.HasPrefix(c, word) {
			d = 1
		}
		if d < bestDistance && d < max(len(c), len(word)) {
			best, bestDistance = c, d
		}
	}
	return best
}

func didYouMean(word string, candidates []string) string {
	if n := nearest(word, candidates); n != "" {
		return fmt.Sprintf("; did you mean %q?", n)
	}
	return ""
}

// distance is the Levenshtein distance of bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// hintFor suggests what a missing name of a kind could be.
func hintFor[V any](name string, dir kind, defined map[string]V) string {
	names := slices.Sorted(maps.Keys(defined))
	if n := nearest(name, names); n != "" {
		return fmt.Sprintf("did you mean %q?", n)
	}
	if len(names) == 0 {
		return fmt.Sprintf("define it in agents/%s/", dir)
	}
	if len(names) > 8 {
		names = append(names[:8], "…")
	}
	return fmt.Sprintf("define it in agents/%s/, or use one of: %s", dir, strings.Join(names, ", "))
}
