package exposure

import "strings"

// WithoutUser returns a url without the user name and password it may hold;
// all else is as it was.
func WithoutUser(url string) string {
	i := strings.Index(url, "//")
	if i < 0 || strings.ContainsAny(url[:i], "/?#@") {
		return url
	}
	begin := i + len("//")
	end := len(url)
	if n := strings.IndexAny(url[begin:], `/\?#`); n >= 0 {
		end = begin + n
	}
	at := strings.LastIndexByte(url[begin:end], '@')
	if at < 0 {
		return url
	}
	return url[:begin] + url[begin+at+1:]
}
