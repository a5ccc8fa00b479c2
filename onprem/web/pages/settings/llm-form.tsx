import { Stack } from '@mantine/core'
import type { ShownSettings } from '../../api/settings-query.ts'
import { DraftButtons } from './draft-buttons.tsx'
import { SecretField } from './secret-field.tsx'
import { SettingField } from './setting-field.tsx'
import styles from './settings-page.module.css'
import { useSettingsDraft } from './use-settings-draft.ts'

export const providerOptions = [
  { value: 'bedrock', label: 'Amazon Bedrock' },
  { value: 'openai', label: 'OpenAI' },
  { value: 'anthropic', label: 'Anthropic' },
  { value: 'gemini', label: 'Google Gemini' },
  { value: 'custom', label: 'Other, compatible with OpenAI' },
  { value: '', label: 'None: text search only' },
] as const

const services = ['llm'] as const
const fields = ['llm.provider', 'llm.model', 'llm.baseUrl', 'llm.apiKey', 'aws.region']

/** The language model, which reranks answers and writes documentation. */
export function LlmForm({ settings, onSaved }: { settings: ShownSettings; onSaved?: () => void }) {
  const draft = useSettingsDraft(settings, services, onSaved)
  const provider = draft.value('llm.provider')
  return (
    <Stack gap="md" className={styles.form}>
      <SettingField draft={draft} name="llm.provider" label="Provider" options={providerOptions} />
      {provider !== '' && (
        <>
          <SettingField
            draft={draft}
            name="llm.model"
            label="Model"
            description="The default model of the provider if it is empty"
          />
          {provider === 'bedrock' && <SettingField draft={draft} name="aws.region" label="Region" placeholder="eu-central-1" />}
          <SettingField
            draft={draft}
            name="llm.baseUrl"
            label="Address"
            description={
              provider === 'custom' ? 'For example http://localhost:11434/v1' : 'The address of the provider if it is empty'
            }
          />
          <SecretField
            draft={draft}
            name="llm.apiKey"
            label="API key"
            {...(provider === 'bedrock' && { description: 'Not needed if this machine has AWS credentials' })}
          />
        </>
      )}
      <DraftButtons
        draft={draft}
        fields={fields}
        untested="no provider is chosen"
        results={({ llm }) =>
          llm
            ? [{ ...llm, text: llm.ok ? `${llm.model ?? 'The model'} answered in ${llm.ms} ms.` : (llm.error ?? 'It failed.') }]
            : []
        }
      />
    </Stack>
  )
}
