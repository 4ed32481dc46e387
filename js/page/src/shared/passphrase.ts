/**
 * Passphrases that can be read aloud and typed: seven words of five letters, consonant-vowel-consonant-vowel-consonant.
 *
 * The words are made by rule, not taken from a list. 16 consonants and 4 vowels give 16 bits a word: 2^16 words, and 112
 * bits for seven. Argon2id makes each guess slower still. (The rule is that of proquints, arXiv 0901.4016.)
 */

const consonants = "bdfghjklmnprstvz";
const vowels = "aiou";

export const wordsInPassphrase = 7;
export const bitsInWord = 16;

/** The word for a number from 0 to 65535. */
export function word(number: number): string {
  const letter = (letters: string, shift: number): string => letters[number >> shift & letters.length - 1] as string;
  return letter(consonants, 12) + letter(vowels, 10) + letter(consonants, 6) + letter(vowels, 4) + letter(consonants, 0);
}

/** `fill` fills with random numbers, by default from the operating system. */
export function generatePassphrase(fill: (numbers: Uint16Array<ArrayBuffer>) => void = (numbers) => void crypto.getRandomValues(numbers)): string {
  const numbers = new Uint16Array(wordsInPassphrase);
  fill(numbers);
  const passphrase = Array.from(numbers, word).join("-");
  numbers.fill(0);
  return passphrase;
}
