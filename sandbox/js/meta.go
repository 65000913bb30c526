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

// nodeModules are Node's modules that are imported without the prefix node:.
var nodeModules = map[string]bool{
	"assert": true, "async_hooks": true, "buffer": true, "child_process": true, "cluster": true, "console": true,
	"constants": true, "crypto": true, "dgram": true, "dns": true, "events": true, "fs": true, "fs/promises": true,
	"http": true, "http2": true, "https": true, "module": true, "net": true, "os": true, "path": true,
	"perf_hooks": true, "process": true, "punycode": true, "querystring": true, "readline": true, "stream": true,
	"string_decoder": true, "timers": true, "tls": true, "tty": true, "url": true, "util": true, "v8": true, "vm": true,
	"worker_threads": true, "zlib": true,
}
