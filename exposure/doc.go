// Package exposure holds what every way of exposing an app shares, so that the
// same thing gets the same name however it is found: ids of actions, reasons why
// an action cannot be attempted, which values are masked, and which parameter
// schemas can be used.
//
// Package exposure/html reads saved pages. Other readers (live pages, apps in
// this process) follow the same words.
package exposure
