import { printLibraryId } from '../../shared/library.ts'
import type { Licenses } from '../access/licenses.ts'
import type { Teamspaces } from '../access/teamspaces.ts'
import type { HostedCatalog } from '../catalog/hosted-catalog.ts'
import type { OptOuts } from '../takedown/opt-outs.ts'
import type { Act, Journal } from './journal.ts'

type NotedPorts = {
  catalog: Pick<HostedCatalog, 'remove'>
  journal: Pick<Journal, 'note'>
  licenses: Pick<Licenses, 'revoke'>
  optOuts: Pick<OptOuts, 'add'>
  teamspaces: Pick<Teamspaces, 'close' | 'revokeKey'>
}

/** The same ports, which note what a restore of the table must not undo before they change the table. */
export function notingPorts<Ports extends NotedPorts>(ports: Ports): Ports {
  const { catalog, journal, licenses, optOuts, teamspaces } = ports
  const noting =
    <Id, Result>(kind: Act['kind'], print: (id: Id) => string, change: (id: Id) => Promise<Result>) =>
    async (id: Id): Promise<Result> => {
      await journal.note({ kind, id: print(id) })
      return change(id)
    }
  return {
    ...ports,
    catalog: { ...catalog, remove: noting('library-removed', printLibraryId, catalog.remove) },
    licenses: { ...licenses, revoke: noting('license-revoked', String, licenses.revoke) },
    optOuts: {
      ...optOuts,
      async add(key, optOut) {
        await journal.note({ kind: 'library-opted-out', id: optOut.library })
        await optOuts.add(key, optOut)
      },
    },
    teamspaces: {
      ...teamspaces,
      close: noting('teamspace-deleted', String, teamspaces.close),
      revokeKey: noting('key-revoked', String, teamspaces.revokeKey),
    },
  }
}
