//go:build purego || (!amd64 && !arm64)

package aegis

func detect() (engine, map[engine]string) {
	return portableEngine, map[engine]string{portableEngine: "portable"}
}

func (a *AEAD) assembly(op, *state, []byte, []byte) { panic("aegis: no assembly") }
