package browser

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// TestSecretsBeforeTheFirstLook reads fields that showed dots, or were password fields,
// before anybody looked.
func TestSecretsBeforeTheFirstLook(t *testing.T) {
	const page = `<!doctype html><meta charset="utf-8"><style>.dots{-webkit-text-security:disc}</style>
<form data-agent-scope="login"><div data-agent-record="f">
<input data-agent-field="toggled" type="password" value="SECRET-1">
<input data-agent-field="again" type=" PASSWORD " value="SECRET-2">
<input data-agent-field="dots" class="dots" value="SECRET-3">
<textarea data-agent-field="area" class="dots">SECRET-4</textarea>
<b data-agent-field="text" class="dots">SECRET-5</b>
<span data-agent-field="partly">pin <i style="-webkit-text-security:square">SECRET-6</i></span>
<span data-agent-field="plain" style="-webkit-text-security:none">seen</span>
<p class="dots"><input data-agent-field="inherited" value="SECRET-7"></p>
<input data-agent-field="made" value="">
<input data-agent-field="never" type="text" value="typed">
</div></form>
<script>
const f = (n) => document.querySelector('[data-agent-field=' + n + ']');
f('toggled').type = 'text';
setTimeout(() => f('again').setAttribute('type', 'text'));
f('made').type = 'password'; f('made').value = 'SECRET-8'; f('made').removeAttribute('type');
</script>`
	base := serve(t, map[string]string{"/": page, "/around": `<!doctype html><iframe src="/"></iframe>`})
	want := []string{`toggled="[masked]"`, `again="[masked]"`, `dots="[masked]"`, `area="[masked]"`, `text="[masked]"`, `partly="pin [masked]"`, `plain="seen"`,
		`inherited="[masked]"`, `made="[masked]"`, `never="typed"`}
	for _, path := range []string{"/", "/around"} {
		p := openPage(t, base+path, nil)
		if err := p.WaitLoaded(t.Context()); err != nil {
			t.Fatal(err)
		}
		s := read(t, p)
		if got := fields(t, s, "login", "f"); !slices.Equal(got, want) {
			t.Errorf("%s: got  %q\nwant %q", path, got, want)
		}
		before := s
		evaluate(t, p, strings.ReplaceAll(`{const d = document.querySelector('iframe')?.contentDocument ?? document; d.querySelector('[data-agent-field=toggled]').value = 'SECRET-9'}`, "\n", ""))
		if got := evidence(before, read(t, p)); !strings.Contains(got, `"updated":[{"id":"f","fields":["toggled"]}]`) {
			t.Errorf("%s: %s", path, got)
		}
		p.kept = nil
		c, err := p.collect(t.Context(), "", false)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []string{"1", "2", "3", "4", "8", "9"} { // controls keep theirs in the page
			if bytes.Contains([]byte(c.text), []byte("SECRET-"+n)) {
				t.Errorf("%s: SECRET-%s left the page", path, n)
			}
		}
	}
}

// TestManualSlots reads shadow trees whose slots are filled by script.
func TestManualSlots(t *testing.T) {
	const page = `<!doctype html><meta charset="utf-8"><style>.off{display:none}</style><div id="host"><p slot="b" data-agent-record="one"><b data-agent-field="n">1</b></p>loose text<p data-agent-record="two"><b data-agent-field="n">2</b></p><p data-agent-record="nowhere"></p><p class="off" data-agent-record="off"></p></div>
<script>const host = document.getElementById('host'), root = host.attachShadow({mode:'open', slotAssignment:'manual'});
root.innerHTML = '<section data-agent-scope=first><slot id=x>nothing</slot></section><section data-agent-scope=second><slot name=b id=y><i data-agent-record=fallback></i></slot></section>';
const slot = (id) => root.getElementById(id), at = (n) => host.children[n];
slot('x').assign(at(1), host.childNodes[1], at(3));</script>`
	p := openPage(t, serve(t, map[string]string{"/": page})+"/", nil)
	check := func(want ...string) {
		t.Helper()
		if got := scopes(read(t, p)); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	check("first/two", "second/fallback")
	evaluate(t, p, `slot('y').assign(at(0))`)
	check("first/two", "second/one")
	evaluate(t, p, `slot('x').assign(at(0), at(1)); at(3).className = ''`)
	check("first/one", "first/two", "second/fallback")
	evaluate(t, p, `slot('x').assign(); slot('y').assign(at(3), at(2))`)
	check("second/off", "second/nowhere")
}
