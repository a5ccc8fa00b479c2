/** The alphabet lacks letters and digits that look alike. */
const letters = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const length = 20

/** A random password with more than 110 bits. */
export function generatedPassword(): string {
  let password = ''
  while (password.length < length) {
    const [byte = 0] = crypto.getRandomValues(new Uint8Array(1))
    // Values above would make some letters more likely.
    if (byte < letters.length * Math.floor(256 / letters.length)) password += letters[byte % letters.length]
  }
  return password
}
