package engine

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"unicode/utf8"

	"golang.org/x/image/draw"
	"golang.org/x/image/webp"
)

// imageSize reads an image's size in pixels; 0 where data is no image that is
// known.
func imageSize(data []byte) (width, height int) {
	c, err := imageConfig(data)
	if err != nil {
		return 0, 0
	}
	return c.Width, c.Height
}

func imageConfig(data []byte) (c image.Config, err error) {
	defer contain(&err)
	r := bytes.NewReader(data)
	switch imageType(data) {
	case "image/png":
		return png.DecodeConfig(r)
	case "image/jpeg":
		return jpeg.DecodeConfig(r)
	case "image/gif":
		return gif.DecodeConfig(r)
	case "image/webp":
		return webp.DecodeConfig(r)
	default:
		return c, image.ErrFormat
	}
}

// contain makes a decoder's panic over damaged data an error.
func contain(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("the image is damaged: %v", p)
	}
}

// decodeImage decodes an image (the first of an animation) whose pixels take at
// most MaxImagePixels bytes, which is known before any of it is decoded.
func decodeImage(data []byte) (img image.Image, err error) {
	defer contain(&err)
	c, err := imageConfig(data)
	if err != nil {
		return nil, err
	}
	if c.Width <= 0 || c.Height <= 0 || int64(c.Width)*int64(c.Height)*pixelBytes(c.ColorModel) > MaxImagePixels {
		return nil, Errorf(CodeLimit, "decode image", "an image of %d×%d pixels is too large to be decoded", c.Width, c.Height)
	}
	r := bytes.NewReader(data)
	switch imageType(data) {
	case "image/png":
		return png.Decode(r)
	case "image/jpeg":
		return jpeg.Decode(r)
	case "image/gif":
		return gif.Decode(r)
	default:
		return webp.Decode(r)
	}
}

func pixelBytes(m color.Model) int64 {
	switch m {
	case color.RGBA64Model, color.NRGBA64Model:
		return 8
	default:
		return 4
	}
}

// thumbnail is a small form of an image: at most ThumbnailSide pixels a side,
// never larger than the image; JPEG, or PNG where the image is transparent.
func thumbnail(data []byte) (small []byte, err error) {
	defer contain(&err)
	img, err := decodeImage(data)
	if err != nil {
		return nil, err
	}
	b := img.Bounds()
	w, h := fit(b.Dx(), b.Dy(), ThumbnailSide)
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	draw.BiLinear.Scale(out, out.Bounds(), img, b, draw.Src, nil)
	var buf bytes.Buffer
	if out.Opaque() {
		err = jpeg.Encode(&buf, out, &jpeg.Options{Quality: 80})
	} else {
		err = png.Encode(&buf, out)
	}
	return buf.Bytes(), err
}

// fit scales w by h down until neither is larger than side.
func fit(w, h, side int) (int, int) {
	if w <= side && h <= side {
		return w, h
	}
	if w >= h {
		return side, max(1, h*side/w)
	}
	return max(1, w*side/h), side
}

// isText reports whether the start of data is text.
func isText(data []byte) bool {
	head := data[:min(len(data), 1024)]
	if len(head) < len(data) { // don't judge by a character that was cut
		for i := 0; i < utf8.UTFMax && len(head) > 0 && !utf8.RuneStart(data[len(head)]); i++ {
			head = head[:len(head)-1]
		}
	}
	return utf8.Valid(head) && bytes.IndexByte(head, 0) < 0
}
