//go:build race || pagestate_checked

package records

// checked builds scribble over memory that was given back, so that whoever still
// reads it is found out. The race detector's builds are among them.
const checked = true
