import { Button, Group, Modal, Skeleton, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { answerOf } from '../../../shared/web/api/answer-of.ts'
import { ConfirmDialog } from '../../../shared/web/confirm-dialog.tsx'
import { ErrorState } from '../../../shared/web/error-state.tsx'
import { TimeAgo } from '../../../shared/web/time-ago.tsx'
import { sessionQuery } from '../api/session-query.ts'
import { AddApp } from './add-app.tsx'
import { AddPasskey } from './add-passkey.tsx'
import { canUsePasskeys } from './browser-passkeys.ts'
import { ConfirmPassword } from './confirm-password.tsx'
import { factorApi, factorQuery } from './factor-query.ts'
import { RecoveryCodes } from './recovery-codes.tsx'

type Change = 'add-app' | 'remove-app' | 'add-passkey' | 'remove-passkey' | 'new-codes'

/** The second factors of the user, and dialogs that change them. The password is asked for first if the sign-in was long ago. */
export function FactorList() {
  const queryClient = useQueryClient()
  const hasPasskeys = canUsePasskeys()
  const factor = useQuery(factorQuery)
  const [change, setChange] = useState<Change>()
  const [passkey, setPasskey] = useState<{ id: string; name: string }>()
  const [codes, setCodes] = useState<string[]>([])
  const close = () => setChange(undefined)
  const refresh = async () => {
    await queryClient.invalidateQueries({ queryKey: ['account'] })
    await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 })
  }
  const begin = async (next: Change) => {
    await factor.refetch()
    setChange(next)
  }
  const added = async (recoveryCodes: string[]) => {
    setCodes(recoveryCodes)
    close()
    await refresh()
  }
  const removeApp = useMutation({
    meta: { done: 'Authenticator app removed.' },
    mutationFn: () => answerOf(factorApi.app.$delete()),
    onSuccess: refresh,
  })
  const removePasskey = useMutation({
    meta: { done: 'Passkey removed.' },
    mutationFn: (id: string) => answerOf(factorApi.passkeys[':id'].$delete({ param: { id } })),
    onSuccess: refresh,
  })
  const renewCodes = useMutation({
    meta: { done: 'New recovery codes made.' },
    mutationFn: () => answerOf(factorApi['recovery-codes'].$post()),
    onSuccess: ({ recoveryCodes }) => added(recoveryCodes),
  })
  if (factor.isLoadingError)
    return <ErrorState error={factor.error} what="The second factor cannot be loaded" retry={() => void factor.refetch()} />
  if (!factor.data) return <Skeleton height={80} />
  const { app, passkeys, recoveryCodes, confirmed } = factor.data
  const isAsked = (each: Change) => confirmed && change === each
  return (
    <Stack gap="xs">
      <Row
        text={
          app ? (
            <>
              Authenticator app, added <TimeAgo time={app.createdAt} />
              {app.lastUsedAt && (
                <>
                  , used <TimeAgo time={app.lastUsedAt} />
                </>
              )}
            </>
          ) : (
            'No authenticator app'
          )
        }
      >
        <Button variant="default" size="xs" onClick={() => void begin('add-app')}>
          {app ? 'Replace app' : 'Add authenticator app'}
        </Button>
        {app && (
          <Button variant="default" size="xs" onClick={() => void begin('remove-app')}>
            Remove app
          </Button>
        )}
      </Row>
      <Row text={hasPasskeys ? countOf(passkeys.length) : passkeyNeeds}>
        {hasPasskeys && (
          <Button variant="default" size="xs" onClick={() => void begin('add-passkey')}>
            Add passkey
          </Button>
        )}
      </Row>
      {passkeys.map(({ id, name, host, createdAt, lastUsedAt }) => (
        <Row
          key={id}
          text={
            <>
              Passkey {name}
              {host !== location.hostname && ` for ${host}`}, added <TimeAgo time={createdAt} />
              {lastUsedAt && (
                <>
                  , used <TimeAgo time={lastUsedAt} />
                </>
              )}
            </>
          }
        >
          <Button
            variant="default"
            size="xs"
            onClick={() => {
              setPasskey({ id, name })
              void begin('remove-passkey')
            }}
          >
            Remove {name}
          </Button>
        </Row>
      ))}
      {(app || passkeys.length > 0) && (
        <Row text={`${recoveryCodes} of 10 recovery codes left`}>
          <Button variant="default" size="xs" onClick={() => void begin('new-codes')}>
            New recovery codes
          </Button>
        </Row>
      )}
      <Modal opened={change !== undefined && !confirmed} onClose={close} title="Confirm your password">
        <ConfirmPassword close={close} onConfirmed={async () => void (await factor.refetch())} />
      </Modal>
      <Modal
        opened={isAsked('add-app')}
        onClose={close}
        title={app ? 'Replace the authenticator app' : 'Add an authenticator app'}
      >
        <AddApp close={close} onAdded={added} />
      </Modal>
      <Modal opened={isAsked('add-passkey')} onClose={close} title="Add a passkey">
        <AddPasskey close={close} onAdded={added} />
      </Modal>
      <ConfirmDialog
        opened={isAsked('remove-passkey')}
        close={close}
        question={`Remove the passkey ${passkey?.name}?`}
        consequence="It no longer finishes a sign-in. With the last second factor, the recovery codes are deleted."
        verb="Remove passkey"
        done={undefined}
        onConfirm={() => removePasskey.mutateAsync(passkey?.id ?? '')}
      />
      <ConfirmDialog
        opened={isAsked('remove-app')}
        close={close}
        question="Remove the authenticator app?"
        consequence="Sign-ins no longer ask for its codes. With the last second factor, the recovery codes are deleted."
        verb="Remove app"
        done={undefined}
        onConfirm={() => removeApp.mutateAsync()}
      />
      <ConfirmDialog
        opened={isAsked('new-codes')}
        close={close}
        question="Make new recovery codes?"
        consequence="The old ones are void."
        verb="Make new codes"
        isDestructive={false}
        done={undefined}
        onConfirm={() => renewCodes.mutateAsync()}
      />
      <Modal
        opened={codes.length > 0}
        onClose={() => setCodes([])}
        title="Your recovery codes"
        closeOnEscape={false}
        closeOnClickOutside={false}
        withCloseButton={false}
      >
        <RecoveryCodes codes={codes} done={() => setCodes([])} />
      </Modal>
    </Stack>
  )
}

const countOf = (passkeys: number) => (passkeys === 1 ? '1 passkey' : `${passkeys || 'No'} passkeys`)

const passkeyNeeds = 'Passkeys need https, or localhost, and a host name instead of an IP address.'

const Row = ({ text, children }: { text: ReactNode; children: ReactNode }) => (
  <Group justify="space-between" gap="sm">
    <Text size="sm">{text}</Text>
    <Group gap="xs">{children}</Group>
  </Group>
)
