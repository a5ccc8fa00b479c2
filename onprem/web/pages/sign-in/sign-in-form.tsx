import { Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { MessageText } from '../../../../shared/web/message-text.tsx'
import { api } from '../../api/api.ts'
import { sessionQuery } from '../../api/session-query.ts'

type SignInFormProps = {
  /** The user name that the form begins with. */
  username?: string | undefined
  /** If another user cannot sign in here. */
  isSameUser?: boolean
  onSignedIn: () => void | Promise<void>
}

export function SignInForm({ username = '', isSameUser = false, onSignedIn }: SignInFormProps) {
  const queryClient = useQueryClient()
  const form = useForm({ initialValues: { username, password: '' } })
  const signIn = useMutation({
    mutationFn: (json: { username: string; password: string }) => answerOf(api.auth.session['sign-in'].username.$post({ json })),
    onSuccess: async () => {
      await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 })
      await onSignedIn()
    },
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
