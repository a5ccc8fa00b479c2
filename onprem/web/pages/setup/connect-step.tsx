import { useState } from 'react'
import type { ClientName } from '../../../../shared/web/connect/clients.ts'
import { ConnectAgent } from '../connect/connect-agent.tsx'

/** The same as on the page Connect. */
export function ConnectStep() {
  const [client, setClient] = useState<ClientName>('claude')
  return <ConnectAgent client={client} choose={setClient} />
}
