import { z } from 'zod'
import { SourceAnswer } from '../../../shared/indexing/source-change.ts'
import { tokenHosts } from '../../../shared/reading/git/git-hosts.ts'
import { UsageAnswer } from '../../../shared/usage/usage-answer.ts'
import { plans, roles, scopes } from '../../access/teamspaces.ts'

/** The responses of the dashboard, for its OpenAPI document. */

const time = z.iso.datetime()
const day = z.iso.date().describe('UTC')
const count = z.int().min(0)
const role = z.enum(roles)

export const Message = z.object({ message: z.string() })
export const CookieHeader = z.object({
  'Set-Cookie': z.string().optional().describe('Sets or removes the cookie of the session'),
})
export const FileHeader = z.object({ 'Content-Disposition': z.string().optional().describe('Names the downloaded file') })

export const TeamspaceAnswer = z
  .object({ id: z.uuid(), name: z.string(), plan: z.enum(plans), createdAt: time, role: role.describe('The role of the caller') })
  .meta({ id: 'Teamspace' })

const SessionItem = z.object({
  id: z.string(),
  createdAt: time,
  seenDay: day.describe('The last day of use, in UTC'),
  agent: z.string().describe('The User-Agent of the browser that signed in'),
})
export const SessionAnswer = z.object({
  user: z.object({ id: z.string(), email: z.string(), name: z.string() }),
  teamspaces: z.array(TeamspaceAnswer).describe('By name'),
  serviceUrl: z.string().describe('The address of the API and of the public pages'),
})
export const SessionList = z.object({ sessions: z.array(SessionItem.extend({ isCurrent: z.boolean() })) })

export const MemberList = z.object({
  members: z
    .array(z.object({ user: z.string(), role, addedAt: time, email: z.string(), name: z.string() }))
    .describe('The earliest first'),
})

const Invite = z.object({
  id: z.string(),
  teamspace: z.string(),
  email: z.string(),
  role,
  invitedBy: z.string().describe('Id of the member'),
  createdAt: time,
  expiresAt: time,
})
export const InviteList = z.object({ invites: z.array(Invite) })
export const NewInviteAnswer = Invite.extend({
  link: z.string().describe('Only the invited person can use it'),
  sent: z.boolean().describe('Whether a message with the link was sent'),
})
export const InviteAnswer = z.object({
  teamspace: z.object({ name: z.string() }),
  role,
  email: z.string(),
  expiresAt: time,
})

const Key = z.object({
  id: z.string(),
  name: z.string(),
  prefix: z.string(),
  role,
  scope: z.enum(scopes),
  expiresAt: time.optional(),
  createdAt: time,
  createdBy: z.string(),
  holder: z.string().nullable().describe('Id of the member whose key it is; null for a key of an operator'),
  usedDay: day.nullable().describe('The last day of use, in UTC'),
  revokedAt: time.nullable(),
})
export const KeyList = z.object({ keys: z.array(Key).describe('Oldest first, with revoked and expired ones') })
export const NewKeyAnswer = z.object({ id: z.string(), key: z.string().describe('Shown only here') })

const facts = z.record(z.string(), z.union([z.string(), z.array(z.string())])).optional()
const AuditEntry = z.object({
  at: time,
  who: z.string(),
  what: z.string(),
  outcome: z.enum(['unfinished', 'done', 'failed']),
  before: facts,
  after: facts,
})
export const AuditList = z.object({ entries: z.array(AuditEntry).describe('The latest 200, newest first') })

export const AccountData = z.object({
  user: z.object({ id: z.string(), email: z.string(), name: z.string(), createdAt: time }),
  sessions: z.array(SessionItem),
  teamspaces: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      role,
      since: time.optional(),
      keys: z.array(Key),
      invites: z.array(Invite).describe('Open invitations that the person has sent'),
      audit: z.array(AuditEntry).describe('The latest changes that the person has made'),
    }),
  ),
})

const Job = z.object({
  id: z.string(),
  state: z.enum(['queued', 'running']),
  createdAt: time,
  dueAt: time.describe('The job does not start before this time'),
  attempts: count,
  progress: z.object({ stage: z.string(), filesDone: count, filesTotal: count, snippets: count }),
})
export const JobList = z.object({ jobs: z.array(Job.extend({ libraryId: z.string() })).describe('Oldest first') })

