import { Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { fieldMessages } from '../../../../shared/web/api/api-error.ts'
import { FormError } from '../../../../shared/web/form-error.tsx'
import { useUnsavedChanges } from '../../../../shared/web/use-unsaved-changes.ts'
import { maxRuleChars, maxRules } from '../../../access/rule-limits.ts'

type RulesFormProps = {
  label: string
  rules: readonly string[]
  isReadOnly?: boolean
  save: (rules: string[]) => Promise<unknown>
  /** Closes the form; without it, the form stays. */
  cancel?: () => void
}

/** A list of rules as lines of text. */
export function RulesForm({ label, rules, isReadOnly = false, save: saveRules, cancel }: RulesFormProps) {
  const stored = rules.join('\n')
  const [text, setText] = useState(stored)
  const written = linesOf(text)
  const save = useMutation({ meta: { done: 'Rules saved.' }, mutationFn: () => saveRules(written.map(({ rule }) => rule)) })
  useUnsavedChanges(text !== stored && !save.isPending)
  const errors = lineErrors(save.error, written)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate()
      }}
    >
      <Stack gap="xs">
        <Textarea
          label={label}
          description={`One per line, at most ${maxRuleChars} characters each`}
          placeholder={isReadOnly ? 'No rules' : 'Use version 3. Prefer the async API.'}
          autosize
          minRows={3}
          maxRows={16}
          readOnly={isReadOnly}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          error={errors.length > 0 && errors.join('. ')}
        />
        {errors.length === 0 && <FormError error={save.error} fields={[]} />}
        <Group justify="space-between" gap="xs">
          {!isReadOnly && (
            <Group gap="xs">
              <Button type="submit" disabled={text === stored} loading={save.isPending}>
                Save rules
              </Button>
              {(cancel ?? text !== stored) && (
                <Button variant="default" onClick={cancel ?? (() => setText(stored))}>
                  {cancel ? 'Cancel' : 'Discard changes'}
                </Button>
              )}
            </Group>
          )}
          <Text size="xs" c={written.length > maxRules ? 'var(--bad)' : 'dimmed'}>
            {written.length} of {maxRules} rules
          </Text>
        </Group>
      </Stack>
    </form>
  )
}

type Line = { number: number; rule: string }

/** The lines with text, numbered from 1 as they are written. */
const linesOf = (text: string): Line[] =>
  text
    .split('\n')
    .map((line, at) => ({ number: at + 1, rule: line.trim() }))
    .filter(({ rule }) => rule !== '')

/** `rules.2` of the API is the third line with text. */
const lineErrors = (error: unknown, lines: readonly Line[]): string[] =>
  Object.entries(fieldMessages(error)).map(([path, message]) => {
    const line = lines[Number(path.split('.')[1])]
    return line ? `Line ${line.number}: ${message.charAt(0).toLowerCase()}${message.slice(1)}` : message
  })
