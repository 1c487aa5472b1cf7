package html

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// This file holds what browsers make of the values of inputs that have a form of their
// own (HTML, value sanitization): a value of another form is "".

// validNumber returns v if it is the number that an input holds.
func validNumber(v string) string {
	f, err := strconv.ParseFloat(v, 64)
	if err != nil || math.IsInf(f, 0) || strings.HasSuffix(v, ".") || strings.Contains(v, ".e") || strings.Contains(v, ".E") {
		return ""
	}
	return v
}

var (
	hexColor = regexp.MustCompile(`^#(?:[0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$`)
	clock    = regexp.MustCompile(`^([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,3})?)?$`)
	yearWeek = regexp.MustCompile(`^([0-9]{4,6})-W([0-9]{2})$`)
)

// validColor returns a colour in lower case with six digits. Names are kept: what they
// stand for is for style sheets to say.
func validColor(v string) string {
	v = strings.Trim(v, blanks)
	switch {
	case hexColor.MatchString(v):
		v = strings.ToLower(v)
		if len(v) == 4 {
			v = "#" + strings.Repeat(v[1:2], 2) + strings.Repeat(v[2:3], 2) + strings.Repeat(v[3:4], 2)
		}
	case v == "" || v[0] == '#':
		v = "#000000"
	}
	return v
}

// validTime returns the value of an input for dates or times of day.
func validTime(typ, v string) string {
	ok := false
	switch typ {
	case "date":
		ok = validDate(v)
	case "month":
		ok = validDate(v + "-01")
	case "week":
		m := yearWeek.FindStringSubmatch(v)
		if m == nil {
			return ""
		}
		year, _ := strconv.Atoi(m[1])
		week, _ := strconv.Atoi(m[2])
		_, last := time.Date(year, 12, 28, 0, 0, 0, 0, time.UTC).ISOWeek()
		ok = year > 0 && week >= 1 && week <= last
	case "time":
		ok = clock.MatchString(v)
	case "datetime-local":
		day, hour, found := strings.Cut(v, "T")
		if !found {
			day, hour, found = strings.Cut(v, " ")
		}
		if ok = found && validDate(day) && clock.MatchString(hour); ok {
			v = day + "T" + hour
		}
	}
	if !ok {
		return ""
	}
	return v
}

// validDate reports whether v is a day of the calendar: year, month and day.
func validDate(v string) bool {
	year, rest, ok := strings.Cut(v, "-")
	if !ok || len(year) < 4 || len(year) > 6 {
		return false
	}
	n, err := strconv.Atoi(year)
	if err != nil || n < 1 || year[0] == '+' {
		return false
	}
	// The calendar repeats after 400 years.
	_, err = time.Parse("2006-01-02", strconv.Itoa(2000+n%400)+"-"+rest)
	return err == nil
}
