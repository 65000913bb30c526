package tui

import (
	"fmt"
	"strconv"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// shortDuration is a duration in at most five characters.
func shortDuration(d time.Duration) string {
	switch {
	case d < 0:
		return "0ms"
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + "ms"
	case d < 10*time.Second:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Minute:
		return strconv.Itoa(int(d.Seconds())) + "s"
	default:
		return clock(d)
	}
}

// clock is 0:42, 12:07 or 1:02:03.
func clock(d time.Duration) string {
	s := max(int(d.Seconds()), 0)
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// count is a number in at most five characters: 950, 12.4k, 3.1M.
func count(n int64) string {
	switch {
	case n < 1000:
		return strconv.FormatInt(n, 10)
	case n < 100_000:
		return fmt.Sprintf("%.1fk", float64(n)/1000)
	case n < 1_000_000:
		return strconv.FormatInt(n/1000, 10) + "k"
	default:
		return fmt.Sprintf("%.1fM", float64(n)/1e6)
	}
}

// money is a cost in USD with the digits that matter.
func money(usd float64) string {
	switch {
	case usd == 0:
		return "$0"
	case usd < 0.01:
		return fmt.Sprintf("$%.4f", usd)
	default:
		return fmt.Sprintf("$%.2f", usd)
	}
}

// age is how long ago something was: now, 5m, 3h, 2d, or a date.
func age(at, now time.Time) string {
	d := now.Sub(at)
	switch {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return strconv.Itoa(int(d.Minutes())) + "m"
	case d < 24*time.Hour:
		return strconv.Itoa(int(d.Hours())) + "h"
	case d < 7*24*time.Hour:
		return strconv.Itoa(int(d.Hours()/24)) + "d"
	default:
		return at.In(now.Location()).Format("2 Jan")
	}
}

// cutLeft keeps the end of s.
func cutLeft(s string, width int) string {
	if over := ansi.StringWidth(s) - width; over > 0 {
		return ansi.TruncateLeft(s, over+1, "…")
	}
	return s
}

func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + one + "s"
}
