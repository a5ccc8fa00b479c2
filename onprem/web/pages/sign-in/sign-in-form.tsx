import { Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { MessageText } from '../../../../shared/web/message-text.tsx'
import { api } from '../../api/api.ts'
import { sessionQuery } from '../../api/session-query.ts'
import { SecondStepForm, type SecondStepName } from './second-step-form.tsx'

type SignInFormProps = {
  /** The user name that the form begins with. */
  username?: string | undefined
  /** If another user cannot sign in here. */
  isSameUser?: boolean | undefined
  onSignedIn: () => void | Promise<void>
}

/** The password, and the second step of a user who has a second factor. */
export function SignInForm({ username, isSameUser, onSignedIn }: SignInFormProps) {
  const queryClient = useQueryClient()
  const [steps, setSteps] = useState<SecondStepName[]>()
  const finish = async () => {
    await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 })
    await onSignedIn()
  }
  if (steps) return <SecondStepForm steps={steps} onSignedIn={finish} back={() => setSteps(undefined)} />
  return <PasswordForm username={username} isSameUser={isSameUser} onSignedIn={finish} askSecond={setSteps} />
}

type PasswordFormProps = SignInFormProps & { askSecond: (steps: SecondStepName[]) => void }

function PasswordForm({ username = '', isSameUser = false, onSignedIn, askSecond }: PasswordFormProps) {
  const form = useForm({ initialValues: { username, password: '' } })
  const signIn = useMutation({
    mutationFn: (json: { username: string; password: string }) => answerOf(api.auth.session['sign-in'].username.$post({ json })),
    onSuccess: (answer) => ('secondStep' in answer ? askSecond(answer.secondStep) : onSignedIn()),
  })
  return (
    <form onSubmit={form.onSubmit((values) => signIn.mutate(values))}>
      <Stack gap="sm">
        <TextInput
          label="User name"
          autoComplete="username"
          required
          readOnly={isSameUser}
          autoFocus={username === ''}
          data-autofocus={username === '' || undefined}
          {...form.getInputProps('username')}
        />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          autoFocus={username !== ''}
          data-autofocus={username !== '' || undefined}
          {...form.getInputProps('password')}
        />
        {signIn.error && (
          <Text size="sm" c="var(--bad)" role="alert">
            <MessageText>{signIn.error.message}</MessageText>
          </Text>
        )}
        <Button type="submit" fullWidth loading={signIn.isPending}>
          Sign in
        </Button>
      </Stack>
    </form>
  )
}
