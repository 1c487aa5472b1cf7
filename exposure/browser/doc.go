// Package browser reads and runs what live pages expose: pages that are open in a
// browser.
//
// A [Driver] is a browser and a [Tab] one page of it; what this package does it
// does through these two interfaces. A [Provider] adds what has no element.
package browser
