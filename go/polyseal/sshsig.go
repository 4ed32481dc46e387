package polyseal

// Signatures as `ssh-keygen -Y sign` makes them: PROTOCOL.sshsig,
// PROTOCOL.u2f, RFC 4251 and RFC 8332.

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	_ "crypto/sha512" // for crypto.SHA384 and crypto.SHA512
	"encoding/base64"
	"encoding/binary"
	"math/big"
)

const (
	sshsigBegin = "-----BEGIN SSH SIGNATURE-----\n"
	sshsigEnd   = "-----END SSH SIGNATURE-----\n"
	sshsigMagic = "SSHSIG"

	rsaMinimumBits = 2048
	// Longer keys cost more than a signature is worth, and ssh-keygen makes
	// none.
	rsaMaximumBits = 16384
)

// sshFields takes fields of the encoding of RFC 4251, one after the other.
type sshFields struct {
	rest   []byte
	failed bool
}

func (f *sshFields) take(n uint64) []byte {
	if f.failed = f.failed || n > uint64(len(f.rest)); f.failed {
		return nil
	}
	taken := f.rest[:n]
	f.rest = f.rest[n:]
	return taken
}

func (f *sshFields) number() uint32 {
	if b := f.take(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

func (f *sshFields) string() []byte { return f.take(uint64(f.number())) }

// integer takes a positive number, which has no more bytes than it needs.
func (f *sshFields) integer() *big.Int {
	b := f.string()
	if len(b) == 0 || b[0] >= 0x80 || b[0] == 0 && (len(b) == 1 || b[1] < 0x80) {
		f.failed = true
	}
	return new(big.Int).SetBytes(b)
}

// end says whether nothing was missing, and nothing follows.
func (f *sshFields) end() bool { return !f.failed && len(f.rest) == 0 }

func sshString(b []byte) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(b))), b...)
}

// sshSignature is a signature that nobody has verified.
type sshSignature struct {
	key       []byte
	namespace string
	hash      string
	algorithm string
	value     []byte
	// flagsAndCounter are those of a security key.
	flagsAndCounter []byte
}

// parseSSHSignature reads the lines between the first and the last one of the
// armour.
func parseSSHSignature(body []byte) (*sshSignature, bool) {
	data, err := base64.StdEncoding.Strict().DecodeString(string(body))
	if err != nil || !bytes.HasPrefix(data, []byte(sshsigMagic)) {
		return nil, false
	}
	f := sshFields{rest: data[len(sshsigMagic):]}
	version := f.number()
	s := &sshSignature{key: f.string(), namespace: string(f.string())}
	reserved := f.string()
	s.hash = string(f.string())
	inner := sshFields{rest: f.string()}
	s.algorithm = string(inner.string())
	s.value = inner.string()
	s.flagsAndCounter = inner.rest
	good := f.end() && !inner.failed && version == 1 && len(reserved) == 0 && (s.hash == "sha256" || s.hash == "sha512")
	return s, good
}

// signed is what the key has signed for a text.
func (s *sshSignature) signed(text []byte) []byte {
	hash := crypto.SHA512
	if s.hash == "sha256" {
		hash = crypto.SHA256
	}
	signed := append([]byte(sshsigMagic), sshString([]byte(s.namespace))...)
	signed = append(signed, sshString(nil)...)
	signed = append(signed, sshString([]byte(s.hash))...)
	return append(signed, sshString(digestOf(hash, text))...)
}

// verifies says whether the signature is one of this text, by its own key. A
// key of a kind that is not known here has signed nothing.
func (s *sshSignature) verifies(text []byte) bool {
	kind, public, application, ok := parseSSHKey(s.key)
	if !ok || s.namespace != statementNamespace {
		return false
	}
	signed := s.signed(text)
	more := 0
	if sshKinds[kind].isSecurityKey {
		more = 5
		message := digestOf(crypto.SHA256, signed)
		signed = append(append(digestOf(crypto.SHA256, application), s.flagsAndCounter...), message...)
	}
	if len(s.flagsAndCounter) != more {
		return false
	}
	switch public := public.(type) {
	case ed25519.PublicKey:
		return s.algorithm == kind && ed25519.Verify(public, signed, s.value)
	case *ecdsa.PublicKey:
		f := sshFields{rest: s.value}
		r, t := f.integer(), f.integer()
		return s.algorithm == kind && f.end() && ecdsa.Verify(public, digestOf(sshKinds[kind].hash, signed), r, t)
	case *rsa.PublicKey:
		switch s.algorithm {
		case "rsa-sha2-256":
			return rsa.VerifyPKCS1v15(public, crypto.SHA256, digestOf(crypto.SHA256, signed), s.value) == nil
		case "rsa-sha2-512":
			return rsa.VerifyPKCS1v15(public, crypto.SHA512, digestOf(crypto.SHA512, signed), s.value) == nil
		}
	}
	return false
}

func digestOf(hash crypto.Hash, data []byte) []byte {
	h := hash.New()
	h.Write(data)
	return h.Sum(nil)
}

// sshKinds are the kinds of keys that can verify. The curves of ECDSA have
// names and hashes.
var sshKinds = map[string]struct {
	isSecurityKey bool
	curve         elliptic.Curve
	name          string
	hash          crypto.Hash
}{
	"ssh-ed25519":                        {},
	"sk-ssh-ed25519@openssh.com":         {isSecurityKey: true},
	"ecdsa-sha2-nistp256":                {false, elliptic.P256(), "nistp256", crypto.SHA256},
	"sk-ecdsa-sha2-nistp256@openssh.com": {true, elliptic.P256(), "nistp256", crypto.SHA256},
	"ecdsa-sha2-nistp384":                {false, elliptic.P384(), "nistp384", crypto.SHA384},
	"ecdsa-sha2-nistp521":                {false, elliptic.P521(), "nistp521", crypto.SHA512},
	"ssh-rsa":                            {},
}

// parseSSHKey reads a public key; application is that of a security key.
func parseSSHKey(blob []byte) (kind string, public crypto.PublicKey, application []byte, ok bool) {
	f := sshFields{rest: blob}
	kind = string(f.string())
	k, ok := sshKinds[kind]
	switch {
	case !ok:
		return kind, nil, nil, false
	case k.curve != nil:
		name := string(f.string())
		key, err := ecdsa.ParseUncompressedPublicKey(k.curve, f.string())
		f.failed = f.failed || err != nil || name != k.name
		public = key
	case kind == "ssh-rsa":
		e, n := f.integer(), f.integer()
		f.failed = f.failed || n.BitLen() < rsaMinimumBits || n.BitLen() > rsaMaximumBits || n.Bit(0) == 0 ||
			e.BitLen() > 31 || e.Int64() < 3 || e.Bit(0) == 0
		public = &rsa.PublicKey{N: n, E: int(e.Int64())}
	default:
		point := f.string()
		f.failed = f.failed || len(point) != ed25519.PublicKeySize
		public = ed25519.PublicKey(point)
	}
	if k.isSecurityKey {
		application = f.string()
	}
	return kind, public, application, f.end()
}

// sshFingerprint is what ssh-keygen -l shows.
func sshFingerprint(blob []byte) string {
	sum := sha256.Sum256(blob)
	return "SHA256:" + base64.RawStdEncoding.EncodeToString(sum[:])
}
