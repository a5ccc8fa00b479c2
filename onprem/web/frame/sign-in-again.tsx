import { Affix, Anchor, Button, Modal, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { pageMeta } from '../../../shared/web/api/page-meta.ts'
import { sessionLost } from '../../../shared/web/api/session-lost.ts'
import { sessionQuery } from '../api/session-query.ts'
import { SignInForm } from '../pages/sign-in/sign-in-form.tsx'

/** Asks for the password over the page, so that a half-filled form is kept. When closed, it is a button. Another user starts with a new page. */
export function SignInAgain() {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [isOpen, setIsOpen] = useState(true)
  const currentUser = () => queryClient.getQueryData(sessionQuery.queryKey)?.user
  const resume = async () => {
    sessionLost.set(false)
    if (currentUser()?.mustChangeCredentials) await navigate({ to: '/change-credentials' })
    else if (currentUser()?.mustAddSecondFactor) await navigate({ to: '/second-factor' })
    else await queryClient.invalidateQueries()
  }
  if (!isOpen)
    return (
      <Affix position={{ bottom: 72, right: 20 }}>
        <Button onClick={() => setIsOpen(true)}>Sign in again</Button>
      </Affix>
    )
  return (
    <Modal opened onClose={() => setIsOpen(false)} title="Your session has ended" centered>
      <Text size="sm" mb="md">
        Sign in again to continue. What you entered on this page is kept.
      </Text>
      {currentUser()?.issuer ? (
        <Text size="sm">You sign in at an issuer, on another page. Copy what you have entered here before.</Text>
      ) : (
        <SignInForm username={currentUser()?.username} isSameUser onSignedIn={resume} />
      )}
      <Anchor size="sm" mt="md" display="block" href={`${pageMeta('base')}/sign-in`}>
        {currentUser()?.issuer ? 'Go to the sign-in page' : 'Sign in as someone else'}
      </Anchor>
    </Modal>
  )
}
