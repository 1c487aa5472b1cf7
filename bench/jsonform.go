package bench

import "encoding/json"

// AppendJSON appends the report and, if there is a baseline, the comparisons with
// it, as one JSON text that ends with a newline: {"report":…,"comparisons":[…]}.
func AppendJSON(dst []byte, before, r *Report, rules *Rules) []byte {
	out, err := json.MarshalIndent(struct {
		Report      *Report      `json:"report"`
		Comparisons []Comparison `json:"comparisons,omitempty"`
	}{r, comparisonsOf(before, r, rules)}, "", " ")
	if err != nil {
		panic(err) // strings and finite numbers
	}
	return append(append(dst, out...), '\n')
}
