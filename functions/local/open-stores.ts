import { join } from 'node:path'
import { openClones } from '../../shared/indexing/clones.ts'
import type { Log } from '../../shared/log.ts'
import { type SecretBox, secretBox } from '../../shared/settings/secret-box.ts'
import { openDatabase } from '../../shared/store/database.ts'
import { guardedSnippets } from '../../shared/store/guarded-snippets.ts'
import { privateFolder } from '../../shared/store/open-data-dir.ts'
import { sqliteSettings } from '../../shared/store/settings-store.ts'
import { sqliteSalts } from '../../shared/store/sqlite-salts.ts'
import type { Sealing } from '../access/git-tokens.ts'
import { dynamoAudit } from '../dynamo/accounts/dynamo-audit.ts'
import { dynamoClaims } from '../dynamo/accounts/dynamo-claims.ts'
import { dynamoConfluenceSites } from '../dynamo/accounts/dynamo-confluence-sites.ts'
import { dynamoFlows } from '../dynamo/accounts/dynamo-flows.ts'
import { dynamoGitTokens } from '../dynamo/accounts/dynamo-git-tokens.ts'
import { dynamoInvites } from '../dynamo/accounts/dynamo-invites.ts'
import { dynamoLicenses } from '../dynamo/accounts/dynamo-licenses.ts'
import { dynamoOptOuts } from '../dynamo/accounts/dynamo-opt-outs.ts'
import { dynamoPlanRequests } from '../dynamo/accounts/dynamo-plan-requests.ts'
import { dynamoSessions } from '../dynamo/accounts/dynamo-sessions.ts'
import { dynamoTakedowns } from '../dynamo/accounts/dynamo-takedowns.ts'
import { dynamoTeamPolicies } from '../dynamo/accounts/dynamo-team-policies.ts'
import { dynamoTeamspaces } from '../dynamo/accounts/dynamo-teamspaces.ts'
import { dynamoUsers } from '../dynamo/accounts/dynamo-users.ts'
import { dynamoCatalog } from '../dynamo/catalog/dynamo-catalog.ts'
import { dynamoChecks } from '../dynamo/catalog/dynamo-checks.ts'
import { dynamoCounters } from '../dynamo/counters/dynamo-counters.ts'
import { dynamoReplayed } from '../dynamo/counters/dynamo-replayed.ts'
import { dynamoRequestCounts } from '../dynamo/dynamo-request-counts.ts'
import { dynamoSelections } from '../dynamo/exports/dynamo-selections.ts'
import { dynamoTeamExports } from '../dynamo/exports/dynamo-team-exports.ts'
import { dynamoBundles } from '../dynamo/jobs/dynamo-bundles.ts'
import { dynamoJobs } from '../dynamo/jobs/dynamo-jobs.ts'
import { folderObjects } from '../objects/folder-objects.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import { objectJournal } from '../recovery/journal.ts'
import { diskStream } from './disk-stream.ts'
import { dynamoFolder } from './dynamo-folder.ts'
import { forgetExpired } from './forget-expired.ts'
import { migrateLicenses } from './migrate-licenses.ts'
import { outbox } from './outbox.ts'
import { serveObjects } from './serve-objects.ts'

/** Close functions, called in reverse order. */
export type Closing = (() => unknown)[]

type Opening = { dataDir: string; log: Log; now(): Date; closing: Closing }

/** Opens all stores of a data directory. */
export async function openStores({ dataDir, log, now, closing }: Opening) {
  const db = openDatabase(dataDir)
  const box = secretBox(dataDir)
  closing.push(() => db.close())
  const folder = (name: string) => privateFolder(join(dataDir, name))
  const snippetsDir = folder('snippets')
  const objectsDir = folder('objects')
  const dynamo = await dynamoFolder(folder('dynamodb'), log)
  closing.push(() => dynamo.close())
  const { table } = dynamo
  const snippets = guardedSnippets(snippetsDir, log)
  closing.push(() => snippets.close())
  const stream = diskStream(join(dataDir, 'usage.db'))
  closing.push(() => stream.close())
  const salts = sqliteSalts(join(dataDir, 'salts.db'), now)
  closing.push(() => salts.close())
  const clones = openClones(join(dataDir, 'clones'), log)
  closing.push(() => clones.close())
  const licenses = dynamoLicenses({ table, now })
  const links = await serveObjects({ get: (key) => objects.get(key), put: (...object) => objects.put(...object), now })
  closing.push(() => links.close())
  const objects: ObjectStore = folderObjects(objectsDir, links.downloadUrl)
  try {
    await migrateLicenses(db, licenses)
  } catch (error) {
    throw dynamo.failure() ?? error
  }
  return {
    snippets,
    stream,
    clones,
    licenses,
    objects,
    uploads: { ...objects, uploadUrl: links.uploadUrl },
    journal: objectJournal({ objects, now }),
    undeleteGeneration: undefined,
    settings: sqliteSettings(db, box),
    salts,
    counters: dynamoCounters({ table, log, now }),
    replayed: dynamoReplayed({ table, now }),
    catalog: dynamoCatalog({ table, now }),
    checks: dynamoChecks(table),
    jobs: dynamoJobs({ table, now }),
    bundles: dynamoBundles({ table, now }),
    selections: dynamoSelections({ table, now }),
    teamExports: dynamoTeamExports({ table, now }),
    requestCounts: dynamoRequestCounts(table),
    teamspaces: dynamoTeamspaces({ table, now }),
    users: dynamoUsers({ table, now }),
    sessions: dynamoSessions({ table, now }),
    claims: dynamoClaims({ table, now }),
    teamPolicies: dynamoTeamPolicies({ table, now }),
    planRequests: dynamoPlanRequests({ table, now }),
    flows: dynamoFlows({ table, now }),
    gitTokens: dynamoGitTokens({ table, sealing: sealingBox(box), now }),
    confluenceSites: dynamoConfluenceSites({ table, sealing: sealingBox(box), now }),
    mail: outbox(folder('outbox')),
    invites: dynamoInvites({ table, now }),
    takedowns: dynamoTakedowns({ table, now }),
    optOuts: dynamoOptOuts({ table, now }),
    audit: dynamoAudit({ table, now }),
    forgetExpired: (signal: AbortSignal) => forgetExpired({ table, objectsDir, now }, signal),
  }
}

/** Sealed with the key file of the data directory. */
const sealingBox = (box: SecretBox): Sealing => ({
  seal: async (text, context) => box.seal(text, JSON.stringify(context)),
  open: async (sealed, context) => box.open(sealed, JSON.stringify(context)),
})
