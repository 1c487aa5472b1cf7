package exposure

import "testing"

func TestWithoutUser(t *testing.T) {
	for _, tt := range []struct{ url, want string }{
		{"https://ann:s3cret@a.test/b", "https://a.test/b"},
		{"https://ann@a.test", "https://a.test"},
		{"https://ann:p@ss@a.test/b@c", "https://a.test/b@c"},
		{"//ann:x@a.test/", "//a.test/"},
		{"https://a.test/~ann@b", "https://a.test/~ann@b"},
		{"https://a.test?u=ann@b", "https://a.test?u=ann@b"},
		{"https://a.test#ann@b", "https://a.test#ann@b"},
		{"mailto:ann@a.test", "mailto:ann@a.test"},
		{"app://todo", "app://todo"},
		{"/path//ann@b", "/path//ann@b"},
		{"", ""},
	} {
		if got := WithoutUser(tt.url); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.url, got, tt.want)
		}
	}
}
