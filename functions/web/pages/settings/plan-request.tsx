import { Button, Group, Radio, Stack, Text, Textarea, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { fieldErrors } from '../../../../shared/web/field-errors.ts'
import { FormError } from '../../../../shared/web/form-error.tsx'
import { TimeAgo } from '../../../../shared/web/time-ago.tsx'
import { useUnsavedChanges } from '../../../../shared/web/use-unsaved-changes.ts'
import { api } from '../../api/api.ts'
import { type Limits, limitsQuery } from '../../api/teamspace-queries.ts'
import { useSession } from '../../api/use-session.ts'
import { useTeam } from '../../api/use-team.ts'
import { isAtLeast } from '../../frame/pages-of.ts'
import { usePeople } from '../../teamspace/people.ts'
import { type Plan, planTexts } from './plans.ts'

/** The request of the teamspace for another plan, and the form for one. */
export function PlanRequest({ plan, planRequest }: Limits) {
  const { role } = useTeam()
  return (
    <section>
      <Title order={2} mb="xs">
        Another plan
      </Title>
      <Stack gap="md">
        {planRequest && <OpenRequest {...planRequest} />}
        {isAtLeast(role, 'admin') ? (
          <RequestForm key={planRequest?.at} plan={plan} isOpen={planRequest !== null} />
        ) : (
          !planRequest && <Text size="sm">Admins ask the operator of this service for another plan.</Text>
        )}
      </Stack>
    </section>
  )
}

function OpenRequest({ plan, contact, by, at, message }: NonNullable<Limits['planRequest']>) {
  const nameOf = usePeople(useTeam().id)
  return (
    <div role="status">
      <Text size="sm">
        <bdi>{nameOf(by)}</bdi> asked for the plan {planTexts[plan].label} <TimeAgo time={at} />. The operator answers to{' '}
        {contact}.
      </Text>
      {message !== '' && (
        <Text size="sm" c="dimmed" style={{ whiteSpace: 'pre-line', overflowWrap: 'anywhere' }}>
          {message}
        </Text>
      )}
    </div>
  )
}

const fields = ['plan', 'contact', 'message']

function RequestForm({ plan: current, isOpen }: { plan: Plan; isOpen: boolean }) {
  const { id: team } = useTeam()
  const { user } = useSession()
  const queryClient = useQueryClient()
  const others = (Object.keys(planTexts) as Plan[]).filter((plan) => plan !== current)
  const form = useForm({
    initialValues: { plan: others.at(-1) as Plan, contact: user.email, message: '' },
  })
  const request = useMutation({
    meta: { done: 'Request sent.' },
    mutationFn: (json: typeof form.values) => answerOf(api.teamspaces[':team']['plan-request'].$post({ param: { team }, json })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: limitsQuery(team).queryKey }),
    onError: (error) => form.setErrors(fieldErrors(error)),
  })
  useUnsavedChanges(form.isDirty() && !request.isPending && !request.isSuccess)
  return (
    <form onSubmit={form.onSubmit((values) => request.mutate(values))} noValidate>
      <Stack gap="sm" maw={480}>
        <Text size="sm" c="dimmed">
          The operator of this service changes the plan.{isOpen && ' Another request replaces this one.'}
        </Text>
        <Radio.Group label="Plan" {...form.getInputProps('plan')}>
          <Stack gap="xs" mt={6}>
            {others.map((plan) => (
              <Radio key={plan} value={plan} label={planTexts[plan].label} description={planTexts[plan].about} />
            ))}
          </Stack>
        </Radio.Group>
        <TextInput
          label="E-mail address for the answer"
          type="email"
          autoComplete="email"
          required
          {...form.getInputProps('contact')}
        />
        <Textarea
          label="Message"
          description="For example the number of people and what they need"
          autosize
          minRows={3}
          maxRows={10}
          maxLength={2_000}
          {...form.getInputProps('message')}
        />
        <FormError error={request.error} fields={fields} />
        <Group>
          <Button type="submit" loading={request.isPending}>
            Ask for this plan
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
