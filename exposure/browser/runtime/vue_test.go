package runtime_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pagestate/pagestate/internal/livetest"
)

// bundle returns the bundled script of a page that imports the Vue adapter under a
// package's name.
func bundle(t *testing.T, entry string) string {
	t.Helper()
	return livetest.Bundle(t, entry, "@plingjs/vue=vue.js")
}

func TestVueExample(t *testing.T) {
	index, err := os.ReadFile("example/index.html")
	if err != nil {
		t.Fatal(err)
	}
	p, _ := open(t, map[string]string{"/": string(index), "/main.js": bundle(t, "example/main.js")})
	const frame = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))`
	for _, tt := range []struct{ name, do, want string }{
		{"mounted", `0`, `scope todo; todo/t1{"text":"Review the launch checklist","status":"open"}; todo/t2{"text":"Book the design review","status":"open"}; ` +
			`todo/t3{"text":"Send the customer follow-up","status":"completed"}; ` +
			`complete_open_tasks; draft; add; filter; toggle@t1; delete@t1; toggle@t2; delete@t2; toggle@t3; delete@t3`},
		{"filter", `(s = document.querySelector('select'), s.value = 'open', s.dispatchEvent(new Event('change')), 0)`,
			`scope todo; todo/t1{"text":"Review the launch checklist","status":"open"}; todo/t2{"text":"Book the design review","status":"open"}; ` +
				`complete_open_tasks; draft; add; filter; toggle@t1; delete@t1; toggle@t2; delete@t2`},
		{"delete", `(document.querySelector('li button').click(), 0)`, `scope todo; todo/t2{"text":"Book the design review","status":"open"}; ` +
			`complete_open_tasks; draft; add; filter; toggle@t2; delete@t2`},
		{"unmounted", `(leave(), 0)`, ``},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p.t = t
			p.main(tt.do)
			p.main(frame)
			if got := p.read(); got.ids() != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got.ids(), tt.want)
			}
		})
	}
}

// lifetimes is a page whose components come and go.
const lifetimes = `
import { createApp, defineComponent, h, KeepAlive, nextTick, ref, resolveDirective, withDirectives } from 'vue';
import agent, { useAgentTool } from '@plingjs/vue';
const tool = (id) => ({ id, desc: id, run: () => id });
const One = defineComponent({ setup() { useAgentTool(tool('one')); return () => h('p', 'one'); } });
const Two = defineComponent({ setup() { useAgentTool(tool('two')); return () => h('p', 'two'); } });
const which = ref('one'), rows = ref([{ id: 'a' }, { id: 'b' }]), alive = ref(true);
const App = defineComponent({ setup: () => () => {
  const record = resolveDirective('record'), button = resolveDirective('tool');
  return h('div', [
    alive.value ? h(KeepAlive, () => which.value === 'one' ? h(One) : h(Two)) : null,
    // Without keys, elements are used again for other rows.
    ...rows.value.map((r) => withDirectives(h('div', [withDirectives(h('button', r.id), [[button, { id: 'press@' + r.id, desc: 'Press ' + r.id }]])]), [[record, { data: r, fields: { id: r.id } }]])),
  ]);
} });
createApp(App).use(agent).mount('#app');
globalThis.set = async (o) => { if (o.which) which.value = o.which; if (o.rows) rows.value = o.rows; if (o.alive === false) alive.value = false; await nextTick(); return 0; };
`

func TestVueLifetimes(t *testing.T) {
	entry := filepath.Join(t.TempDir(), "lifetimes.js")
	if err := os.WriteFile(entry, []byte(lifetimes), 0o600); err != nil {
		t.Fatal(err)
	}
	p, _ := open(t, map[string]string{"/": `<!doctype html><div id="app"></div><script src="main.js"></script>`, "/main.js": bundle(t, entry)})
	for _, tt := range []struct{ name, why, do, want string }{
		{"first", "", `0`, `/a{"id":"a"}; /b{"id":"b"}; one; press@a; press@b`},
		{"away", "what is kept alive but not shown exposes nothing", `set({ which: 'two' })`, `/a{"id":"a"}; /b{"id":"b"}; press@a; press@b; two`},
		{"back", "and it comes back", `set({ which: 'one' })`, `/a{"id":"a"}; /b{"id":"b"}; press@a; press@b; one`},
		{"reused", "an element that is used for another row is that row's", `set({ rows: [{ id: 'b' }, { id: 'c' }] })`, `/b{"id":"b"}; /c{"id":"c"}; press@b; press@c; one`},
		{"gone", "a component's tools end with it", `set({ alive: false, rows: [] })`, ``},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p.t = t
			p.main(tt.do)
			if got := p.read(); got.ids() != tt.want {
				t.Errorf("%s\n got %s\nwant %s", tt.why, got.ids(), tt.want)
			}
		})
	}
}
