import { Anchor, Button, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { InferRequestType } from 'hono/client'
import { useState } from 'react'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { MessageText } from '../../../../shared/web/message-text.tsx'
import { api } from '../../api/api.ts'
import { getPasskey } from '../../second-factor/browser-passkeys.ts'

const route = api.auth.session['sign-in']['second-step']
type SecondStep = InferRequestType<typeof route.$post>['json']

export type SecondStepName = 'passkey' | 'code' | 'recoveryCode'

type SecondStepFormProps = { steps: SecondStepName[]; onSignedIn: () => void | Promise<void>; back: () => void }

const fields = {
  passkey: { label: '', description: '', other: 'Use a passkey' },
  code: { label: 'Code', description: 'The six digits that your authenticator app shows', other: 'Use your authenticator app' },
  recoveryCode: { label: 'Recovery code', description: 'One of those that you have stored', other: 'Use a recovery code' },
} as const

/** Asks for a passkey or a code after the password. */
export function SecondStepForm({ steps, onSignedIn, back }: SecondStepFormProps) {
  const [step, setStep] = useState<SecondStepName>(steps[0] ?? 'recoveryCode')
  const [text, setText] = useState('')
  const finish = useMutation({
    mutationFn: async (json: SecondStep | 'passkey') =>
      answerOf(route.$post({ json: json === 'passkey' ? { passkey: await askPasskey() } : json })),
    onSuccess: onSignedIn,
  })
  const choose = (next: SecondStepName) => {
    finish.reset()
    setText('')
    setStep(next)
  }
  const others = (['passkey', 'code', 'recoveryCode'] as const).filter((each) => each !== step && steps.includes(each))
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        finish.mutate(step === 'passkey' ? step : { [step]: text })
      }}
    >
      <Stack gap="sm">
        {step === 'passkey' ? (
          <Text size="sm">Confirm the sign-in with your passkey: a security key, this device or your phone.</Text>
        ) : (
          <TextInput
            key={step}
            label={fields[step].label}
            description={fields[step].description}
            autoComplete={step === 'code' ? 'one-time-code' : 'off'}
            inputMode={step === 'code' ? 'numeric' : 'text'}
            spellCheck={false}
            required
            autoFocus
            data-autofocus
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
        )}
        {finish.error && (
          <Text size="sm" c="var(--bad)" role="alert">
            <MessageText>{finish.error.message}</MessageText>
          </Text>
        )}
        <Button type="submit" fullWidth loading={finish.isPending}>
          {step === 'passkey' ? 'Use passkey' : 'Sign in'}
        </Button>
        {others.map((each) => (
          <Anchor key={each} component="button" type="button" size="sm" onClick={() => choose(each)}>
            {fields[each].other}
          </Anchor>
        ))}
        <Button variant="subtle" color="gray" fullWidth onClick={back}>
          Back
        </Button>
      </Stack>
    </form>
  )
}

async function askPasskey() {
  const { options } = await answerOf(api.auth.session['sign-in'].passkey.$post({ json: {} }))
  return getPasskey(options)
}
