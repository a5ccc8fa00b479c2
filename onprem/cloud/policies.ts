import type { PolicyAnswer } from '../../shared/api/policies.ts'
import { openPolicy, type Policy } from '../../shared/policy/policy.ts'
import { applyChange, type PolicyChange } from '../../shared/policy/policy-change.ts'
import { policyDiff } from '../../shared/policy/policy-diff.ts'
import type { HostedClient } from './hosted-client.ts'
import type { PolicyStore } from './policy-store.ts'

/** The policy of this install, which the hosted service enforces too. */
export type Policies = {
  current(): Policy
  /** True if it allows any source type of the hosted service. */
  allowsAnything(): boolean
  /** Pushes the policy if the hosted service does not have it yet. Throws what the client throws. */
  ensurePushed(): Promise<void>
  /** Calls `check` with the policy that it changes. */
  change(change: PolicyChange, check: (policy: Policy) => void): void
  /** Pushes the policy. Returns it with the figures of the hosted service. Throws what the client throws. */
  push(): Promise<PolicyAnswer>
  /** The policy with the last figures of the hosted service. */
  answer(): PolicyAnswer
}

type PoliciesPorts = {
  store: PolicyStore
  /** The license for which the policy is pushed. */
  licenseId: string
  /** The client of the hosted service. Undefined if the license does not include it. */
  client: Pick<HostedClient, 'policy' | 'changePolicy'> | undefined
  stopping: AbortSignal
}

/** All waiting callers share one push, so it may take longer than any of them waits. */
const pushMs = 30_000

export function policies({ store, licenseId, client, stopping }: PoliciesPorts): Policies {
  let figures: Pick<PolicyAnswer, 'accessibleLibraryCount' | 'unknownSignals'> = { accessibleLibraryCount: 0, unknownSignals: [] }
  let pushing: Promise<void> | undefined

  async function pushNow(hosted: NonNullable<typeof client>): Promise<void> {
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(pushMs)])
    const remote = await hosted.policy(signal)
    if (store.stored() === undefined) store.adopt(toPolicy(remote), licenseId)
    const stored = store.stored()
    const change = stored && policyDiff(remote, stored.policy)
    const { accessibleLibraryCount, unknownSignals } = change ? await hosted.changePolicy(change, signal) : remote
    figures = { accessibleLibraryCount, unknownSignals }
    if (stored) store.pushed(stored.revision, licenseId)
  }
  async function push(): Promise<void> {
    if (client === undefined) return
    pushing ??= pushNow(client).finally(() => {
      pushing = undefined
    })
    await pushing
  }
  const isPending = () => {
    const stored = store.stored()
    return stored !== undefined && stored.pushedTo !== licenseId
  }
  const current = () => store.stored()?.policy ?? openPolicy()
  const answer = () => ({ ...current(), ...figures })
  return {
    current,
    allowsAnything: () => Object.values(current().sourceTypes).some(({ enabled }) => enabled),
    async ensurePushed() {
      while (isPending()) await push()
    },
    change: (change, check) =>
      store.change((policy) => {
        check(policy)
        return applyChange(policy, change)
      }),
    async push() {
      do await push()
      while (client !== undefined && isPending())
      return answer()
    },
    answer,
  }
}

const toPolicy = ({ sourceTypes, libraryFilters }: PolicyAnswer): Policy => ({ sourceTypes, libraryFilters })
