import { Stack } from '@mantine/core'
import type { ShownSettings } from '../../api/queries.ts'
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

const rerankOptions = [
  { value: 'llm', label: 'The language model' },
  { value: 'local', label: 'Local model' },
] as const

const services = ['llm', 'rerank'] as const
const fields = ['llm.provider', 'llm.model', 'llm.baseUrl', 'llm.apiKey', 'aws.region', 'llm.rerank', 'llm.rerankModel']

/** The language model, which reranks answers and writes documentation. */
export function LlmForm({ settings, onSaved }: { settings: ShownSettings; onSaved?: () => void }) {
  const draft = useSettingsDraft(settings, services, onSaved)
  const provider = draft.value('llm.provider')
  return (
    <Stack gap="md" className={styles.form}>
      <SettingField draft={draft} name="llm.provider" label="LLM Provider" options={providerOptions} />
      {provider !== '' && (
        <>
          <SettingField
            draft={draft}
            name="llm.model"
            label="LLM Model"
            description={
              provider === 'custom' ? 'A model that the server has; required' : 'The default model of the provider if it is empty'
            }
          />
          {provider === 'bedrock' && (
            <SettingField draft={draft} name="aws.region" label="AWS Region" placeholder="eu-central-1" />
          )}
          <SettingField
            draft={draft}
            name="llm.baseUrl"
            label={provider === 'bedrock' ? 'Bedrock endpoint' : 'Base URL'}
            description={
              provider === 'custom' ? 'For example http://localhost:11434/v1' : 'The address of the provider if it is empty'
            }
          />
          <SecretField
            draft={draft}
            name="llm.apiKey"
            label="LLM API Key"
            {...(provider === 'bedrock' && { description: 'Not needed if this machine has AWS credentials' })}
          />
        </>
      )}
      <SettingField draft={draft} name="llm.rerank" label="Answers are reranked by" options={rerankOptions} />
      {draft.value('llm.rerank') === 'local' && (
        <SettingField
          draft={draft}
          name="llm.rerankModel"
          label="Model folder"
          placeholder="ms-marco-MiniLM-L-6-v2"
          description="Name of the folder in DATA_DIR/models that holds a cross-encoder"
        />
      )}
      <DraftButtons
        draft={draft}
        fields={fields}
        untested="no provider is chosen"
        results={({ llm, rerank }) =>
          [llm, rerank].flatMap((tested) => {
            if (!tested) return []
            const { ok, model, ms, error } = tested
            return [{ ...tested, text: ok ? `${model ?? 'The model'} answered in ${ms} ms.` : (error ?? 'It failed.') }]
          })
        }
      />
    </Stack>
  )
}
