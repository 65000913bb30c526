package js

import (
	"net/url"
	"path"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// withMeta gives a module that mentions import.meta its url, filename and
// dirname. It is put before the first line of the source, on that line: line
// numbers stay, columns of the first line are corrected in diagnostics.
func withMeta(source, name string, loader api.Loader) string {
	if loader == api.LoaderJSON || loader == api.LoaderText || strings.HasPrefix(source, "#!") || !strings.Contains(source, "import.meta") {
		return source
	}
	return metaPrefix(name) + source
}

func metaPrefix(name string) string {
	if !filepath.IsAbs(name) && !path.IsAbs(name) {
		return "import.meta.url=" + quote("sideb:"+name) + ";"
	}
	slash := filepath.ToSlash(name)
	if !strings.HasPrefix(slash, "/") {
		slash = "/" + slash
	}
	u := url.URL{Scheme: "file", Path: slash}
	return "import.meta.url=" + quote(u.String()) + ";import.meta.filename=" + quote(name) +
		";import.meta.dirname=" + quote(filepath.Dir(name)) + ";"
}

// isNodeModule tells whether Node has a module of that name, imported without
// the prefix node:.
func isNodeModule(name string) bool {
	switch name {
	case "assert", "async_hooks", "buffer", "child_process", "cluster", "console", "constants", "crypto", "dgram", "dns",
		"events", "fs", "fs/promises", "http", "http2", "https", "module", "net", "os", "path", "perf_hooks", "process",
		"punycode", "querystring", "readline", "stream", "string_decoder", "timers", "tls", "tty", "url", "util", "v8",
		"vm", "worker_threads", "zlib":
		return true
	}
	return false
}
