import { Affix, Anchor, Button, Modal, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { signInAddress } from '../api/sign-in-address.ts'
import { onSignedIn } from '../api/signed-in-elsewhere.ts'
import { useSession } from '../api/use-session.ts'

/**
 * Has the user sign in in another tab, because the sign-in leaves this host, so that a half-filled form is kept. When closed, it is a button.
 * The page starts anew if somebody else signs in.
 */
export function SignInAgain() {
  const queryClient = useQueryClient()
  const { email } = useSession().user
  const { href } = useLocation()
  const [isOpen, setIsOpen] = useState(true)
  useEffect(() => onSignedIn(() => void queryClient.invalidateQueries()), [queryClient])
  if (!isOpen)
    return (
      <Affix position={{ bottom: 72, right: 20 }}>
        <Button onClick={() => setIsOpen(true)}>Sign in again</Button>
      </Affix>
    )
  return (
    <Modal opened onClose={() => setIsOpen(false)} title="Your session has ended" centered>
      <Stack gap="md">
        <Text size="sm">
          Sign in again as <bdi>{email}</bdi> to continue. A new tab opens for it, and what you entered on this page is kept.
        </Text>
        <Button component="a" href={signInAddress('/signed-in')} target="_blank" data-autofocus>
          Sign in in a new tab
        </Button>
        <Anchor size="sm" href={signInAddress(href)}>
          Sign in here, without what you entered
        </Anchor>
      </Stack>
    </Modal>
  )
}
