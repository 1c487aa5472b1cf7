package safetext_test

import (
	"fmt"

	"github.com/pagestate/pagestate/internal/safetext"
)

func ExampleAppend() {
	for _, s := range []string{"toggle@t1", "removed", "x\nremoved: 999 records"} {
		fmt.Printf("%s\n", safetext.Append(nil, s))
	}
	fmt.Printf("%s\n", safetext.AppendClipped(nil, "Review the launch checklist", 10))
	// Output:
	// toggle@t1
	// "removed"
	// "x\nremoved: 999 records"
	// "Review the"…(27 B)
}

func ExampleDiffers() {
	fmt.Println(safetext.Differs("café", "cafe\u0301"))
	// Output:
	// differs at 3: U+00E9 / U+0065 U+0301
}
