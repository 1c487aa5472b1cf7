package records_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/big"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/pagestate/pagestate/internal/reference"
	"github.com/pagestate/pagestate/records"
)

func zeros(n int) string { return strings.Repeat("0", n) }
func nines(n int) string { return strings.Repeat("9", n) }

// numbers are literals and their canonical spelling; "" means no number.
var numbers = []struct{ name, why, in, want string }{
	{"zero", "", "0", "0"},
	{"minus zero", "-0 equals 0", "-0", "0"},
	{"minus zero decimal", "", "-0.000", "0"},
	{"zero with exponent", "zero has no exponent, however long", "0e99999999999999999999", "0"},
	{"zero with negative exponent", "", "-0.0E-99999999999999999999", "0"},
	{"one", "", "1", "1"},
	{"trailing zero", "", "1.0", "1"},
	{"ten tenths", "", "10e-1", "1"},
	{"plus sign", "", "1E+2", "100"},
	{"decimal", "", "-12.50", "-12.5"},
	{"exponent to decimal", "", "125e-2", "1.25"},
	{"below one", "", "5e-1", "0.5"},
	{"zeros after the point", "", "0.0050", "0.005"},
	{"fraction to integer", "", "0.25e2", "25"},
	{"2^53+1", "no binary floating point", "9007199254740993", "9007199254740993"},
	{"long expansion", "differs from 0.1", "0.1000000000000000055511151231257827021181583404541015625", "1000000000000000055511151231257827021181583404541015625e-55"},

	{"40 digits", "the longest plain integer", "1" + zeros(39), "1" + zeros(39)},
	{"40 digits by exponent", "", "1e39", "1" + zeros(39)},
	{"40 nines", "", nines(40), nines(40)},
	{"minus 40 digits", "the sign is no digit", "-1e39", "-1" + zeros(39)},
	{"minus 40 nines", "", "-" + nines(40), "-" + nines(40)},
	{"41 digits", "", "1" + zeros(40), "1e40"},
	{"41 digits by exponent", "", "1e40", "1e40"},
	{"41 nines", "", nines(41), nines(41) + "e0"},
	{"41 nines and zeros", "", nines(41) + "00", nines(41) + "e2"},
	{"39 digits and a point", "", nines(38) + ".9", nines(38) + ".9"},
	{"40 digits and a point", "", nines(39) + ".9", nines(40) + "e-1"},
	{"40 digits and a point, one zero", "counts without it", nines(38) + ".90", nines(38) + ".9"},
	{"38 decimals", "", "1e-38", "0." + zeros(37) + "1"},
	{"38 decimals spelled", "", "0." + zeros(37) + "1", "0." + zeros(37) + "1"},
	{"39 decimals", "", "1e-39", "1e-39"},
	{"39 decimals spelled", "", "0." + zeros(38) + "1", "1e-39"},
	{"minus 38 decimals", "", "-1e-38", "-0." + zeros(37) + "1"},
	{"many zeros in front", "", "0." + zeros(5000) + "1", "1e-5001"},
	{"many zeros behind", "", "1" + zeros(5000), "1e5000"},

	{"1e400", "", "1e400", "1e400"},
	{"1e-400", "", "1e-400", "1e-400"},
	{"1e-401", "", "1e-401", "1e-401"},
	{"1e1000000000", "", "1e1000000000", "1e1000000000"},
	{"exponent of zeros", "", "7e000", "7"},
	{"exponent with leading zeros", "", "1e" + zeros(40) + "5", "100000"},
	{"negative exponent with leading zeros", "", "1e-" + zeros(40) + "1", "0.1"},
	{"positive exponent with leading zeros", "", "1E+" + zeros(40) + "400", "1e400"},

	{"17 digits of exponent", "", "1e" + nines(17), "1e" + nines(17)},
	{"17 digits carry", "into the 18th", "10e" + nines(17), "1e1" + zeros(17)},
	{"18 digits", "the sum is done on text", "1e1" + zeros(17), "1e1" + zeros(17)},
	{"18 digits borrow", "back to 17", "0.1e1" + zeros(17), "1e" + nines(17)},
	{"minus 17 digits carry", "", "0.1e-" + nines(17), "1e-1" + zeros(17)},
	{"minus 18 digits borrow", "", "10e-1" + zeros(17), "1e-" + nines(17)},
	{"20 nines carry", "", "10e" + nines(20), "1e1" + zeros(20)},
	{"20 nines carry with zeros in front", "", "10e+000" + nines(20), "1e1" + zeros(20)},
	{"20 nines carry by many", "", "1" + zeros(5000) + "e" + nines(20), "1e1" + zeros(16) + "4999"},
	{"21 digits borrow", "", "0.1e1" + zeros(20), "1e" + nines(20)},
	{"21 digits borrow by many", "", "0." + zeros(4999) + "1e1" + zeros(20), "1e" + nines(16) + "5000"},
	{"minus 20 nines carry", "", "0.01e-" + nines(20), "1e-1" + zeros(19) + "1"},
	{"minus 21 digits borrow", "", "100e-1" + zeros(20), "1e-" + nines(19) + "8"},
	{"carry inside", "", "10e12345678901234567899", "1e12345678901234567900"},
	{"borrow inside", "", "1.5e12345678901234567900", "15e12345678901234567899"},
	{"nothing to add", "", "1e12345678901234567890", "1e12345678901234567890"},

	{"nothing", "", "", ""},
	{"minus", "", "-", ""},
	{"plus", "", "+1", ""},
	{"leading zero", "", "007", ""},
	{"minus leading zero", "", "-01", ""},
	{"no integer part", "", ".5", ""},
	{"no fraction", "", "1.", ""},
	{"no fraction before exponent", "", "1.e5", ""},
	{"no exponent", "", "1e", ""},
	{"sign only", "", "1e+", ""},
	{"two points", "", "1.2.3", ""},
	{"two exponents", "", "1e2e3", ""},
	{"fraction of exponent", "", "1e2.5", ""},
	{"hex", "", "0x10", ""},
	{"nan", "", "NaN", ""},
	{"infinity", "", "-Infinity", ""},
	{"blank", "", " 1", ""},
	{"blank behind", "", "1 ", ""},
	{"two numbers", "", "1,2", ""},
}

