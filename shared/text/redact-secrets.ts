/** Replaces secrets in a text of another service. Redacts parts of eight characters or more, too: some services repeat a part of the key. */
export function redactSecrets(text: string, secrets: string[]): string {
  const isPart = (word: string) => secrets.some((secret) => secret.includes(word))
  const whole = secrets.reduce((left, secret) => left.replaceAll(secret, '***'), text)
  return whole.replace(/[^\s"'`,;:()<>]{8,}/g, (word) => {
    for (let at = 0; at + 8 <= word.length; at++) if (isPart(word.slice(at, at + 8))) return '***'
    return word
  })
}
