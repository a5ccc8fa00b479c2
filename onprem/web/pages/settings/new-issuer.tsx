import { Button, Fieldset, Group, NativeSelect, Stack, TextInput } from '@mantine/core'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import type { IssuerKind, SsoIssuer } from '../../../../shared/schemas/sso-issuer.ts'
import { issuerExamples, issuerKindLabels } from './issuer-kinds.ts'

const nothing: SsoIssuer = { name: '', kind: 'oidc', issuer: '', clientId: '' }
const kinds = Object.entries(issuerKindLabels).map(([value, label]) => ({ value, label }))

/** The form for one more issuer. */
export function NewIssuer({ taken, add }: { taken: readonly string[]; add: (issuer: SsoIssuer) => void }) {
  const [issuer, setIssuer] = useState(nothing)
  const isTaken = taken.includes(issuer.name)
  const text = (field: 'name' | 'issuer' | 'clientId', more: { label: string; description?: string; placeholder?: string }) => (
    <TextInput
      {...more}
      spellCheck={false}
      autoComplete="off"
      value={issuer[field]}
      error={field === 'name' && isTaken && 'There is an issuer of this name.'}
      onChange={(event) => setIssuer({ ...issuer, [field]: event.currentTarget.value.trim() })}
    />
  )
  return (
    <Fieldset legend="Add an issuer">
      <Stack gap="sm">
        {text('name', {
          label: 'Name',
          description: 'Part of the redirect address; small letters, digits and hyphens',
          placeholder: 'corp',
        })}
        <NativeSelect
          label="Kind"
          data={kinds}
          value={issuer.kind}
          onChange={(event) => setIssuer({ ...issuer, kind: event.currentTarget.value as IssuerKind })}
        />
        {text('issuer', { label: 'Address', placeholder: issuerExamples[issuer.kind] })}
        {text('clientId', { label: 'Client id' })}
        <Group>
          <Button
            variant="default"
            leftSection={<Plus size={16} aria-hidden />}
            disabled={issuer.name === '' || issuer.issuer === '' || issuer.clientId === '' || isTaken}
            onClick={() => {
              add(issuer)
              setIssuer(nothing)
            }}
          >
            Add issuer
          </Button>
        </Group>
      </Stack>
    </Fieldset>
  )
}
