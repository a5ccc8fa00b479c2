import type { PolicyAnswer } from '../../shared/api/policies.ts'
import { openPolicy, type Policy } from '../../shared/policy/policy.ts'
import { applyChange, type PolicyChange } from '../../shared/policy/policy-change.ts'
import { changeBetween } from '../../shared/policy/policy-diff.ts'
import type { HostedClient } from './hosted-client.ts'
import type { PolicyStore } from './policy-store.ts'

/** The policy of this install, which the hosted service enforces, too. */
export type Policies = {
  current(): Policy
  /** Whether it lets anything of the hosted service through at all. */
  opensAnything(): boolean
  /** Has the hosted service know the policy before it is asked for anything. Throws what the client throws. */
  ensurePushed(): Promise<void>
  change(change: PolicyChange): void
  /** Pushes the policy; answers it with what the hosted service says of it. Throws what the client throws. */
  push(): Promise<PolicyAnswer>
  /** The policy, with what the hosted service said last. */
  answer(): PolicyAnswer
}

type PoliciesPorts = {
  store: PolicyStore
  /** Names the license under which it is pushed. */
  licenseId: string
  /** Undefined where the license opens no hosted service. */
  client: Pick<HostedClient, 'policy' | 'changePolicy'> | undefined
  stopping: AbortSignal
}

/** One push serves all who wait for it, so it may take longer than any of them waits. */
const pushMs = 30_000

export function policies({ store, licenseId, client, stopping }: PoliciesPorts): Policies {
  let said: Pick<PolicyAnswer, 'accessibleLibraryCount' | 'unknownSignals'> = { accessibleLibraryCount: 0, unknownSignals: [] }
  let pushing: Promise<void> | undefined

  async function pushNow(hosted: NonNullable<typeof client>): Promise<void> {
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(pushMs)])
    const there = await hosted.policy(signal)
    if (store.kept() === undefined) store.adopt(toPolicy(there), licenseId)
    const kept = store.kept()
    const change = kept && changeBetween(there, kept.policy)
    const { accessibleLibraryCount, unknownSignals } = change ? await hosted.changePolicy(change, signal) : there
    said = { accessibleLibraryCount, unknownSignals }
    if (kept) store.pushed(kept.revision, licenseId)
  }
  async function push(): Promise<void> {
    if (client === undefined) return
    pushing ??= pushNow(client).finally(() => {
      pushing = undefined
    })
    await pushing
  }
  const isPending = () => {
    const kept = store.kept()
    return kept !== undefined && kept.pushedTo !== licenseId
  }
  const current = () => store.kept()?.policy ?? openPolicy()
  const answer = () => ({ ...current(), ...said })
  return {
    current,
    opensAnything: () => Object.values(current().sourceTypes).some(({ enabled }) => enabled),
    async ensurePushed() {
      while (isPending()) await push()
    },
    change: (change) => store.change((policy) => applyChange(policy, change)),
    async push() {
      do await push()
      while (client !== undefined && isPending())
      return answer()
    },
    answer,
  }
}

const toPolicy = ({ sourceTypes, libraryFilters }: PolicyAnswer): Policy => ({ sourceTypes, libraryFilters })
