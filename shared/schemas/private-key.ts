const shape = /^-----BEGIN ((?:OPENSSH |RSA |EC |ENCRYPTED )?PRIVATE KEY)-----\n([\s\S]+)\n-----END \1-----\n?$/
const magic = Buffer.from('openssh-key-v1\0')

/** A private key in PEM or in the format of OpenSSH, with plain line ends. */
export const isPrivateKey = (text: string): boolean => shape.test(text)

/** True for a private key that needs a passphrase. */
export function hasPassphrase(text: string): boolean {
  const [, label = '', body = ''] = shape.exec(text) ?? []
  if (label !== 'OPENSSH PRIVATE KEY') return label.startsWith('ENCRYPTED') || /^Proc-Type: .*ENCRYPTED/m.test(body)
  const bytes = Buffer.from(body, 'base64')
  if (bytes.length < magic.length + 8 || !bytes.subarray(0, magic.length).equals(magic)) return false
  const cipher = bytes.subarray(magic.length + 4, magic.length + 4 + (bytes.readUInt32BE(magic.length) || 0))
  return cipher.toString() !== 'none'
}
