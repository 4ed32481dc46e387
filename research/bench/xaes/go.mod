// XAES-256-GCM in Go, for `go test -bench`.
module polyseal.invalid/bench/xaes

go 1.25.0

require filippo.io/xaes256gcm v0.1.0
