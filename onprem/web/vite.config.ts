import { webConfig } from '../../shared/web/build/web-config.ts'
import { clientProgram } from './build/client-program.ts'

const program = clientProgram()

export default webConfig(new URL('.', import.meta.url).pathname, [program.plugin], () => [
  ...program.inputs(),
  'onprem/web/build/client-program.ts',
])
