import { Stack } from '@mantine/core'
import type { ShownSettings } from '../../api/queries.ts'
import { DraftButtons } from './draft-buttons.tsx'
import { providerOptions } from './llm-form.tsx'
import { SecretField } from './secret-field.tsx'
import { SettingField } from './setting-field.tsx'
import styles from './settings-page.module.css'
import { useSettingsDraft } from './use-settings-draft.ts'

const services = ['embedding'] as const
const fields = [
  'embedding.provider',
  'embedding.model',
  'embedding.baseUrl',
  'embedding.apiKey',
  'embedding.dimensions',
  'aws.region',
]
const withoutEmbeddings = ['', 'anthropic']

/** The model that turns snippets and questions into vectors. */
export function EmbeddingForm({ settings, onSaved }: { settings: ShownSettings; onSaved?: () => void }) {
  const draft = useSettingsDraft(settings, services, onSaved)
  const llm = draft.base['llm.provider']
  const provider = draft.value('embedding.provider')
  const inherits = typeof llm === 'string' && !withoutEmbeddings.includes(llm)
  const options = [
    ...providerOptions.filter(({ value }) => !withoutEmbeddings.includes(value)),
    { value: 'local', label: 'Local model' },
    { value: '', label: inherits ? 'That of the language model' : 'None: text search only' },
  ]
  return (
    <Stack gap="md" className={styles.form}>
      <SettingField draft={draft} name="embedding.provider" label="Provider" options={options} />
      {provider === 'local' && (
        <SettingField
          draft={draft}
          name="embedding.model"
          label="Model folder"
          placeholder="bge-small-en-v1.5"
          description="Name of the folder in DATA_DIR/models that holds a sentence encoder"
        />
      )}
      {provider !== 'local' && (provider !== '' || inherits) && (
        <>
          <SettingField
            draft={draft}
            name="embedding.model"
            label="Model"
            description={
              provider === 'custom' ? 'A model that the server has; required' : 'The default model of the provider if it is empty'
            }
          />
          {provider === 'bedrock' && <SettingField draft={draft} name="aws.region" label="Region" placeholder="eu-central-1" />}
          <SettingField
            draft={draft}
            name="embedding.baseUrl"
            label="Address"
            description={
              provider === 'custom' ? 'For example http://localhost:11434/v1' : 'The address of the provider if it is empty'
            }
          />
          <SettingField
            draft={draft}
            name="embedding.dimensions"
            label="Dimensions"
            description="Only if the provider offers a choice; else those of its first answer"
          />
          <SecretField
            draft={draft}
            name="embedding.apiKey"
            label="API key"
            description="That of the same provider's language model if it is empty"
          />
        </>
      )}
      <DraftButtons
        draft={draft}
        fields={fields}
        untested="no provider is chosen"
        results={({ embedding }) =>
          embedding
            ? [
                {
                  ...embedding,
                  text: embedding.ok
                    ? `${embedding.model ?? 'The model'} answered in ${embedding.ms} ms with ${embedding.dimensions} dimensions.`
                    : (embedding.error ?? 'It failed.'),
                },
              ]
            : []
        }
      />
    </Stack>
  )
}
