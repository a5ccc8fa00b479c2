import { z } from 'zod'
import { AppError } from '../../shared/errors.ts'
import type { SignedRequest } from './check-signature.ts'
import type { HookKind } from './hook.ts'

type ChangedRef = { kind: 'branch' | 'tag'; name: string; isDeleted: boolean }

/** The content of a proven delivery. */
export type HookEvent = {
  /** Its name, as the sender spells it. */
  name: string
  /** The repository, such as `owner/repo`, in each form that its host uses in addresses. Empty if the event is about none. */
  paths: string[]
  /** The id of a library, which only a generic webhook names. */
  library?: string | undefined
  /** The changed branches and tags; `all` if the event does not say. Empty if nothing has changed that can be read. */
  refs: ChangedRef[] | 'all'
  defaultBranch?: string | undefined
}

const name = z.string().max(1_000)
const isZero = (commit: string | null | undefined): boolean => /^0+$/.test(commit ?? '')

/** Reads the body of a delivery. Throws validation_error if it is not what its host sends. */
export function readEvent(kind: HookKind, { body, header }: SignedRequest): HookEvent {
  const named = (header: string | undefined) => (header ?? 'unnamed').slice(0, 100)
  switch (kind) {
    case 'github':
      return readGithub(named(header('x-github-event')), body)
    case 'gitea':
      return readGithub(named(header('x-forgejo-event') ?? header('x-gitea-event')), body)
    case 'gitlab':
      return readGitlab(body)
    case 'bitbucket':
      return readBitbucket(named(header('x-event-key')), body)
    case 'generic':
      return readGeneric(body)
  }
}

const GithubBody = z.object({
  ref: name.nullish(),
  ref_type: name.nullish(),
  deleted: z.boolean().nullish(),
  after: name.nullish(),
  action: name.nullish(),
  repository: z.object({ full_name: name, default_branch: name.nullish() }).nullish(),
})

/** GitHub and Gitea, which sends the same fields. */
function readGithub(event: string, body: Uint8Array): HookEvent {
  const { ref, ref_type: type, deleted, after, action, repository } = parse(GithubBody, body)
  const about = {
    name: event,
    paths: repository ? [repository.full_name] : [],
    defaultBranch: repository?.default_branch ?? undefined,
  }
  if (event === 'push') return { ...about, refs: fullRef(ref, deleted === true || isZero(after)) }
  if (event === 'create' && type === 'tag') return { ...about, refs: [{ kind: 'tag', name: ref ?? '', isDeleted: false }] }
  if (event === 'release') return { ...about, refs: action === 'deleted' ? [] : 'all' }
  return { ...about, refs: [] }
}

const GitlabBody = z.object({
  object_kind: name.nullish(),
  event_name: name.nullish(),
  ref: name.nullish(),
  after: name.nullish(),
  action: name.nullish(),
  project: z.object({ path_with_namespace: name, default_branch: name.nullish() }).nullish(),
})

function readGitlab(body: Uint8Array): HookEvent {
  const { object_kind: kind, event_name: event, ref, after, action, project } = parse(GitlabBody, body)
  const about = {
    name: (kind ?? event ?? 'unnamed').slice(0, 100),
    paths: project ? [project.path_with_namespace] : [],
    defaultBranch: project?.default_branch ?? undefined,
  }
  if (about.name === 'push' || about.name === 'tag_push') return { ...about, refs: fullRef(ref, isZero(after)) }
  if (about.name === 'release') return { ...about, refs: action === 'delete' ? [] : 'all' }
  return { ...about, refs: [] }
}

const BitbucketRef = z.object({ type: name, name: name }).nullish()
const BitbucketBody = z.object({
  repository: z
    .object({ full_name: name.optional(), slug: name.optional(), project: z.object({ key: name.optional() }).nullish() })
    .optional(),
  push: z.object({ changes: z.array(z.object({ new: BitbucketRef, old: BitbucketRef })).max(10_000) }).optional(),
  changes: z
    .array(z.object({ ref: z.object({ id: name }), type: name.optional() }))
    .max(10_000)
    .optional(),
})

/** Bitbucket Cloud (`push.changes`) and Data Center (`changes`), whose addresses have `projects/KEY/repos/slug` or `scm/key/slug`. */
function readBitbucket(event: string, body: Uint8Array): HookEvent {
  const { repository, push, changes } = parse(BitbucketBody, body)
  const { full_name: path, slug, project } = repository ?? {}
  const key = project?.key
  const forms = path === undefined && key && slug ? [`projects/${key}/repos/${slug}`, `scm/${key}/${slug}`, `${key}/${slug}`] : []
  const cloud = (push?.changes ?? []).flatMap((change): ChangedRef[] => {
    const ref = change.new ?? change.old
    return ref ? [{ kind: ref.type === 'tag' ? 'tag' : 'branch', name: ref.name, isDeleted: !change.new }] : []
  })
  const server = (changes ?? []).flatMap(({ ref, type }) => fullRef(ref.id, type === 'DELETE'))
  return { name: event, paths: path === undefined ? forms : [path], refs: [...cloud, ...server] }
}

const GenericBody = z.strictObject({
  library: z.string().max(500).optional(),
  id: z.string().max(200).optional(),
})

function readGeneric(body: Uint8Array): HookEvent {
  const { library } = body.length === 0 ? {} : parse(GenericBody, body)
  return { name: 'refresh', paths: [], library, refs: 'all' }
}

function fullRef(ref: string | null | undefined, isDeleted: boolean): ChangedRef[] {
  const [, type, short] = /^refs\/(heads|tags)\/(.+)$/s.exec(ref ?? '') ?? []
  return short === undefined ? [] : [{ kind: type === 'tags' ? 'tag' : 'branch', name: short, isDeleted }]
}

function parse<Body extends z.ZodType>(schema: Body, bytes: Uint8Array): z.infer<Body> {
  let body: unknown
  try {
    body = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (cause) {
    throw new AppError('validation_error', 'The body is not JSON. Set the content type of the webhook to application/json.', {
      cause,
    })
  }
  const read = schema.safeParse(body)
  if (read.success) return read.data
  const [issue] = read.error.issues
  throw new AppError(
    'validation_error',
    `The body is not a delivery of this kind of webhook: ${issue?.path.join('.')} ${issue?.message}.`,
  )
}
