import { Button, Group, Skeleton, Stack, Text } from '@mantine/core'
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import type { InferResponseType } from 'hono/client'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { ApiError } from '../../../../shared/web/api/api-error.ts'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { FactList } from '../../../../shared/web/fact-list.tsx'
import { FormError } from '../../../../shared/web/form-error.tsx'
import { LinkButton } from '../../../../shared/web/link-button.tsx'
import { MessageText } from '../../../../shared/web/message-text.tsx'
import { Page } from '../../../../shared/web/page.tsx'
import { formatDate } from '../../../../shared/web/time-ago.tsx'
import { api } from '../../api/api.ts'
import { sessionQuery } from '../../api/session-query.ts'
import { signInAddress } from '../../api/sign-in-address.ts'
import { useSession } from '../../api/use-session.ts'
import { roleTexts } from '../../teamspace/roles.ts'

const invite = api.invites[':token']

const inviteQuery = (token: string) =>
  queryOptions({ queryKey: ['invite', token], queryFn: () => answerOf(invite.$get({ param: { token } })), retry: false })

/** The page behind the link of an invitation. */
export function InvitePage() {
  const { token } = useParams({ from: '/signed-in/frame/invites/$token' })
  const found = useQuery(inviteQuery(token))
  if (found.isLoadingError) return <UnusableInvitation error={found.error} retry={() => void found.refetch()} />
  return (
    <Page title={found.data ? `Join ${found.data.teamspace.name}` : 'Invitation'}>
      {found.data ? <Acceptance token={token} {...found.data} /> : <Skeleton height={160} />}
    </Page>
  )
}

type AcceptanceProps = { token: string } & InferResponseType<typeof invite.$get, 200>

function Acceptance({ token, teamspace, role, email, expiresAt }: AcceptanceProps) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const accept = useMutation({
    meta: { done: 'You are a member now.' },
    mutationFn: () => answerOf(invite.accept.$post({ param: { token } })),
    onSuccess: async ({ id }) => {
      await queryClient.refetchQueries({ queryKey: sessionQuery.queryKey })
      await navigate({ to: '/teamspaces/$team', params: { team: id }, replace: true })
    },
  })
  const { label, rights } = roleTexts[role]
  return (
    <Stack gap="md" maw={560}>
      <Text>You are invited into this teamspace.</Text>
      <FactList
        facts={[
          ['Teamspace', <bdi key="name">{teamspace.name}</bdi>],
          ['Your role', `${label}: ${rights}`],
          ['Your address', email],
          ['Expires', formatDate(expiresAt)],
        ]}
      />
      <FormError error={accept.error} fields={[]} />
      <Group gap="xs">
        <Button loading={accept.isPending} onClick={() => accept.mutate()}>
          Accept
        </Button>
        <LinkButton to="/" variant="default">
          Not now
        </LinkButton>
      </Group>
    </Stack>
  )
}

/** The invitation is gone, or of another address: the API says which. */
function UnusableInvitation({ error, retry }: { error: Error; retry: () => void }) {
  const { user } = useSession()
  const { code } = error instanceof ApiError ? error : { code: undefined }
  if (code !== 'not_found' && code !== 'forbidden')
    return (
      <Page title="Invitation">
        <ErrorState error={error} what="The invitation cannot be loaded" retry={retry} />
      </Page>
    )
  return (
    <Page title={code === 'forbidden' ? 'This invitation is for somebody else' : 'This invitation cannot be used'}>
      <Stack align="flex-start" maw={560}>
        <Text>
          <MessageText>{error.message}</MessageText>
        </Text>
        <Text c="dimmed">You are signed in as {user.email}.</Text>
        <Group gap="xs">
          {code === 'forbidden' && (
            <Button component="a" href={signInAddress(location.pathname, true)}>
              Sign in as somebody else
            </Button>
          )}
          <LinkButton to="/" variant="default">
            Go to the start page
          </LinkButton>
        </Group>
      </Stack>
    </Page>
  )
}
