import { isProof, newNonce } from '../admin/proof.ts'
import type { AdminAddress } from './admin-address.ts'

const maxProofLength = 64
const timeoutMs = 5_000

/** True if the announced server still runs. Another program may have its port now, so the secret is not sent. */
export async function isAnswering({ url, secret }: AdminAddress): Promise<boolean> {
  const nonce = newNonce()
  try {
    const response = await fetch(`${url}/proof/${nonce}`, { signal: AbortSignal.timeout(timeoutMs), redirect: 'error' })
    return isProof(secret, nonce, await beginningOf(response))
  } catch {
    return false
  }
}

/** The response of another program may never end. */
async function beginningOf({ body }: Response): Promise<string> {
  let text = ''
  for await (const chunk of body ?? []) {
    text += Buffer.from(chunk).toString('latin1')
    if (text.length > maxProofLength) break
  }
  return text
}
