import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { z } from 'zod'
import type { ObjectStore } from '../objects/object-store.ts'

const kinds = [
  'license-revoked',
  'key-revoked',
  'teamspace-deleted',
  'library-removed',
  'library-opted-out',
  'usage-erased',
  'role-changed',
  'invite-ended',
  'account-deleted',
] as const

const Act = z.object({
  kind: z.enum(kinds),
  id: z.string(),
  /** The state after a change that can be reversed: a role, `none` for no member, `lifted` for no opt-out. */
  to: z.string().optional(),
})

/**
 * An act that a restore of the table must not undo: what was done, and to which license, key, teamspace, library or account. The `id` of
 * a member or invitation is that of the teamspace, a space, and its own.
 */
export type Act = z.infer<typeof Act>

/** The acts, stored outside the table. */
export type Journal = {
  /** Stores an act, before it changes the table. An act of the same kind and id replaces the first. */
  note(act: Act): Promise<void>
  /** The acts that were noted at or after a time, the earliest first. */
  since(time: Date): Promise<Act[]>
}

const NotedAct = Act.extend({ at: z.iso.datetime() })
const prefix = 'journal/'

/** A journal of one object per act. */
export function objectJournal({ objects, now }: { objects: Pick<ObjectStore, 'put' | 'get' | 'keys'>; now(): Date }): Journal {
  return {
    async note(act) {
      const body = JSON.stringify({ ...act, at: now().toISOString() })
      await objects.put(keyOf(act), Buffer.from(body), 'application/json')
    },
    async since(time) {
      const acts: (Act & { at: string })[] = []
      for await (const key of objects.keys(prefix)) {
        const stored = await objects.get(key)
        if (stored) acts.push(NotedAct.parse(JSON.parse(String(await buffer(stored.body)))))
      }
      return acts
        .filter(({ at }) => Date.parse(at) >= time.getTime())
        .sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
        .map(({ at: _, ...act }) => act)
    },
  }
}

const keyOf = ({ kind, id }: Act): string => `${prefix}${kind}/${createHash('sha256').update(id).digest('hex').slice(0, 32)}.json`
