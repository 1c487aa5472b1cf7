package records_test

import (
	"encoding/json"
	"testing"

	"github.com/pagestate/pagestate/records"
)

// TestMarshal: encoding/json writes a value as it is written everywhere.
func TestMarshal(t *testing.T) {
	enc, err := records.ParseValue(nil, []byte(`{"b":[1.50,null],"a":"x"}`))
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(map[string]records.Value{"value": records.RawValue(enc), "absent": {}})
	if want := `{"absent":null,"value":{"a":"x","b":[1.50,null]}}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}
