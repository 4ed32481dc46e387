/** Plaintext and ciphertext that are not needed any more. */

/** Overwrites a chunk that a stream of the library gave. Each chunk has memory of its own, so nobody else sees that. */
export const discard = (chunk: Uint8Array): void => void chunk.fill(0);