func TestCanonicalNumber(t *testing.T) {
	for _, test := range numbers {
		t.Run(test.name, func(t *testing.T) {
			enc, err := records.AppendNumber([]byte("x"), []byte(test.in))
			if test.want == "" {
				if !errors.Is(err, records.ErrNumber) || string(enc) != "x" {
					t.Fatalf("AppendNumber(%q) = %q, %v, want ErrNumber and dst as it was", test.in, enc, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			v := records.RawValue(enc[1:])
			if got := string(records.AppendCanonical(nil, v)); got != test.want {
				t.Errorf("canonical %q, want %q (%s)", got, test.want, test.why)
			}
			if string(v.Literal()) != test.in || v.String() != test.in {
				t.Errorf("echoed as %q and %q", v.Literal(), v)
			}
			if v.Kind() != records.Number || len(v.Raw()) != len(enc)-1 {
				t.Errorf("kind %v, %d bytes of %d", v.Kind(), len(v.Raw()), len(enc)-1)
			}
			if want := naiveCanonical(test.in); test.want != want {
				t.Errorf("the naive decision is %q", want)
			}
		})
	}
}

// naiveCanonical spells a JSON number as the package comment says, by way of
// big integers.
func naiveCanonical(lit string) string {
	sign := ""
	if strings.HasPrefix(lit, "-") {
		sign, lit = "-", lit[1:]
	}
	exp := new(big.Int)
	if i := strings.IndexAny(lit, "eE"); i >= 0 {
		if _, ok := exp.SetString(strings.TrimPrefix(lit[i+1:], "+"), 10); !ok {
			panic(lit)
		}
		lit = lit[:i]
	}
	whole, frac, _ := strings.Cut(lit, ".")
	digits := strings.TrimLeft(whole+frac, "0")
	exp.Sub(exp, big.NewInt(int64(len(frac))))
	short := strings.TrimRight(digits, "0")
	exp.Add(exp, big.NewInt(int64(len(digits)-len(short))))
	if short == "" {
		return "0"
	}
	if exp.IsInt64() {
		// Plain decimal, if that takes at most 40 digits, the 0 before a point
		// and the point counted as if they were two.
		k, n := exp.Int64(), int64(len(short))
		switch {
		case k >= 0 && k <= 40 && n+k <= 40:
			return sign + short + zeros(int(k))
		case k < 0 && -k < n && n+1 <= 40:
			return sign + short[:n+k] + "." + short[n+k:]
		case k < 0 && -k >= n && 2-k <= 40:
			return sign + "0." + zeros(int(-k-n)) + short
		}
	}
	return sign + short + "e" + exp.String()
}

// pairs are values and whether they are equal.
var pairs = []struct {
	name, why, a, b string
	equal           bool
}{
	{"one", "C08", "1", "1.0", true},
	{"ten tenths", "C08", "1", "10e-1", true},
	{"minus zero", "C08", "-0", "0", true},
	{"exponent", "C08", "100", "1e2", true},
	{"upper case", "C08", "1E2", "1e+02", true},
	{"trailing zero", "C08", "1.50", "1.5", true},
	{"zero exponent", "C08", "0e0", "-0.00E-5", true},
	{"2^53", "C07", "9007199254740993", "9007199254740992", false},
	{"20 digits", "C07", "14629384756102938475", "14629384756102938000", false},
	{"int64", "C07", "9223372036854775807", "9223372036854775808", false},
	{"a tenth", "C07", "0.1", "0.1000000000000000055511151231257827021181583404541015625", false},
	{"huge", "C08", "1e400", "1e401", false},
	{"huge spelled", "", "1e400", "10e399", true},
	{"tiny", "both are 0 in binary", "1e-400", "1e-401", false},
	{"tiny and zero", "", "1e-400", "0", false},
	{"sign", "", "1", "-1", false},
	{"billions", "", "1e1000000000", "10e999999999", true},
	{"billions differ", "", "1e1000000000", "1e1000000001", false},
	{"exponents of any length", "", "10e" + nines(30), "1e1" + zeros(30), true},
	{"exponents of any length differ", "", "1e" + nines(30), "1e1" + zeros(30), false},

	{"number and text", "type counts", "1", `"1"`, false},
	{"case", "", `"a"`, `"A"`, false},
	{"blank", "no trimming", `"a"`, `" a"`, false},
	{"normalisation", "no normalisation", `"\u00e9"`, `"e\u0301"`, false},
	{"escapes", "", `"\u0041\/"`, `"A/"`, true},
	{"surrogate pair", "", `"\ud83d\ude00"`, `"😀"`, true},
	{"lone surrogates", "both show as U+FFFD", `"\ud800"`, `"\ud801"`, false},
	{"lone surrogate and replacement", "", `"\ud800"`, `"\ufffd"`, false},
	{"lone surrogate and its bytes", "", `"\ud800"`, "\"\xed\xa0\x80\"", false},
	{"lone surrogate and its held form", "", `"\ud800"`, "\"\xf5\x80\x80\"", false},
	{"ill-formed bytes", "", "\"\xff\"", "\"\xfe\"", false},
	{"ill-formed bytes alike", "", "\"\xff\"", "\"\xff\"", true},
	{"F5 alike", "", "\"\xf5\"", "\"\xf5\"", true},
	{"one F5 and two", "", "\"\xf5\"", "\"\xf5\xf5\"", false},

	{"array order", "", `[1,2]`, `[2,1]`, false},
	{"array length", "", `[1]`, `[1,1]`, false},
	{"array spelled", "", `[1,[2,{"a":3}]]`, `[1.0, [20e-1, {"a":3}]]`, true},
	{"array of nothing", "", `[]`, `[null]`, false},
	{"member order", "", `{"a":1,"b":2}`, `{"b":2,"a":1}`, true},
	{"member order inside", "", `{"a":{"c":1,"b":[{"z":0,"y":1e0}]}}`, `{"a":{"b":[{"y":1,"z":-0}],"c":1}}`, true},
	{"member value", "", `{"a":1}`, `{"a":2}`, false},
	{"member name", "", `{"a":1}`, `{"b":1}`, false},
	{"member missing", "", `{"a":1}`, `{"a":1,"b":null}`, false},
	{"member missing first", "", `{"b":1}`, `{"a":null,"b":1}`, false},
	{"name runs into value", "", `{"ab":"c"}`, `{"a":"bc"}`, false},
	{"object and array", "", `{}`, `[]`, false},
	{"long names", "names of 127 and 128 bytes have lengths of one and two", `{"` + strings.Repeat("n", 127) + `":1}`, `{"` + strings.Repeat("n", 128) + `":1}`, false},
	{"long text", "", `"` + strings.Repeat("x", 1<<17) + `y"`, `"` + strings.Repeat("x", 1<<17) + `z"`, false},
	{"long spelled number", "lengths over 127 bytes", "1." + zeros(500), "1", true},
	{"long canonical number", "", nines(300) + ".0", nines(300), true},
}

// emptyStates are the seven states that must never be confused.
var emptyStates = []string{"null", "", `""`, "0", "false", "[]", "{}"}

// parse returns the value of JSON text, absent for "".
func parse(t testing.TB, text string) records.Value {
	t.Helper()
	if text == "" {
		return records.Value{}
	}
	enc, err := records.ParseValue(nil, []byte(text))
	if err != nil {
		t.Fatalf("%.100s: %v", text, err)
	}
	return records.RawValue(enc)
}

func TestEqual(t *testing.T) {
	for _, test := range pairs {
		t.Run(test.name, func(t *testing.T) {
			checkEqual(t, parse(t, test.a), parse(t, test.b), test.equal)
		})
	}
	for i, a := range emptyStates {
		for j, b := range emptyStates {
			checkEqual(t, parse(t, a), parse(t, b), i == j)
		}
	}
}

// checkEqual checks a, b and what follows from their being equal or not.
func checkEqual(t *testing.T, a, b records.Value, want bool) {
	t.Helper()
	if records.Equal(a, b) != want || records.Equal(b, a) != want {
		t.Errorf("%.100s and %.100s: equal is %v", a, b, !want)
	}
	if !records.Equal(a, a) || !records.Equal(b, b) {
		t.Errorf("%.100s or %.100s differs from itself", a, b)
	}
	ca, cb := records.AppendCanonical(nil, a), records.AppendCanonical(nil, b)
	if a.Kind() != records.Absent && b.Kind() != records.Absent && bytes.Equal(ca, cb) != want {
		t.Errorf("%.100s and %.100s: canonical forms\n%.200q\n%.200q", a, b, ca, cb)
	}
	if records.Compare(a, a) != 0 || records.Compare(a, b) != -records.Compare(b, a) || !want && records.Compare(a, b) == 0 {
		t.Errorf("%.100s and %.100s: compare as %d and %d", a, b, records.Compare(a, b), records.Compare(b, a))
	}
}

// TestHugeExponents is report C08: an exponent costs no more than its digits.
func TestHugeExponents(t *testing.T) {
	in := []byte("[" + strings.Repeat("1e1000000000,1e-999999999999999999999,", 5000) + "0]")
	var m0, m1 runtime.MemStats
	runtime.ReadMemStats(&m0)
	start := time.Now()
	a, err := records.ParseValue(nil, in)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := records.ParseValue(nil, bytes.ReplaceAll(in, []byte("1e1000000000"), []byte("10e999999999")))
	if !records.Equal(records.RawValue(a), records.RawValue(b)) {
		t.Error("differ")
	}
	took := time.Since(start)
	runtime.ReadMemStats(&m1)
	if alloc := m1.TotalAlloc - m0.TotalAlloc; took > time.Second || alloc > 64*uint64(len(in)) {
		t.Errorf("%v and %d bytes for %d", took, alloc, len(in))
	}
}

func FuzzNumber(f *testing.F) {
	for _, n := range numbers {
		f.Add(n.in, n.want)
	}
	for _, p := range pairs {
		f.Add(p.a, p.b)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		va, okA := checkNumber(t, a)
		vb, okB := checkNumber(t, b)
		if okA && okB {
			checkEqual(t, va, vb, reference.Number(a).Equal(reference.Number(b)))
		}
	})
}

// checkNumber checks that lit is a number if and only if encoding/json says so,
// its canonical form, and that this is a fixed point.
func checkNumber(t *testing.T, lit string) (records.Value, bool) {
	enc, err := records.AppendNumber(nil, []byte(lit))
	valid := lit != "" && (lit[0] == '-' || '0' <= lit[0] && lit[0] <= '9') && strings.TrimRight(lit, " \t\r\n") == lit && json.Valid([]byte(lit))
	if (err == nil) != valid {
		t.Fatalf("%q: error %v, encoding/json says %v", lit, err, valid)
	}
	if err != nil {
		return records.Value{}, false
	}
	v := records.RawValue(enc)
	canon := string(records.AppendCanonical(nil, v))
	if want := naiveCanonical(lit); canon != want || v.String() != lit {
		t.Fatalf("%q: canonical %q, want %q; shown as %q", lit, canon, want, v)
	}
	if parsed, err := records.ParseValue(nil, []byte(lit)); err != nil || !bytes.Equal(parsed, enc) {
		t.Fatalf("%q: parsed as %x, %v, want %x", lit, parsed, err, enc)
	}
	fixed, err := records.AppendNumber(nil, []byte(canon))
	if err != nil || string(records.AppendCanonical(nil, records.RawValue(fixed))) != canon || fixed[0] != 4 {
		t.Fatalf("%q: canonical %q is not its own canonical spelling: %x, %v", lit, canon, fixed, err)
	}
	checkEqual(t, v, records.RawValue(fixed), true)
	return v, true
}
