import { webConfig } from '../../shared/web/build/web-config.ts'

export default webConfig(new URL('.', import.meta.url).pathname)
