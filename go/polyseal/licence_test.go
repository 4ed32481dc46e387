package polyseal

import (
	"bytes"
	"os"
	"testing"
)

// TestLicences: a module's zip has no file from above the module but one named
// LICENSE, and no symbolic link, so the licences are here a second time.
func TestLicences(t *testing.T) {
	for _, name := range []string{"LICENSE-APACHE", "LICENSE-MIT"} {
		info, err := os.Lstat(name)
		if err != nil {
			t.Error(err)
			continue
		}
		if !info.Mode().IsRegular() {
			t.Errorf("%s: not a file", name)
		}
		here, err := os.ReadFile(name)
		if err != nil {
			t.Error(err)
		}
		// Without the repository there is none to compare with.
		above, err := os.ReadFile("../../" + name)
		if err == nil && !bytes.Equal(here, above) {
			t.Errorf("%s: not that of the repository", name)
		}
	}
}
