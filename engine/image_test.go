package engine

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"
)

func painted(w, h int, c color.Color) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.Set(x, y, c)
		}
	}
	return img
}

func encoded(t *testing.T, encode func(b *bytes.Buffer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := encode(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A lossless WebP of one pixel.
const webpPixel = "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA=="

func TestThumbnails(t *testing.T) {
	red, glass := color.NRGBA{200, 0, 0, 255}, color.NRGBA{0, 0, 200, 100}
	pixel, err := base64.StdEncoding.DecodeString(webpPixel)
	if err != nil {
		t.Fatal(err)
	}
	frames := &gif.GIF{Delay: []int{1, 1}}
	for range 2 {
		frames.Image = append(frames.Image, image.NewPaletted(image.Rect(0, 0, 300, 100), color.Palette{red, color.Black}))
	}
	for _, c := range []struct {
		name   string
		data   []byte
		source string
		result string
		w, h   int
	}{
		{"opaque png", encoded(t, func(b *bytes.Buffer) error { return png.Encode(b, painted(1000, 500, red)) }), "image/png", "image/jpeg", 256, 128},
		{"transparent png", encoded(t, func(b *bytes.Buffer) error { return png.Encode(b, painted(10, 600, glass)) }), "image/png", "image/png", 4, 256},
		{"thin png", encoded(t, func(b *bytes.Buffer) error { return png.Encode(b, painted(2000, 1, red)) }), "image/png", "image/jpeg", 256, 1},
		{"small png", encoded(t, func(b *bytes.Buffer) error { return png.Encode(b, painted(3, 2, red)) }), "image/png", "image/jpeg", 3, 2},
		{"jpeg", encoded(t, func(b *bytes.Buffer) error { return jpeg.Encode(b, painted(300, 600, red), nil) }), "image/jpeg", "image/jpeg", 128, 256},
		{"gif of two frames", encoded(t, func(b *bytes.Buffer) error { return gif.EncodeAll(b, frames) }), "image/gif", "image/jpeg", 256, 85},
		{"webp", pixel, "image/webp", "", 1, 1},
	} {
		if got := imageType(c.data); got != c.source {
			t.Errorf("%s is taken for %q", c.name, got)
		}
		small, err := thumbnail(c.data)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if w, h := imageSize(small); w != c.w || h != c.h || c.result != "" && imageType(small) != c.result {
			t.Errorf("%s: the thumbnail is %s of %d×%d", c.name, imageType(small), w, h)
		}
	}
}

// bomb is a PNG that says it has w by h pixels and has none.
func bomb(w, h uint32) []byte {
	b := []byte("\x89PNG\r\n\x1a\n")
	head := make([]byte, 17)
	copy(head, "IHDR")
	binary.BigEndian.PutUint32(head[4:], w)
	binary.BigEndian.PutUint32(head[8:], h)
	head[12], head[13] = 8, 6
	b = binary.BigEndian.AppendUint32(b, 13)
	b = append(b, head...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(head))
}

func TestDecompressionBombsAreRefused(t *testing.T) {
	for _, c := range [][2]uint32{{100_000, 100_000}, {1 << 30, 1 << 30}, {1, 1 << 30}, {6000, 6000}} {
		allocated := testing.AllocsPerRun(1, func() {
			if _, err := thumbnail(bomb(c[0], c[1])); err == nil {
				t.Errorf("%v was decoded", c)
			} else if code := CodeOf(err); code != CodeLimit && c[0] < 1<<30 && c[0] > 1 {
				t.Errorf("%v: %v", c, err)
			}
		})
		if allocated > 100 {
			t.Errorf("%v: %v allocations", c, allocated)
		}
	}
}

func TestDamagedImagesAreErrors(t *testing.T) {
	whole := encoded(t, func(b *bytes.Buffer) error { return png.Encode(b, painted(50, 50, color.White)) })
	for n := range len(whole) - 1 {
		if _, err := thumbnail(whole[:n]); err == nil {
			t.Errorf("%d of %d bytes were decoded", n, len(whole))
		}
	}
	if w, h := imageSize([]byte("no image")); w != 0 || h != 0 {
		t.Error("text has a size")
	}
}

// FuzzImages: whatever the bytes, there is an error or a small image.
func FuzzImages(f *testing.F) {
	pixel, _ := base64.StdEncoding.DecodeString(webpPixel)
	f.Add(pixel)
	f.Add(bomb(10, 10))
	f.Add([]byte("GIF89a\x01\x00\x01\x00\x80\x00\x00"))
	f.Add([]byte("\xff\xd8\xff\xe0"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if w, h := imageSize(data); int64(w)*int64(h) > 1<<20 {
			return // right, but slow
		}
		small, err := thumbnail(data)
		if err != nil {
			return
		}
		if w, h := imageSize(small); w < 1 || h < 1 || w > ThumbnailSide || h > ThumbnailSide {
			t.Fatalf("the thumbnail is %d×%d", w, h)
		}
	})
}

func TestTypesOfFiles(t *testing.T) {
	for _, c := range []struct{ name, data, want string }{
		{"a.txt", "\x89PNG\r\n\x1a\n...", "image/png"},
		{"a.png", "not a picture", "text/plain"},
		{"a.png", "\x00\x01", "application/octet-stream"},
		{"a.svg", "<svg/>", "image/svg+xml"},
		{"A.JSON", "{}", "application/json"},
		{"noext", "plain é", "text/plain"},
		{"noext", "\xff\xfe", "application/octet-stream"},
		{"noext", "%PDF-1.7\x00", "application/pdf"},
		{"empty", "", "text/plain"},
	} {
		if got := typeOf(c.name, []byte(c.data)); got != c.want {
			t.Errorf("%s with %q is %s, not %s", c.name, c.data, got, c.want)
		}
	}
	long := append(bytes.Repeat([]byte("x"), 1023), "é"...)
	if !isText(long) {
		t.Error("a character across the border of what is looked at makes text binary")
	}
}
