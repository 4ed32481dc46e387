module polyseal.invalid/polyseal

go 1.25.0

require (
	filippo.io/age v1.3.2
	golang.org/x/crypto v0.55.0
	golang.org/x/sys v0.47.0
)

require (
	filippo.io/hpke v0.4.0 // indirect
)
