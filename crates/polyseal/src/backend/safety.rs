//! Documentation only: each way in which the back ends could be unsound, and the answer.
//!
//! 1. *An instruction that the CPU lacks.* Every intrinsic belongs to a target feature, and
//!    executing it elsewhere is undefined. The types in [`super::cpu`] have a private field and one
//!    constructor, `check()`, which succeeds only where detection finds all features of the set
//!    (and, for the wide registers, the operating system's support: `cpuid.rs`). Every vector type
//!    holds such a value, so a vector exists only where its instructions do; loading and
//!    broadcasting, which make vectors from bytes, take the proof as an argument. Instructions made
//!    for one hash function work on bare registers, and their methods are those of the proof
//!    itself.
//!    In WebAssembly the whole module is refused where its instructions are missing, so the build
//!    alone decides.
//! 2. *Out-of-bounds loads and stores.* Memory is touched in functions only that are named for it:
//!    `load…`, `store…`, `words…`, and in assembly. Each takes a slice and asserts its length; the
//!    assertion folds away where the caller's lengths are known. Masked instructions do not access
//!    masked-out bytes. Vectors of 64-bit words are moved from and to arrays of their own size.
//! 3. *Alignment.* Only unaligned loads and stores are used.
//! 4. *Aliasing.* No raw pointer outlives the call that makes it from a slice; in-place operation
//!    goes through `InOutBuf`, which hands out its input and output one at a time.
//! 5. *Assembly.* `hashes/sha512_asm.rs` has the rounds of SHA-512. Registers are operands, so that
//!    none is changed that is not named; flags count as changed; nothing is pushed. Memory is two
//!    arrays of 16 words, by pointers made from borrows of such arrays. AVX2's proof has BMI2, too.
//!    `memcheck.rs` asks valgrind. Elsewhere `asm!` is a comment that keeps the compiler from
//!    moving values, one instruction whose operands are all named, or the alignment of the code
//!    that follows (`code.rs`).
//! 6. *Calling convention.* Functions with different target features could disagree about the
//!    registers that vectors are passed in. They do not: the Rust calling convention passes vectors
//!    in memory. (For speed, none should cross a call at all.)
