import { isProof, newNonce } from '../admin/proof.ts'
import type { AdminAddress } from './admin-address.ts'

const maxProofLength = 64
const patienceMs = 5_000

/** Whether the server that announced itself is still there: another program may have its port by now, and is told no secret. */
export async function isAnswering({ url, secret }: AdminAddress): Promise<boolean> {
  const nonce = newNonce()
  try {
    const response = await fetch(`${url}/proof/${nonce}`, { signal: AbortSignal.timeout(patienceMs), redirect: 'error' })
    return isProof(secret, nonce, await beginningOf(response))
  } catch {
    return false
  }
}

/** A stranger may never end. */
async function beginningOf({ body }: Response): Promise<string> {
  let text = ''
  for await (const chunk of body ?? []) {
    text += Buffer.from(chunk).toString('latin1')
    if (text.length > maxProofLength) break
  }
  return text
}
