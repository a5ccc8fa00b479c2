import { UnstyledButton } from '@mantine/core'
import { type ClientName, clientNames, clients } from './clients.ts'
import styles from './connect.module.css'

type ClientChoiceProps = { client: ClientName; choose: (client: ClientName) => void }

/** The clients as buttons, of which one is chosen. */
export const ClientChoice = ({ client: chosen, choose }: ClientChoiceProps) => (
  <fieldset className={styles.clients} aria-label="Client">
    {clientNames.map((name) => (
      <UnstyledButton key={name} className={styles.client} aria-pressed={name === chosen} onClick={() => choose(name)}>
        <span className={styles.mark} aria-hidden>
          {clients[name].mark}
        </span>
        {clients[name].label}
      </UnstyledButton>
    ))}
  </fieldset>
)
