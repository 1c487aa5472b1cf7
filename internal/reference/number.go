package reference

import (
	"math/big"
	"strings"
)

// A Number is the literal of a JSON number, digits as they were written.
type Number string

// Equal reports whether a and b have the same mathematical value. go-cmp calls
// it. No digit is ever expanded: only exponents are computed with.
func (a Number) Equal(b Number) bool {
	return a.normal() == b.normal()
}

// normalNumber is a number as 0.digits * 10^exponent, digits without zeros at
// either end. Zero is the zero value.
type normalNumber struct {
	negative bool
	digits   string
	exponent string // decimal text of any length
}

func (a Number) normal() normalNumber {
	text := string(a)
	negative := strings.HasPrefix(text, "-")
	text = strings.TrimPrefix(text, "-")

	exponent := new(big.Int)
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		exponent.SetString(strings.TrimPrefix(text[i+1:], "+"), 10)
		text = text[:i]
	}
	whole, fraction, _ := strings.Cut(text, ".")
	exponent.Add(exponent, big.NewInt(int64(len(whole))))

	digits := whole + fraction
	significant := strings.TrimLeft(digits, "0")
	exponent.Sub(exponent, big.NewInt(int64(len(digits)-len(significant))))
	significant = strings.TrimRight(significant, "0")
	if significant == "" {
		return normalNumber{}
	}
	return normalNumber{negative, significant, exponent.String()}
}
