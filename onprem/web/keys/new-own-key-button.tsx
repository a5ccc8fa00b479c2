import { Select, TagsInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answerOf } from '../../../shared/web/api/answer-of.ts'
import { type NewKey, NewKeyButton, NewKeyDialog } from '../../../shared/web/keys/new-key-button.tsx'
import { api } from '../api/api.ts'

type OnCreated = (key: string) => void
type Scope = 'read' | 'add'
type Limits = { scope?: Scope; libraries?: string[]; addresses?: string[] }

const ownRights = 'The key has the rights that you have when it is used, unless you limit it here.'
const readRights = 'The key searches and reads the libraries that you may read when it is used. It changes nothing.'

type NewAgentKeyButtonProps = { children: string; name: string; onCreated: OnCreated }

/** Makes a key of the user that only reads, and shows it, once. */
export function NewAgentKeyButton({ children, name, onCreated }: NewAgentKeyButtonProps) {
  return (
    <NewKeyButton name={name} rights={readRights} create={useCreateKey({ scope: 'read' }, onCreated)}>
      {children}
    </NewKeyButton>
  )
}

/** Makes a key of the user and shows it, once. */
export function NewOwnKeyButton({ children }: { children: string }) {
  const [limits, setLimits] = useState<Limits>({})
  return (
    <NewKeyButton
      rights={ownRights}
      choices={<LimitFields limits={limits} change={setLimits} />}
      create={useCreateKey(limits, () => setLimits({}))}
    >
      {children}
    </NewKeyButton>
  )
}

/** The dialog of the button, for a place without one. */
export function NewOwnKeyDialog(props: { isOpen: boolean; onClose: () => void }) {
  const [limits, setLimits] = useState<Limits>({})
  return (
    <NewKeyDialog
      rights={ownRights}
      choices={<LimitFields limits={limits} change={setLimits} />}
      create={useCreateKey(limits, () => setLimits({}))}
      {...props}
    />
  )
}

const scopes = [
  { value: '', label: 'Everything that you may' },
  { value: 'add', label: 'Read, add and refresh' },
  { value: 'read', label: 'Only read' },
]

function LimitFields({ limits, change }: { limits: Limits; change: (limits: Limits) => void }) {
  const { scope, libraries = [], addresses = [] } = limits
  return (
    <>
      <Select
        label="May do"
        data={scopes}
        value={scope ?? ''}
        allowDeselect={false}
        onChange={(value) => {
          const { scope: _, ...others } = limits
          change(value === 'read' || value === 'add' ? { ...others, scope: value } : others)
        }}
      />
      <TagsInput
        label="Only these libraries"
        description="All that you may read if empty. Such as /acme/*; press Enter after each."
        value={libraries}
        splitChars={[',', ' ']}
        spellCheck={false}
        onChange={(value) => change({ ...limits, libraries: value })}
      />
      <TagsInput
        label="Only from these addresses"
        description="From everywhere if empty. Such as 10.1.0.0/16; press Enter after each."
        value={addresses}
        splitChars={[',', ' ']}
        spellCheck={false}
        onChange={(value) => change({ ...limits, addresses: value })}
      />
    </>
  )
}

function useCreateKey({ scope, libraries = [], addresses = [] }: Limits, onCreated: OnCreated) {
  const queryClient = useQueryClient()
  return async (key: NewKey) => {
    const json = {
      ...key,
      ...(scope && { scope }),
      ...(libraries.length > 0 && { libraries }),
      ...(addresses.length > 0 && { addresses }),
    }
    const created = await answerOf(api.keys.$post({ json }))
    onCreated(created.key)
    await queryClient.invalidateQueries({ queryKey: ['keys'] })
    return created
  }
}
