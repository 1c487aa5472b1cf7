package deps

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFuzzTargetsHaveSeeds: a target without seeds tests nothing when go test
// runs it, and nobody notices. Each must call Add, hand f to something that may,
// or have files of its own; test.sh counts what is loaded.
func TestFuzzTargetsHaveSeeds(t *testing.T) {
	targets := 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2 {
			return errorOr(err, fs.SkipDir)
		}
		if d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Recv != nil || !strings.HasPrefix(fn.Name.Name, "Fuzz") || len(fn.Type.Params.List) != 1 || len(fn.Type.Params.List[0].Names) != 1 {
				continue
			}
			targets++
			entries, _ := os.ReadDir(filepath.Join(filepath.Dir(path), "testdata", "fuzz", fn.Name.Name))
			if len(entries) == 0 && !seeds(fn.Body, fn.Type.Params.List[0].Names[0].Name) {
				t.Errorf("%s: %s has no seeds", path, fn.Name.Name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if targets < 5 {
		t.Errorf("only %d fuzz targets were found", targets)
	}
}

func errorOr(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// seeds reports whether body calls f.Add or passes f on.
func seeds(body *ast.BlockStmt, f string) (found bool) {
	is := func(e ast.Expr) bool { id, ok := e.(*ast.Ident); return ok && id.Name == f }
	ast.Inspect(body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			sel, isMethod := call.Fun.(*ast.SelectorExpr)
			found = found || isMethod && is(sel.X) && sel.Sel.Name == "Add"
			for _, arg := range call.Args {
				found = found || is(arg)
			}
		}
		return !found
	})
	return found
}
