//go:build !race && !pagestate_checked

package records

const checked = false
