import { Modal, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { sessionLost } from '../api/session-lost.ts'
import { SignInForm } from '../pages/sign-in/sign-in-form.tsx'

/** Asks for the password over the page, so that a half-filled form is kept. */
export function SignInAgain() {
  const queryClient = useQueryClient()
  const resume = async () => {
    sessionLost.set(false)
    await queryClient.invalidateQueries()
  }
  return (
    <Modal opened onClose={() => sessionLost.set(false)} title="Your session has ended" centered>
      <Text size="sm" mb="md">
        Sign in again to go on. What you entered on this page is kept.
      </Text>
      <SignInForm onSignedIn={resume} />
    </Modal>
  )
}
