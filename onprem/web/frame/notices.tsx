import '@mantine/notifications/styles.layer.css'
import { Notifications } from '@mantine/notifications'

/** Results of background work. */
export const Notices = () => <Notifications position="bottom-right" />
