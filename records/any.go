package records

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// AppendAny appends a Go value as JSON has it: nil, booleans, strings, numbers,
// json.Number, slices and maps with string keys of such values, a [Value], and
// for everything else what encoding/json makes of it. []byte is text. It fails
// on what has no JSON form.
func AppendAny(dst []byte, value any) ([]byte, error) {
	switch v := value.(type) {
	case nil:
		return AppendNull(dst), nil
	case bool:
		return AppendBool(dst, v), nil
	case string:
		return AppendString(dst, v), nil
	case []byte:
		return AppendString(dst, v), nil
	case int:
		return AppendInt(dst, int64(v)), nil
	case int64:
		return AppendInt(dst, v), nil
	case float64:
		dst, err := AppendFloat(dst, v)
		if err != nil {
			return dst, fmt.Errorf("%w: %v", err, v)
		}
		return dst, nil
	case json.Number:
		dst, err := AppendNumber(dst, []byte(v))
		if err != nil {
			return dst, fmt.Errorf("%w: %q", err, string(v))
		}
		return dst, nil
	case Value:
		if v.Kind() == Absent {
			return AppendNull(dst), nil
		}
		return append(dst, v.enc...), nil
	case []any:
		start := len(dst)
		dst = BeginArray(dst)
		var err error
		for i, e := range v {
			if dst, err = AppendAny(dst, e); err != nil {
				return dst, fmt.Errorf("element %d: %w", i, err)
			}
		}
		return EndArray(dst, start), nil
	case []string:
		start := len(dst)
		dst = BeginArray(dst)
		for _, e := range v {
			dst = AppendString(dst, e)
		}
		return EndArray(dst, start), nil
	case map[string]any:
		start := len(dst)
		dst = BeginObject(dst)
		var err error
		for _, name := range slices.Sorted(maps.Keys(v)) {
			dst = AppendName(dst, name)
			if dst, err = AppendAny(dst, v[name]); err != nil {
				return dst, fmt.Errorf("member %q: %w", name, err)
			}
		}
		return EndObject(dst, start)
	}
	switch v := reflect.ValueOf(value); v.Kind() {
	case reflect.Int8, reflect.Int16, reflect.Int32:
		if v.Type().PkgPath() == "" {
			return AppendInt(dst, v.Int()), nil
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if v.Type().PkgPath() == "" {
			return AppendUint(dst, v.Uint()), nil
		}
	}
	text, err := json.Marshal(value)
	if err != nil {
		return dst, err
	}
	return ParseValue(dst, text)
}