const Library = z.object({
  id: z.string(),
  title: z.string(),
  description: z.string(),
  state: z.string(),
  private: z.boolean(),
  owned: z.boolean().describe('Whether the teamspace owns it'),
  branch: z.string(),
  sourceUrl: z.string(),
  addedAt: time,
  lastUpdateDate: z.string(),
  totalSnippets: count,
  totalTokens: count,
  tags: z.array(z.string()),
  lastError: z.unknown().describe('Why its last job failed; null if it did not'),
  job: Job.nullable().describe('The unfinished job'),
  lastCheckedAt: time.optional().describe('When it was last compared with its repository, or its content was replaced'),
  nextCheckAt: time.optional().describe('When its schedule compares it next; absent without a schedule, or until it is planned'),
  checkError: z.string().optional().describe('Why the last comparison failed; absent after one that succeeded'),
})
export const LibraryList = z.object({ libraries: z.array(Library).describe('By id') })
export const LibraryDetails = Library.extend({
  versions: z.array(
    z.object({
      version: z.string().describe('Empty for the default content'),
      ref: z.string(),
      commit: z.string(),
      commitDate: z.string().nullable(),
      updatedAt: time,
      snippets: count,
      tokens: count,
    }),
  ),
  report: z.record(z.string(), z.unknown()).nullable().describe('Of its last job, for the teamspace that owns the library'),
})
export const AddedLibrary = Message.extend({ libraryId: z.string() })
export const ChangedSource = SourceAnswer.extend(Message.shape).meta({ id: 'ChangedSource' })
export const ClaimAnswer = z.object({
  url: z.string(),
  publicKey: z.string(),
  expiresAt: time,
  file: z.string().describe('Name of the project file in which `url` and `publicKey` prove the claim'),
})
export const LibraryUsage = UsageAnswer.extend({
  apiUrl: z.string().describe('The call of the public API for the same figures'),
}).meta({ id: 'LibraryUsage' })

export const GitTokenList = z.object({
  gitTokens: z.array(z.object({ host: z.enum(tokenHosts), last4: z.string().describe('Its last characters'), savedAt: time })),
})
export const ConfluenceSiteAnswer = z.object({
  confluence: z
    .object({
      site: z.string().describe('Address of the site'),
      user: z.string().optional(),
      last4: z.string().describe('The last characters of its token'),
      savedAt: time,
    })
    .nullable(),
})
export const OptOutList = z.object({ optOuts: z.array(z.object({ library: z.string(), at: time })) })
export const OptedOut = Message.extend({ removed: z.boolean().describe('False while a job of the library runs') })

export const LicenseList = z.object({
  licenses: z
    .array(
      z.object({
        id: z.string(),
        customer: z.string(),
        kind: z.enum(['online', 'offline']),
        expiresAt: time,
        state: z.enum(['valid', 'expired', 'revoked']),
      }),
    )
    .describe('The one that ends last first'),
})
export const RulesAnswer = z.object({
  global: z.array(z.string()).describe('Rules for all libraries'),
  libraries: z.record(z.string(), z.array(z.string())).describe('Rules of single libraries, by id'),
})

export const PlanRequest = z.object({ plan: z.enum(plans), message: z.string(), contact: z.string(), by: z.string(), at: time })
export const LimitsAnswer = z.object({
  plan: z.enum(plans),
  limits: z.array(
    z.object({
      name: z.enum(['requestsPerDay', 'requestsPerMinuteAndKey', 'addsPerDay']),
      max: count.nullable().describe('null: no limit'),
      used: count.nullable().describe('null: counted per key, or not at all'),
      resetsAt: time.nullable(),
    }),
  ),
  planRequest: PlanRequest.nullable().describe('The open wish for another plan'),
})

const started = {
  id: z.string(),
  startedAt: time,
  libraries: z.array(z.string()),
  selection: z.string().nullable(),
  state: z.enum(['building', 'built', 'failed']),
  done: count.optional(),
  total: count.optional(),
  bytes: count.optional(),
  code: z.string().optional(),
  message: z.string().optional(),
}
export const ExportAnswer = z.object({
  ...started,
  url: z.string().optional().describe('Of a built zip: downloads it for an hour, or until the license ends'),
})
export const ExportList = z.object({
  licenses: z.array(z.object({ id: z.string(), customer: z.string(), endsAt: time, isValid: z.boolean() })),
  exports: z.array(z.object(started)).describe('Of the last days, newest first'),
})
export const ExportableList = z.object({
  libraries: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      description: z.string(),
      versions: count,
      snippets: count,
      sizeBytes: count.describe('Unpacked'),
      lastUpdateDate: z.string(),
    }),
  ),
})
const selection = { id: z.string(), name: z.string(), updatedAt: time.nullable(), builtAt: time.nullable() }
export const SelectionList = z.object({ selections: z.array(z.object({ ...selection, libraries: count })) })
export const SelectionAnswer = z.object({
  ...selection,
  libraries: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      snippets: count,
      sizeBytes: count,
      lastUpdateDate: z.string().nullable(),
      change: z.enum(['missing', 'new', 'changed', 'unchanged']).optional().describe('Since the last zip'),
      isMissing: z.boolean(),
    }),
  ),
  removedSince: z.array(z.string()),
  unpackedBytes: count,
  estimatedZipBytes: count,
  limits: z.object({ libraries: count, zipBytes: count, unpackedBytes: count }),
})
