// Package deps holds the tests of the module as a whole: which package may link
// which, and that no fuzz target is without seeds.
package deps
