import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { InferResponseType } from 'hono/client'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { ApiError } from '../../../../shared/web/api/api-error.ts'
import { CopyButton } from '../../../../shared/web/copy-button.tsx'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { TimeAgo } from '../../../../shared/web/time-ago.tsx'
import { api } from '../../api/api.ts'
import { type LibraryPath, librariesKey } from '../../api/library-queries.ts'
import styles from './claim-library.module.css'

const route = api.teamspaces[':team'].libraries[':owner'][':repo'].claim
type OpenClaim = InferResponseType<typeof route.$post, 200>

/** The steps that make the teamspace the owner of a public library. */
export function ClaimLibrary({ path, id }: { path: LibraryPath; id: string }) {
  const begin = useMutation({ mutationFn: () => answerOf(route.$post({ param: path })) })
  return (
    <Stack gap="lg" className={styles.claim}>
      <div>
        <Title order={2}>Your teamspace does not own this library</Title>
        <Text size="sm" c="dimmed">
          If you maintain <bdi>{id}</bdi>, claim it: you then see its usage, set its branch, folders and versions, and can stop
          its indexing. A key in the repository proves that it is yours.
        </Text>
      </div>
      {begin.error && <ErrorState error={begin.error} what="The library cannot be claimed" />}
      {begin.data ? (
        <ClaimSteps path={path} claim={begin.data} />
      ) : (
        <Group>
          <Button loading={begin.isPending} onClick={() => begin.mutate()}>
            Claim ownership
          </Button>
        </Group>
      )}
    </Stack>
  )
}

function ClaimSteps({ path, claim: { url, publicKey, expiresAt, file } }: { path: LibraryPath; claim: OpenClaim }) {
  const lines = JSON.stringify({ url, public_key: publicKey }, null, 2)
  return (
    <ol className={styles.steps}>
      <li>
        <Text fw={500}>
          Put these lines into <code>{file}</code>
        </Text>
        <Text size="sm" c="dimmed">
          In the root of the default branch. If the file exists, add the two fields to its others.
        </Text>
        <div className={styles.lines}>
          <pre>{lines}</pre>
          <CopyButton value={lines} label="the lines" />
        </div>
        <dl className={styles.values}>
          <Value name="Address of the library" value={url} />
          <Value name="Public key" value={publicKey} />
        </dl>
        <Text size="xs" c="dimmed">
          The key belongs to this teamspace and this library, and is not secret. It ends <TimeAgo time={expiresAt} />.
        </Text>
      </li>
      <li>
        <Text fw={500}>Push it to the default branch</Text>
        <Text size="sm" c="dimmed">
          The git host must show the file to everyone. You can remove the key when the claim is verified.
        </Text>
      </li>
      <li>
        <Text fw={500}>Verify the claim</Text>
        <Verify path={path} />
      </li>
    </ol>
  )
}

const Value = ({ name, value }: { name: string; value: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>
      <bdi>{value}</bdi> <CopyButton value={value} label={`the ${name.toLowerCase()}`} />
    </dd>
  </div>
)

function Verify({ path }: { path: LibraryPath }) {
  const queryClient = useQueryClient()
  const verify = useMutation({
    meta: { done: 'The library belongs to your teamspace now.' },
    mutationFn: () => answerOf(route.verify.$post({ param: path })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: librariesKey(path.team) }),
  })
  return (
    <Stack gap="sm" align="flex-start" mt={4}>
      <Button loading={verify.isPending} onClick={() => verify.mutate()}>
        Verify
      </Button>
      {verify.error && <ErrorState error={verify.error} what={problemOf(verify.error)} />}
    </Stack>
  )
}

/** The reasons of a claim that is not proven. */
const problems: Record<string, string> = {
  repository_not_found: 'The repository is not public',
  file_not_found: 'The project file was not found',
  other_branch: 'The key is in another branch',
  wrong_key: 'The key is wrong',
  wrong_library: 'The address is that of another library',
  not_json: 'The project file is not JSON',
  too_large: 'The project file is too large',
  redirected: 'The git host redirects the file',
  no_claim: 'The claim has ended',
}

const problemOf = (error: Error): string =>
  (error instanceof ApiError && problems[error.reason ?? '']) || 'The claim cannot be verified now'
